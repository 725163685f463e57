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

  // A block is laid out whole, also where it scrolls: 400 000 characters held the page for 0.9 s.
  it.each([
    ['many lines', 'line\n'.repeat(80_000)],
    ['long lines', `${'word '.repeat(400)}\n`.repeat(200)],
    ['one unbroken line', 'x'.repeat(50_000)],
    ['a token in each word', '1 passed '.repeat(40_000)],
  ])('renders a bounded part of %s, live and at the end, and offers the rest', (_, stdout) => {
    const code = `${'1;'.repeat(50_000)}`;
    const live = { ...callIn('input-available', example), input: { code }, progress: [{ stdout }] };
    const done = callIn('output-available', { ...example, input: { code } });
    const output = { ...example.output, stdout, stderr: stdout, display: stdout, changes: [] };
    for (const [call, blocks] of [
      [live, 2],
      [{ ...done, output }, 4],
    ] as const) {
      const markup = renderCall(view, call);
      expect(markup.replaceAll(/<[^>]*>/g, '').length).toBeLessThan(blocks * 10_500 + 1_000);
      expect(markup.match(/Show \d+ more (?:lines|characters)/g)).toHaveLength(blocks);
    }
  });

  it('shows how far git is while it takes long', () => {
    const git = { command: 'clone', phase: 'receiving', done: 12_340_000 };
    const markup = renderCall(view, {
      ...callIn('input-available', example),
      progress: [{ git: { ...git, done: 1 } }, { git: { bad: true } }, { git }],
    });
    expect(markup).toContain('git clone: receiving 12.3 MB');
  });

  it('shows what git did, and how many changes are left out', () => {
    const git = [{ command: 'commit', told: 'commit 3 files on main: Fix it' }];
    const output = { ...example.output, git, changesLeftOut: 1200 };
    const markup = renderCall(view, callIn('output-available', { ...example, output }));
    const text = markup.replaceAll(/<[^>]*>|\n/g, '');
    expect(text).toContain('git commit 3 files on main: Fix it');
    expect(text).toContain('And 1200 more.');
    expect(text).toContain('1201 files changed');
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
