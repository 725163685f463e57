import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { highlightLines, languageOf } from '../../../src/react/kit/highlight.ts';

describe('highlightLines', () => {
  it('colours comments, strings, numbers and keywords, also over several lines', () => {
    const lines = ['const a = "x"; // why', '/* two', 'lines */ 12', '`t${1}`'];
    expect(highlightLines(lines, 'script')).toEqual([
      [
        { kind: 'keyword', text: 'const' },
        { kind: 'plain', text: ' ' },
        { kind: 'plain', text: 'a' },
        { kind: 'plain', text: ' = ' },
        { kind: 'string', text: '"x"' },
        { kind: 'plain', text: '; ' },
        { kind: 'comment', text: '// why' },
      ],
      [{ kind: 'comment', text: '/* two' }],
      [
        { kind: 'comment', text: 'lines */' },
        { kind: 'plain', text: ' ' },
        { kind: 'number', text: '12' },
      ],
      [{ kind: 'string', text: '`t${1}`' }],
    ]);
  });

  it("colours a test report's verdicts, and only those", () => {
    const lines = [
      ' ✓ a.test.ts (2 tests)',
      '   ✗ adds',
      '     TypeError: no',
      'Tests  1 failed | 2 passed',
    ];
    expect(highlightLines(lines, 'report')).toEqual([
      [
        { kind: 'passed', text: ' ✓' },
        { kind: 'plain', text: ' a.test.ts (2 tests)' },
      ],
      [{ kind: 'failed', text: '   ✗ adds' }],
      [{ kind: 'failed', text: '     TypeError: no' }],
      [
        { kind: 'plain', text: 'Tests  ' },
        { kind: 'failed', text: '1 failed' },
        { kind: 'plain', text: ' | ' },
        { kind: 'passed', text: '2 passed' },
      ],
    ]);
  });

  it('leaves no character out and adds none, in any language', () => {
    const line = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\n'));
    const piece = fc.constantFrom('"', "'", '`', '/*', '*/', '//', '#', '\\', 'const', '1', ' ');
    const lines = fc.array(
      fc.oneof(
        line,
        fc.array(piece).map((parts) => parts.join('')),
      ),
      {
        minLength: 1,
      },
    );
    fc.assert(
      fc.property(
        lines,
        fc.constantFrom('script', 'data', 'style', 'hash', 'report', ''),
        (given, name) => {
          const texts = highlightLines(given, name).map((tokens) =>
            tokens.map((token) => token.text).join(''),
          );
          expect(texts).toEqual(given);
        },
      ),
    );
  });
});

describe('languageOf', () => {
  it.each([
    ['/workspace/src/app.tsx', 'script'],
    ['ts', 'script'],
    ['package.json', 'data'],
    ['test-report', 'report'],
    ['README', ''],
    ['', ''],
  ])('knows %j', (name, language) => {
    expect(languageOf(name)).toBe(language);
  });
});
