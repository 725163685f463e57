import { describe, expect, it } from 'vitest';
import { toMatchLines, view } from '../../src/tools/grep/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = {
  toolName: 'Grep',
  input: { pattern: 'Math.round', path: 'src', output_mode: 'content' },
  streamingInput: { pattern: 'Math' },
  output: {
    mode: 'content',
    numFiles: 2,
    filenames: ['src/format.ts', 'src/round.ts'],
    content:
      'src/format.ts:23:  Math.round(x)\nsrc/format.ts-24-  return;\n--\nsrc/round.ts:7:Math.round',
    numLines: 3,
  },
  failure: 'There is no file or directory /workspace/src.',
};

describe('view of Grep', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });

  it('marks a literal pattern in its lines, and no other: a pattern is never run on the page', () => {
    const literal = { ...callIn('output-available', example), input: { pattern: 'round' } };
    expect(renderCall(view, literal)).toContain('<mark>round</mark>');
    const evil = { ...literal, input: { pattern: '(a+)+$' } };
    expect(renderCall(view, evil)).not.toContain('<mark>');
  });

  it('renders a bounded part of a long line, and only the marks in it', () => {
    const content = `src/min.js:1:${'ab'.repeat(50_000)}`;
    const marks = [Array.from({ length: 50_000 }, (_, index) => [index * 2, index * 2 + 1]).flat()];
    const output = { ...example.output, filenames: ['src/min.js'], content, numLines: 1, marks };
    const call = { ...callIn('output-available', example), input: { pattern: 'a', '-n': true } };
    const markup = renderCall(view, { ...call, output });
    expect(markup.match(/<mark>/gu)).toHaveLength(5_000);
    expect(markup).toContain('Show 90000 more characters');
  });

  it('marks the places that the search gave, whatever the pattern', () => {
    const output = { ...example.output, marks: [[2, 12], [], [], [0, 4, 5, 10]] };
    const call = {
      ...callIn('output-available', example),
      input: { pattern: 'm(a+)', '-i': true },
    };
    const markup = renderCall(view, { ...call, output });
    expect(markup.match(/<mark>.*?<\/mark>/gu)).toEqual([
      '<mark>Math.round</mark>',
      '<mark>Math</mark>',
      '<mark>round</mark>',
    ]);
  });

  it('takes `12:34` of a line for its text where the call asked for no numbers', () => {
    const call = { ...callIn('output-available', example), input: { pattern: 'o', '-n': false } };
    const output = { ...example.output, content: 'src/round.ts:12:34 o’clock' };
    expect(renderCall(view, { ...call, output })).toContain('12:34 ');
  });

  it('lists names of files, and counts', () => {
    const files = { mode: 'files_with_matches', numFiles: 1, filenames: ['a.ts'] };
    const call = callIn('output-available', example);
    expect(renderCall(view, { ...call, output: files })).toContain('1 file');
    const count = {
      mode: 'count',
      numFiles: 1,
      filenames: ['a.ts'],
      content: 'a.ts:4',
      numMatches: 4,
    };
    expect(renderCall(view, { ...call, output: count })).toContain('4 matches in 1 file');
  });
});

describe('toMatchLines', () => {
  it('takes paths apart that hold colons, dashes and digits', () => {
    const content = 'a-1-b:2:c.ts:12:x: y\na-1-b:2:c.ts-13-z\na:3:plain';
    expect(toMatchLines({ content, filenames: ['a', 'a-1-b:2:c.ts'] })).toEqual([
      { path: 'a-1-b:2:c.ts', line: 12, text: 'x: y', isMatch: true },
      { path: 'a-1-b:2:c.ts', line: 13, text: 'z', isMatch: false },
      { path: 'a', line: 3, text: 'plain', isMatch: true },
    ]);
  });

  it('takes no number of the text for a line’s where the search gave none', () => {
    const output = { content: 'a.ts:12:34 o’clock', filenames: ['a.ts'] };
    expect(toMatchLines(output, false)).toEqual([
      { path: 'a.ts', line: null, text: '12:34 o’clock', isMatch: true },
    ]);
    expect(toMatchLines(output)[0]?.line).toBe(12);
  });

  it('shows lines without numbers, and lines of no known file', () => {
    expect(toMatchLines({ content: 'a.ts:x\nodd', filenames: ['a.ts'] })).toEqual([
      { path: 'a.ts', line: null, text: 'x', isMatch: true },
      { path: '', line: null, text: 'odd', isMatch: true },
    ]);
  });
});
