// A person clears the site's data while a tab has a workspace open. The browser removes the files, and their open
// handles still take what is written.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveBuiltPage, type BuiltPage } from '../../scripts/serve-built-page.ts';
import { launchOnProfile, type ProfileBrowser } from './chromium.ts';

let served: BuiltPage;
let profile: string;
let browser: ProfileBrowser;

beforeAll(async () => {
  served = await serveBuiltPage({ page: 'test/e2e/page/tab-page.html' });
  // A context of its own would keep its files in memory alone.
  profile = await mkdtemp(join(tmpdir(), 'cleared-'));
  browser = await launchOnProfile(profile);
});

afterAll(async () => {
  await browser.kill();
  await served.close();
  await rm(profile, { recursive: true, force: true });
});

/** Why it wasn't acknowledged; undefined where it was. */
const write = (page: Page, name: string) =>
  page.evaluate(
    (named) =>
      window.tabPage!.write(named).then(
        () => undefined,
        (error: Error) => error.message,
      ),
    name,
  );

describe('a workspace whose site is cleared', () => {
  it('acknowledges nothing that would be gone with the page', async () => {
    const page = await browser.context.newPage();
    await page.goto(served.url);
    await page.waitForFunction(() => window.tabPage !== undefined);
    await page.evaluate(() => window.tabPage!.open('cleared'));
    expect(await write(page, 'before')).toBeUndefined();

    const session = await browser.context.newCDPSession(page);
    const { origin } = new URL(served.url);
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    await expect
      .poll(() => write(page, 'after'))
      .toBe(
        "EIO: this site's data was cleared while the workspace was open: nothing more is kept. " +
          'Save elsewhere what you still need, and reload the page.',
      );
    // What is there can still be read, and so be saved elsewhere.
    expect(await page.evaluate(() => window.tabPage!.names())).toContain('before');
  });
});
