// The demo's header with its own styles, on a desk and on a phone.
import { act } from 'react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { Header } from '../../../demo/layout/header.tsx';
import type { HeaderProps } from '../../../demo/layout/header.tsx';
import type { ProjectControl } from '../../../demo/project/use-project.ts';
import styles from '../../../demo/styles/demo.css?inline';
import { mount } from '../../support/browser/mount.tsx';
import type { Mounted } from '../../support/browser/mount.tsx';

let mounted: Mounted | undefined;
let sheet: HTMLStyleElement;
const size = { width: innerWidth, height: innerHeight };
beforeEach(() => {
  sheet = document.createElement('style');
  sheet.textContent = styles;
  document.head.append(sheet);
});
afterEach(async () => {
  mounted?.[Symbol.dispose]();
  sheet.remove();
  await page.viewport(size.width, size.height);
});

const nothing = () => undefined;
const control: ProjectControl = {
  state: { kind: 'failed', project: { kind: 'sample', name: 'a-name-that-is-long' }, error: null },
  excluded: 0,
  folder: null,
  openSample: nothing,
  openFolder: nothing,
  openMount: () => Promise.resolve(),
  openZip: nothing,
  openClone: nothing,
  reconnect: () => Promise.resolve(),
  closeFolder: () => Promise.resolve(),
  reset: nothing,
  cancel: nothing,
};

async function show(width: number, given: Partial<HeaderProps> = {}): Promise<HTMLElement> {
  await page.viewport(width, 600);
  mounted = await mount(
    <Header
      control={control}
      mayLeave={() => true}
      model={{ kind: 'scripted' }}
      permissionMode="default"
      onPermissionMode={nothing}
      onChooseModel={nothing}
      onClone={nothing}
      git={null}
      isGitShown={false}
      onToggleGit={nothing}
      {...given}
    />,
  );
  const header = mounted.element.querySelector<HTMLElement>('.header');
  if (!header) throw new Error('There is no header.');
  return header;
}

const more = page.getByRole('button', { name: /^More/ });
const modes = page.getByLabelText('When the agent asks for permission');

describe('the header', () => {
  it('says of a folder whether it is written once it is open, not while it is read', async () => {
    const busy = { kind: 'busy', problems: [] } as unknown as ProjectControl['folder'];
    const project = { kind: 'mount', name: 'notes', id: 1 } as const;
    const opening = { kind: 'opening', project, files: 12 } as const;
    await show(1200, { control: { ...control, state: opening, folder: busy } });
    expect(page.getByText('Writing…').query()).toBeNull();
  });

  it('has all in its bar where there is room', async () => {
    await show(1200);
    await expect.element(modes).toBeVisible();
    await expect.element(page.getByTitle('Choose the model')).toBeVisible();
    expect(more.query()).toBeNull();
  });

  it('is one line where it just has room, also with a long name and a long model', async () => {
    const model = 'a-model-whose-name-is-rather-long-2026-01-01';
    const choice = { kind: 'anthropic', apiKey: 'k', model, effort: undefined } as const;
    const header = await show(1030, { model: choice });
    expect([header.offsetHeight, header.scrollWidth]).toEqual([42, 1030]);
    const tall = [...header.querySelectorAll('button')].filter((one) => one.offsetHeight > 30);
    expect(tall.map((one) => one.textContent)).toEqual([]);
  });

  it.each([1000, 820, 390, 320])(
    'is one line on a page %i wide, with a menu for the rest',
    async (width) => {
      const header = await show(width);
      expect([header.offsetHeight, header.scrollWidth]).toEqual([48, width]);
      await expect.element(modes).not.toBeVisible();

      await act(async () => more.click());
      await expect.element(modes).toBeVisible();
      await expect.element(page.getByTitle('Choose the model')).toBeVisible();
      await expect.element(page.getByLabelText('Colours')).toBeVisible();
      await act(async () => userEvent.keyboard('{Escape}'));
      await expect.element(modes).not.toBeVisible();
      expect(document.activeElement).toBe(more.element());
    },
  );

  it.each(['Project', 'More'])('has all of the menu %s within a page at 400 %%', async (name) => {
    await show(320);
    await page.viewport(320, 256);
    const opener = name === 'More' ? more : page.getByTitle(name, { exact: true });
    await act(async () => opener.click());
    const menu = mounted?.element.querySelector<HTMLElement>(':popover-open');
    if (!menu) throw new Error('The menu is shut.');
    expect(menu.getBoundingClientRect().bottom).toBeLessThanOrEqual(256);
    const last = [...menu.querySelectorAll<HTMLElement>('button, select')].at(-1);
    last?.focus();
    expect(last?.getBoundingClientRect().bottom).toBeLessThanOrEqual(256);
  });

  it('shows the branch by its name on a phone, whatever has changed', async () => {
    const status = { branch: 'main', head: null, files: Array.from({ length: 120 }, () => ({})) };
    const state = { kind: 'ready', number: 1, status, distance: { ahead: 3, behind: 2 } };
    const git = { getSnapshot: () => state, subscribe: () => nothing } as never;
    const header = await show(320, { git });
    const name = header.querySelector<HTMLElement>('.branch-name') ?? header;
    expect(name.clientWidth).toBe(name.scrollWidth);
    expect(header.scrollWidth).toBe(320);
  });

  it('shuts its menu, and has the focus on its button, when the model is to be chosen', async () => {
    let focused: Element | null = null;
    await show(390, { onChooseModel: () => void (focused = document.activeElement) });
    await act(async () => more.click());
    await act(async () => page.getByTitle('Choose the model').click());
    expect(focused).toBe(more.element());
    await expect.element(modes).not.toBeVisible();
  });

  it('tells on a phone, too, that all is allowed', async () => {
    await show(390, { permissionMode: 'bypassPermissions' });
    await expect.element(more).toHaveAccessibleName('More, all is allowed');
  });
});
