// What a person tells calls apart by: the mark before each, with the library's own stylesheet.
import { act } from 'react';
import { expect, it } from 'vitest';
import { CallFrame, type CallFrameProps } from '../../../src/react/kit/call-frame.tsx';
import { ExternalLink } from '../../../src/react/kit/external-link.tsx';
import { FileChanges } from '../../../src/react/kit/file-changes.tsx';
import { OpenFileContext } from '../../../src/react/kit/file-link.tsx';
import styles from '../../../src/react/react.css?inline';
import { mount } from '../../support/browser/mount.tsx';

const done = {
  toolName: 'Ran',
  input: {},
  state: 'output-available',
  resultText: '',
  elapsedSeconds: 0,
  task: null,
} as const;

async function markOf(changes: Partial<CallFrameProps['call']>): Promise<string> {
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

it('begins its text at the start, whatever the page around it does', async () => {
  using mounted = await mount(
    <div style={{ textAlign: 'center' }}>
      <style>{styles}</style>
      <CallFrame call={done} title="Ran" />
    </div>,
  );
  const call = mounted.element.querySelector('.rp-call');
  if (!call) throw new Error('There is no call.');
  expect(getComputedStyle(call).textAlign).toBe('start');
});

it('has links in its line that a pointer reaches, above the button that unfolds it', async () => {
  const address = 'https://tides.example/';
  using mounted = await mount(
    <>
      <style>{styles}</style>
      <CallFrame
        call={done}
        title="Read page"
        detail={<ExternalLink address={address} label={address} />}
      >
        the body
      </CallFrame>
    </>,
  );
  const link = mounted.element.querySelector('a');
  const { left, top, width, height } = link?.getBoundingClientRect() ?? new DOMRect();
  expect(document.elementFromPoint(left + width / 2, top + height / 2)).toBe(link);
});

const created = (path: string) => ({
  type: 'create' as const,
  path,
  additions: 1,
  deletions: 0,
  structuredPatch: [],
});

it('shows what tells one file from the next where a path has no room, and the whole title', async () => {
  const path = `/workspace/${'a-folder/'.repeat(20)}the-file.ts`;
  using mounted = await mount(
    <OpenFileContext value={{ cwd: '/workspace', open: () => {} }}>
      <style>{styles}</style>
      <div style={{ width: '360px' }}>
        <FileChanges changes={[created(path)]} />
      </div>
    </OpenFileContext>,
  );
  const find = (selector: string) => mounted.element.querySelector<HTMLElement>(selector);
  const { scrollWidth, clientWidth } = find('.rp-path-name') ?? document.body;
  expect(clientWidth).toBe(scrollWidth);
  expect(find('.rp-path-name')?.textContent).toBe('the-file.ts');
  expect(find('button.rp-file-link')?.getAttribute('aria-label')).toBe(path.slice(11));
  const title = find('.rp-call-title');
  const whole = document.createRange();
  whole.selectNodeContents(title ?? document.body);
  expect(title?.getBoundingClientRect().width).toBe(whole.getBoundingClientRect().width);
});

it('lists the first of hundreds of changed files, and more when asked', async () => {
  const changes = Array.from({ length: 300 }, (_, at) => created(`/workspace/${at}.ts`));
  using mounted = await mount(<FileChanges changes={changes} />);
  const shown = () => mounted.element.querySelectorAll('.rp-changes > li').length;
  expect(shown()).toBe(20);
  const more = mounted.element.querySelector<HTMLElement>('.rp-more');
  expect(more?.textContent).toBe('Show 280 more files');
  await act(async () => more?.click());
  expect(shown()).toBe(220);
});
