import { describe, expect, it } from 'vitest';
import { view } from '../../src/tools/edit/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = {
  toolName: 'Edit',
  input: {
    file_path: '/workspace/src/app.ts',
    old_string: 'let a = 1;',
    new_string: 'const a = 1;',
  },
  streamingInput: { file_path: '/workspace/src/app.ts', old_string: 'let a' },
  output: {
    filePath: '/workspace/src/app.ts',
    oldString: 'let a = 1;',
    newString: 'const a = 1;',
    originalFile: '// first\nlet a = 1;\n',
    structuredPatch: [
      {
        oldStart: 1,
        oldLines: 2,
        newStart: 1,
        newLines: 2,
        lines: [' // first', '-let a = 1;', '+const a = 1;'],
      },
    ],
    userModified: false,
    replaceAll: false,
  },
  failure: 'old_string occurs 2 times in /workspace/src/app.ts.',
};

describe('view of Edit', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });

  it('renders a bounded part of a change to long lines', () => {
    const long = '1;'.repeat(50_000);
    const lines = [' a', `-${long}`, `+${long}`];
    const hunks = [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines }];
    const output = { ...example.output, structuredPatch: hunks };
    const text = renderCall(view, { ...callIn('output-available', example), output });
    expect(text.replaceAll(/<[^>]*>/g, '').length).toBeLessThan(10_500);
    expect(text).toContain('Show 1 more lines');
  });

  it('says in words which lines were added and removed, and how many', () => {
    const text = renderCall(view, callIn('output-available', example)).replaceAll(/<[^>]*>/g, '');
    expect(text.replaceAll(/\s+/g, ' ')).toContain('+1 lines added, −1 lines removed');
    expect(text).toMatch(/removed\s*let a = 1;/);
    expect(text).toMatch(/added\s*const a = 1;/);
  });

  it('shows the diff of what it would change, while a person is asked', () => {
    const { structuredPatch } = example.output;
    const change = {
      path: '/workspace/src/app.ts',
      type: 'update',
      additions: 1,
      deletions: 1,
    } as const;
    const call = callIn('approval-requested', example);
    const asked = { ...call, proposedChanges: [{ ...change, structuredPatch }] };
    const text = renderCall(view, asked).replaceAll(/<[^>]*>/g, '');
    expect(text.replaceAll(/\s+/g, ' ')).toContain('+1 lines added, −1 lines removed');
    expect(text).toMatch(/removed\s*let a = 1;/);
    expect(text).toMatch(/added\s*const a = 1;/);
  });
});
