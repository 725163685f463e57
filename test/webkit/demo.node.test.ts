// The demo as it is built, under its policy, in WebKit: the scripted agent mends the sample's bug, and a reload
// has what it did. So has a page that was left for another one.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveBuiltPage, type BuiltPage } from '../../scripts/serve-built-page.ts';
import { launchWebKit, type WebKit } from './launch-webkit.ts';

let browser: WebKit;
let demo: BuiltPage;

beforeAll(async () => {
  demo = await serveBuiltPage({ page: 'demo/index.html' });
  browser = await launchWebKit();
});

afterAll(async () => {
  await browser.close();
  await demo.close();
});

const shown = () => browser.evaluate('document.body.textContent');

/** Waits for a button with this text that may be clicked, and clicks it. */
async function click(name: string): Promise<void> {
  const find = `[...document.querySelectorAll('button:enabled')].find((one) => one.textContent.includes(${JSON.stringify(name)}))`;
  await expect.poll(() => browser.evaluate(`Boolean(${find})`)).toBe(true);
  await browser.evaluate(`${find}.click()`);
}

it('mends the sample by an Edit that a person allows, and has it after a reload, and when it was left', async () => {
  await browser.open(demo.url);
  await click('One test fails');
  await expect.poll(shown).toContain('Allow Edit: src/format.ts?');
  await click('Allow once');
  await expect.poll(shown).toContain('All 23 tests pass.');
  const failed = `document.querySelectorAll('.rp-call[data-state=output-error]').length`;
  expect(await browser.evaluate(failed)).toBe(0);

  await browser.evaluate('document.body.replaceChildren(), location.reload()');
  await expect.poll(shown).toContain('All 23 tests pass.');

  // WebKit keeps a page that is left for another site's, and shows it again on the way back.
  const address = String(await browser.evaluate('location.href'));
  await browser.open('about:blank');
  await browser.open(address);
  await expectWorkspace();
  await browser.open('about:blank');
  await browser.evaluate('history.back()');
  await expect.poll(() => browser.evaluate('location.href')).toBe(address);
  await expectWorkspace();
});

async function expectWorkspace(): Promise<void> {
  await expect.poll(shown).toContain('All 23 tests pass.');
  await expect.poll(shown).toContain('idb-log, 12 files');
}
