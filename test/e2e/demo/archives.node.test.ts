// The demo's project goes out as a zip, and a zip comes in.
import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { unzipSync, zipSync } from 'fflate';
import { it, watchPage } from '../chromium.ts';
import { serveDemo } from './demo-page.ts';

const demo = serveDemo();

it('saves the project as a zip, and opens a zip as a project', async ({ browser }) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const complaints = await watchPage(page);
  await page.goto(demo.url);
  await page.getByRole('treeitem', { name: 'package.json', exact: true }).waitFor();

  await page.getByTitle('Project').click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as a zip' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('tidepool.zip');
  const files = unzipSync(await readFile(await download.path()));
  const packed = new TextDecoder().decode(files['src/format.ts']);
  const source = new URL('../../../demo/sample/src/format.ts', import.meta.url);
  expect(packed).toBe(await readFile(source, 'utf8'));

  const open = async (name: string, buffer: Uint8Array) => {
    await page.getByTitle('Project').click();
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Open a zip…' }).click(),
    ]);
    await chooser.setFiles({ name, mimeType: 'application/zip', buffer: Buffer.from(buffer) });
  };
  await open('other.zip', zipSync({ 'only/here.txt': new TextEncoder().encode('here') }));
  await page.getByRole('treeitem', { name: 'only', exact: true }).waitFor();
  expect(await page.getByTitle('Project').textContent()).toBe('other');

  await open('bad.zip', zipSync({ '../out.txt': new Uint8Array(1) }));
  await page.getByText('it leads out of its directory by ..').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});
