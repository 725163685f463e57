import { describe, expect, it } from 'vitest';
import { view } from '../../src/tools/repl/view.tsx';
import { callIn, renderCall, renderStates } from './render-call.tsx';

const example = {
  toolName: 'Repl',
  input: { code: 'console.log(1);\n6 * 7', description: 'Multiply' },
  streamingInput: { code: 'console.l' },
  output: {
    stdout: '1\n',
    stderr: '',
    interrupted: false,
    display: '42',
    changes: [
      {
        path: '/workspace/out.txt',
        type: 'create',
        additions: 1,
        deletions: 0,
        structuredPatch: [
          { oldStart: 0, oldLines: 0, newStart: 1, newLines: 1, lines: ['+forty-two'] },
        ],
      },
    ],
    rolledBack: false,
  },
  progress: [{ stdout: '1' }, { stdout: '\n' }, { stderr: 'careful' }, 'odd'],
  failure: 'The worker that ran this cell was lost.',
};

describe('view of Repl', () => {
  it.each(renderStates(view, example))('shows %s', (_state, markup) => {
    expect(markup).toMatchSnapshot();
  });

  it('shows output while it comes', () => {
    const markup = renderCall(view, callIn('input-available', example));
    expect(markup).toContain('Output so far');
    expect(markup).toContain('careful');
  });

  it("shows a failed cell by its own error, says that it was rolled back, and doesn't repeat itself", () => {
    const output = {
      ...example.output,
      display: undefined,
      changes: [],
      error: { name: 'TypeError', message: 'x is not a function', line: 2 },
      timedOutAfterMs: 2000,
      rolledBack: true,
    };
    const call = { ...callIn('output-error', example), output, resultText: 'TypeError: told' };
    const text = renderCall(view, call).replaceAll(/<[^>]*>|\n/g, '');
    expect(text).toContain('TypeError: x is not a function (line 2)');
    expect(text).toContain('Cut after 2 s.');
    expect(text).toContain('Rolled back: variables and files are as before this cell.');
    expect(text).not.toContain('told');
  });

  it.each([
    ['running', 'Running in the background', ''],
    ['completed', 'Ran in the background', 'All went well.'],
    ['failed', 'Failed in the background', 'It threw.'],
    ['stopped', 'Stopped in the background', 'It was stopped.'],
  ] as const)('shows a cell in the background that is %s', (status, title, summary) => {
    const call = {
      ...callIn('output-available', example),
      output: {
        ...example.output,
        display: undefined,
        changes: [],
        backgroundTaskId: 'b1',
        persistedOutputPath: '/session/1/tasks/b1.output',
      },
      task: { status, summary },
    };
    const markup = renderCall(view, call);
    expect(markup).toContain(`data-task="${status}"`);
    const text = markup.replaceAll(/<[^>]*>|\n/g, '');
    expect(text).toContain(title);
    expect(text).toContain('careful');
    // Its own result came at once: that is no news of the task.
    expect(text.includes('Done')).toBe(status === 'completed');
    expect(text).toContain(summary);
    expect(text).toContain('All of its output: /session/1/tasks/b1.output');
  });
});
