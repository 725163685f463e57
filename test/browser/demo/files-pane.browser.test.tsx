// The demo's search over a real host: what is typed is found, opened, and kept up to date.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { FilesPane } from '../../../demo/files/files-pane.tsx';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import { mount } from '../../support/browser/mount.tsx';
import type { Mounted } from '../../support/browser/mount.tsx';

let host: BrowserHost;
let mounted: Mounted;
let opened: unknown[];

beforeEach(async () => {
  host = await createBrowserHost({
    workspace: `demo-${crypto.randomUUID()}`,
    driver: 'memory',
    assets: { wasm: wasmUrl },
  });
  await host.workspace.fs.writeFile('/workspace/a.ts', 'low (tide)\nTIDE\n');
  opened = [];
  const paths = ['/workspace/a.ts'];
  mounted = await mount(
    <FilesPane
      host={host}
      files={{ paths, changed: new Set(), isLoading: false }}
      openPath={null}
      onOpen={(...file) => void opened.push(file)}
    />,
  );
  // Answers come from a worker, when they come: the test waits for what is seen.
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
});

afterEach(async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  mounted[Symbol.dispose]();
  await host[Symbol.asyncDispose]();
});

const type = (text: string) => userEvent.fill(field(), text);
const press = (name: string) => userEvent.click(page.getByRole('button', { name }));
const field = () => page.getByRole('searchbox', { name: 'Search in files' });
/** As long as a busy machine takes to load a worker and the search. */
const soon = { timeout: 240_000 };
const status = () => mounted.element.querySelector('[role=status]')?.textContent;
const lines = () =>
  [...mounted.element.querySelectorAll('.found-line')].map((line) => line.textContent);

describe('the search in the demo', () => {
  it('finds text as it is written, and opens a line', async () => {
    await type('(tide)');
    await expect.poll(status, soon).toBe('1 line in 1 file');
    expect(lines()).toEqual(['line 1 low (tide)']);
    await userEvent.click(page.getByRole('button', { name: 'line 1 low (tide)' }));
    expect(opened).toEqual([['/workspace/a.ts', 1]]);
  });

  it('matches case and takes patterns where the switches say so', async () => {
    await type('tide');
    await expect.poll(lines, soon).toEqual(['line 1 low (tide)', 'line 2 TIDE']);
    await press('Match case');
    await expect.poll(lines, soon).toEqual(['line 1 low (tide)']);
    await press("Pattern, in ripgrep's syntax");
    await type('^l.w');
    await expect.poll(lines, soon).toEqual(['line 1 low (tide)']);
    await type('l(');
    await expect.poll(status, soon).toContain('never closed');
  });

  it('searches again when a file has changed', async () => {
    await type('neap');
    await expect.poll(status, soon).toBe('No line matches');
    await host.workspace.fs.writeFile('/workspace/b.ts', 'neap\n');
    await expect.poll(lines, soon).toEqual(['line 1 neap']);
  });

  it('shows the tree again once the field is empty', async () => {
    await type('tide');
    await expect.poll(lines, soon).toHaveLength(2);
    await userEvent.keyboard('{Escape}');
    await expect.poll(() => mounted.element.querySelector('[role=tree]'), soon).not.toBeNull();
    expect(status()).toBe('');
  });
});
