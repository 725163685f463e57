// The demo's dialogs: however one goes, the focus is back where it was.
import { act, useState } from 'react';
import { afterEach, expect, it } from 'vitest';
import { userEvent } from 'vitest/browser';
import { CloneDialog } from '../../../demo/git/clone-dialog.tsx';
import { createTokenDesk } from '../../../demo/git/token-desk.ts';
import { TokenDialog } from '../../../demo/git/token-dialog.tsx';
import { ModelChooser } from '../../../demo/agent/model-chooser.tsx';
import { mount } from '../../support/browser/mount.tsx';
import type { Mounted } from '../../support/browser/mount.tsx';

let mounted: Mounted;
afterEach(() => mounted[Symbol.dispose]());

const button = (name: string) => {
  const all = [...mounted.element.querySelectorAll('button')];
  const found = all.find((one) => one.textContent === name);
  if (!found) throw new Error(`There is no button ${name}.`);
  return found;
};
const press = (name: string) =>
  act(async () => {
    button(name).focus();
    await userEvent.keyboard('{Enter}');
  });

/** As long as a busy machine takes to load a module. */
const soon = { timeout: 240_000 };

const desk = createTokenDesk();

function Page({ goes }: { readonly goes: boolean }) {
  const [open, setOpen] = useState<'clone' | 'model' | 'none' | null>(null);
  const close = () => setOpen('none');
  const isDone = goes && open === 'none';
  return (
    <>
      {!isDone && <button onClick={() => setOpen('clone')}>Clone…</button>}
      {!isDone && <button onClick={() => setOpen('model')}>Model…</button>}
      <section data-region="agent">
        <textarea aria-label="Message" />
      </section>
      {open === 'clone' && <CloneDialog desk={desk} onOpen={close} onClose={close} />}
      {open === 'model' && (
        <ModelChooser
          choice={{ kind: 'scripted' }}
          startsAtKey={false}
          onChoose={close}
          onClose={close}
        />
      )}
      <TokenDialog desk={desk} />
    </>
  );
}

it.each([
  ['Clone…', 'Cancel'],
  ['Model…', 'Cancel'],
  ['Model…', 'Use this model'],
])('%s has the focus again after %s', async (opener, end) => {
  mounted = await mount(<Page goes={false} />);
  await press(opener);
  expect(document.activeElement?.closest('dialog')?.open).toBe(true);
  await press(end);
  // The model is made before the dialog goes, and the focus moves once it has gone.
  await expect.poll(() => mounted.element.querySelector('dialog'), soon).toBeNull();
  await expect.poll(() => document.activeElement === button(opener), soon).toBe(true);
});

it('leads to the message where what opened the dialog has gone', async () => {
  mounted = await mount(<Page goes={true} />);
  await press('Model…');
  await press('Cancel');
  expect(document.activeElement?.ariaLabel).toBe('Message');
});

it('asks for one token after the other, and gives the focus back after the last', async () => {
  mounted = await mount(<Page goes={false} />);
  button('Clone…').focus();
  const of = (host: string) => desk.credentials(host, { signal: new AbortController().signal });
  let first: Promise<unknown> | undefined;
  let second: Promise<unknown> | undefined;
  await act(async () => {
    first = of('one.example');
    second = of('two.example');
  });
  await act(async () => {
    await userEvent.keyboard('first{Enter}');
  });
  expect(await first).toEqual({ token: 'first' });
  const field = document.activeElement as HTMLInputElement;
  expect([field.value, field.closest('dialog')?.textContent]).toEqual([
    '',
    expect.stringContaining('two.example'),
  ]);
  await press('Cancel');
  expect(await second).toBeUndefined();
  expect(document.activeElement).toBe(button('Clone…'));
});
