// The demo's commit form, which goes whenever a person looks at a file.
import { act } from 'react';
import { expect, it } from 'vitest';
import { userEvent } from 'vitest/browser';
import { CommitForm } from '../../../demo/git/commit-form.tsx';
import type { CommitFormProps } from '../../../demo/git/commit-form.tsx';
import { mount } from '../../support/browser/mount.tsx';

const state = { kind: 'ready', status: { files: [], operation: null } } as never;
const run = { label: '', run: () => Promise.resolve(true) } as never;

/** Shows the form of the project, does that with its fields, and takes it away. */
async function visit(
  host: CommitFormProps['host'],
  work?: (form: HTMLFormElement) => Promise<void>,
  by = run,
): Promise<string | undefined> {
  using mounted = await mount(
    <CommitForm host={host} state={state} run={by} onStageAll={() => undefined} />,
  );
  const form = mounted.element.querySelector('form');
  const found = form?.querySelector('textarea')?.value;
  if (form) await work?.(form);
  return found;
}

it('has the message again that was begun, in its own project, until that is committed', async () => {
  const host = {} as CommitFormProps['host'];
  await visit(host, async (form) => {
    await act(() => userEvent.fill(form.querySelector('textarea')!, 'Half a thought'));
  });
  expect(await visit({} as CommitFormProps['host'])).toBe('');
  const found = await visit(host, async (form) => {
    await act(async () => {
      form.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }));
    });
  });
  expect(found).toBe('Half a thought');
  expect(await visit(host)).toBe('');
});

it('forgets the message of a commit that has taken the form away', async () => {
  const host = {} as CommitFormProps['host'];
  let committed = (_done: boolean) => {};
  const slow = {
    label: '',
    run: () => new Promise<boolean>((resolve) => (committed = resolve)),
  } as never;
  await visit(
    host,
    async (form) => {
      await act(() => userEvent.fill(form.querySelector('textarea')!, 'Done'));
      await act(async () => {
        form.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }));
      });
    },
    slow,
  );
  await act(async () => committed(true));
  expect(await visit(host)).toBe('');
});
