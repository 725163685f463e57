// The demo's sample with an agent on a branch. Its merge is a card with the diff by file, and what
// the person answers is what becomes of the files.
import type { BrowserContext, Page } from 'playwright';
import { afterEach, expect } from 'vitest';
import { it } from '../chromium.ts';
import { said, serveDemo } from './demo-page.ts';

const demo = serveDemo();
let context: BrowserContext;
afterEach(() => context.close());

const card = (page: Page) => page.getByRole('alertdialog');

it('shows what an agent on a branch would merge, by file, and merges it on a yes', async ({
  browser,
}) => {
  context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(demo.url);
  await page.getByRole('button', { name: 'On a branch' }).click();
  await card(page).waitFor();
  const shown = await card(page).innerText();
  expect(shown).toContain('Asked by the agent “Explain the rounding” (general-purpose).');
  const files = card(page).locator('.rp-changes > li');
  // Not their inner texts: folder and name are boxes of their own, of which the first shrinks.
  const lines = await files
    .locator('.rp-call-line')
    .evaluateAll((all) =>
      all.map((line) => [...line.children].map(({ textContent }) => textContent).join(' ')),
    );
  expect(lines.map((line) => line.replaceAll(/\s+/gu, ' '))).toEqual([
    'Changed README.md +2 lines added, −1 lines removed',
    'Changed src/compare.ts +4 lines added, −1 lines removed',
  ]);
  expect(await files.first().innerText()).toContain('away from zero.');
  // Nothing of it counts before the answer, and the question outlives the page.
  await page.reload();
  await card(page).waitFor();
  expect(await files.count()).toBe(2);
  await card(page).getByRole('button', { name: 'Allow once' }).click();
  await said(page, 'Its changes were merged: ').waitFor();
  await card(page).waitFor({ state: 'detached' });
  await page.getByRole('treeitem', { name: 'README.md' }).click();
  await page.locator('.cm-content').getByText('away from zero.').waitFor();
});
