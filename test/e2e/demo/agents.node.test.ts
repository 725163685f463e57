// The demo's sample with two agents side by side, as a person watches it. Reloaded while they work
// and while one asks, it goes on, and each message is there once.
import type { BrowserContext, Page } from 'playwright';
import { afterEach, expect } from 'vitest';
import { it } from '../chromium.ts';
import { said, serveDemo } from './demo-page.ts';

const demo = serveDemo();
let context: BrowserContext;
afterEach(() => context.close());

const question = (page: Page) => page.getByRole('alertdialog');
const agents = (page: Page) => page.locator('.rp-agent');

/** The outer ones first: what they begin is within them. */
async function unfoldAgents(page: Page): Promise<void> {
  const shut = page.locator(
    '.rp-agent > .rp-fold > .rp-fold-head > .rp-fold-toggle[aria-expanded=false]',
  );
  while ((await shut.count()) > 0) await shut.first().press('Enter');
}

const countOf = async (page: Page, text: string) =>
  (await page.locator('.rp-transcript').innerText()).split(text).length - 1;

it('runs two agents and one of theirs, goes on after reloads, and tells each message once', async ({
  browser,
}) => {
  context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(demo.url);
  await page.getByRole('button', { name: 'Two agents at once' }).click();
  await agents(page).nth(1).waitFor();
  await page.reload();

  await question(page).waitFor();
  expect(await question(page).innerText()).toContain(
    'Asked by the agent “Add the units to the README” (general-purpose).',
  );
  await page.reload();
  await question(page).waitFor();
  // It waits for the person: until then its own stop button is there.
  const stop = page.getByRole('button', { name: 'Stop the agent: Add the units to the README' });
  expect(await stop.count()).toBe(1);
  await question(page).getByRole('button', { name: 'Allow once' }).click();

  await said(page, 'What the agents read').waitFor();
  await page.locator('.rp-tasks').waitFor({ state: 'detached' });
  await unfoldAgents(page);
  expect(await agents(page).count()).toBe(3);
  const shown = [
    "The two don't touch",
    'An agent lists the exports for me.',
    'The exported functions:',
    'Now the tests: which of these names are in them?',
    'Both are helpers: the tests of their callers run them.',
    'I read the units, and the sentence that they belong to.',
    'I added a list of the six units',
    'The agent “Find untested functions” has reported.',
    'What the agents read',
  ];
  const counts = shown.map(async (text) => [text, await countOf(page, text)]);
  expect(Object.fromEntries(await Promise.all(counts))).toEqual(
    Object.fromEntries(shown.map((text) => [text, 1])),
  );
  expect(await page.locator('.rp-transcript .rp-spinner').count()).toBe(0);

  // The same is there for whoever comes back.
  await page.reload();
  await said(page, 'What the agents read').waitFor();
  await unfoldAgents(page);
  // Nothing of an agent stands beside its call.
  expect(await page.locator('.rp-turn > .rp-nested').count()).toBe(0);
  const again = shown.map(async (text) => [text, await countOf(page, text)]);
  expect(Object.fromEntries(await Promise.all(again))).toEqual(
    Object.fromEntries(shown.map((text) => [text, 1])),
  );
});

it('goes on without an agent that a person sends to the background', async ({ browser }) => {
  // As wide as a phone: there the question leaves one line for the composer.
  context = await browser.newContext({ viewport: { width: 390, height: 800 } });
  const page = await context.newPage();
  await page.goto(demo.url);
  await page.getByRole('button', { name: 'Two agents at once' }).click();
  await question(page).waitFor();
  const send = page.getByRole('button', {
    name: 'To background: the agent: Add the units to the README',
  });
  await send.press('Enter');
  await send.waitFor({ state: 'detached' });
  // The focus isn't lost with the button, and a prompt can be written before the question is answered.
  const field = page.getByLabel('Message to the agent');
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
  await field.fill('Keep it short.');
  await field.clear();
  await question(page).getByRole('button', { name: 'Allow once' }).click();
  await said(page, 'The agent “Add the units to the README” has reported.').waitFor();
  await said(page, 'The README lists the units').waitFor();
});
