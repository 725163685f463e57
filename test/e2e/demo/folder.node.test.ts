// A folder of the disk in the demo, once it isn't where it was. A directory of the private file system stands in for
// one that a person picks.
import type { BrowserContext } from 'playwright';
import { afterEach, expect } from 'vitest';
import { it } from '../chromium.ts';
import { serveDemo } from './demo-page.ts';

const demo = serveDemo();
let context: BrowserContext;

afterEach(() => context.close());

it('shows what this browser holds of a folder that is gone, and connects when it is back', async ({
  browser,
}) => {
  context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(demo.url);
  await page.getByRole('treeitem', { name: 'package.json' }).waitFor();
  await page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const harbour = await root.getDirectoryHandle('harbour', { create: true });
    const file = await harbour.getFileHandle('boats.txt', { create: true });
    const writable = await file.createWritable();
    await writable.write('three\n');
    await writable.close();
    Object.assign(window, { showDirectoryPicker: async () => harbour });
  });
  await page.getByTitle('Project').click();
  await page.getByRole('button', { name: 'Open a folder from disk…' }).click();
  await page.getByText('On disk', { exact: true }).waitFor();
  await page.getByRole('treeitem', { name: 'boats.txt' }).waitFor();

  await page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    await root.removeEntry('harbour', { recursive: true });
  });
  await page.reload();
  const line = page.getByText('Not connected', { exact: true });
  await line.waitFor();
  expect(await line.getAttribute('title')).toContain('there any more in the folder "harbour"');
  await page.getByRole('treeitem', { name: 'boats.txt' }).waitFor();

  await page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    await root.getDirectoryHandle('harbour', { create: true });
  });
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByText('On disk', { exact: true }).waitFor();
});
