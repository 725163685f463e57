// What a person tells calls apart by: the mark before each, with the library's own stylesheet.
import { expect, it } from 'vitest';
import { CallFrame, type CallFrameProps } from '../../src/react/kit/call-frame.tsx';
import styles from '../../src/react/react.css?inline';
import { mount } from '../support/mount.tsx';

async function markOf(changes: Partial<CallFrameProps['call']>): Promise<string> {
  const done = {
    toolName: 'Ran',
    input: {},
    state: 'output-available',
    resultText: '',
    elapsedSeconds: 0,
    task: null,
  } as const;
  using mounted = await mount(
    <>
      <style>{styles}</style>
      <CallFrame call={{ ...done, ...changes }} title="Ran" />
    </>,
  );
  const mark = mounted.element.querySelector('.rp-call-mark');
  if (!mark) throw new Error('The call has no mark.');
  return getComputedStyle(mark).backgroundColor;
}

it('shows a call in the background as its task is: running, done, failed, or neither when it was stopped', async () => {
  const running = await markOf({ state: 'input-available' });
  const done = await markOf({});
  const failed = await markOf({ state: 'output-error' });
  expect(new Set([running, done, failed]).size).toBe(3);

  const task = (status: 'running' | 'completed' | 'failed' | 'stopped') =>
    markOf({ task: { status, summary: '' } });
  expect(await task('running')).toBe(running);
  expect(await task('completed')).toBe(done);
  expect(await task('failed')).toBe(failed);
  expect([running, done, failed]).not.toContain(await task('stopped'));
});
