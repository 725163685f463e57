// The demo's git panel over a real host, by keyboard alone: the focus stays where a person works.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import wasm from 'quickjs-wasi/quickjs.wasm?url';
import { GitPanel } from '../../../demo/git/git-panel.tsx';
import { createGitWatch, type GitWatch } from '../../../demo/git/git-watch.ts';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import { mount } from '../../support/browser/mount.tsx';
import type { Mounted } from '../../support/browser/mount.tsx';

let host: BrowserHost;
let watch: GitWatch;
let mounted: Mounted;

beforeEach(async () => {
  localStorage.setItem('rockpool-demo:git-author', JSON.stringify({ name: 'A', email: 'a@b.c' }));
  host = await createBrowserHost({
    workspace: `demo-${crypto.randomUUID()}`,
    driver: 'memory',
    assets: { wasm },
  });
  await host.git.init();
  const { writeFile } = host.workspace.fs;
  await Promise.all(['a', 'b'].map((name) => writeFile(`/workspace/${name}.txt`, 'low')));
  await host.git.add('.');
  await host.git.commit({ message: 'One', author: { name: 'A', email: 'a@b.c' } });
  await Promise.all(['a', 'b'].map((name) => writeFile(`/workspace/${name}.txt`, 'high')));
  watch = createGitWatch(host);
  mounted = await mount(
    <GitPanel host={host} watch={watch} fileCount={2} onClose={() => undefined} />,
  );
  // Git answers when it does: the test waits for what is seen.
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
});

afterEach(async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  mounted[Symbol.dispose]();
  watch[Symbol.dispose]();
  await host[Symbol.asyncDispose]();
  localStorage.removeItem('rockpool-demo:git-author');
});

/** As long as a busy machine takes to load a worker and git. */
const soon = { timeout: 240_000 };

async function press(name: string): Promise<void> {
  const found = page.getByRole('button', { name, exact: true });
  await expect.element(found, soon).toBeVisible();
  (found.element() as HTMLElement).focus();
  await userEvent.keyboard('{Enter}');
}
const badges = () => mounted.element.querySelectorAll('.git-badge').length;

it('leaves the focus on the button of a command while that runs, and in the panel after it', async () => {
  await press('Stage a.txt');
  await expect.poll(badges, soon).toBe(1);
  expect(document.activeElement?.ariaLabel).toBe('Unstage a.txt');
  await press('Stage all');
  await expect.poll(badges, soon).toBe(2);
  expect(document.activeElement?.textContent).toBe('Stage all');
  await userEvent.fill(page.getByRole('textbox', { name: 'Message' }), 'Both');
  await press('Commit what is staged');
  await expect
    .poll(() => mounted.element.textContent, soon)
    .toContain('Nothing has changed since the last commit.');
  await expect.poll(() => document.activeElement?.className, soon).toBe('git-panel');
});
