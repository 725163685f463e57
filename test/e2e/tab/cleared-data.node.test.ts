// A person clears the site's data while a tab has a workspace open. The browser removes the files, and their open
// handles still take what is written.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { serveBuiltPage, type BuiltPage } from '../../../scripts/serve-built-page.ts';
import { it, launchOnProfile, type ProfileBrowser } from '../chromium.ts';

let served: BuiltPage;
let profile: string;
let own: ProfileBrowser;

const cleared =
  "EIO: this site's data was cleared while the workspace was open: nothing more is kept. " +
  'Save elsewhere what you still need, and reload the page.';

beforeAll(async () => {
  served = await serveBuiltPage({ page: 'test/e2e/page/tab-page.html' });
  // A context of its own would keep its files in memory alone.
  profile = await mkdtemp(join(tmpdir(), 'cleared-'));
  own = await launchOnProfile(profile);
});

afterAll(async () => {
  await own.kill();
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

async function openTab(context: BrowserContext, workspace: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(served.url);
  await page.waitForFunction(() => window.tabPage !== undefined);
  await page.evaluate((name) => window.tabPage!.open(name), workspace);
  return page;
}

async function clear(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  const { origin } = new URL(served.url);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
}

const namesIn = (page: Page) => page.evaluate(() => window.tabPage!.names());

describe('a workspace whose site is cleared', () => {
  it('acknowledges nothing that would be gone with the page', async () => {
    const page = await openTab(own.context, 'cleared');
    expect(await write(page, 'before')).toBeUndefined();
    await clear(own.context, page);
    await expect.poll(() => write(page, 'after')).toBe(cleared);
    // What is there can still be read, and so be saved elsewhere.
    expect(await namesIn(page)).toContain('before');
  });

  it('begins anew in the tab that is reloaded, and tells the others to', async () => {
    // Opened again: what begins anew counts from before where these tabs are.
    await (await openTab(own.context, 'two')).close();
    const first = await openTab(own.context, 'two');
    const second = await openTab(own.context, 'two');
    expect(await write(second, 'before')).toBeUndefined();
    await clear(own.context, first);
    await expect.poll(() => write(second, 'after')).toBe(cleared);
    await first.close();
    const again = await openTab(own.context, 'two');
    expect(await write(again, 'new')).toBeUndefined();
    expect(await namesIn(again)).toEqual(['new']);
    expect(await write(second, 'late')).toBe(cleared);
    expect(await namesIn(second)).toContain('before');
    expect(await namesIn(again)).toEqual(['new']);
  });

  it('answers in a private window, whose files go at once', async ({ browser }) => {
    const context = await browser.newContext();
    const page = await openTab(context, 'private');
    expect(await write(page, 'before')).toBeUndefined();
    await clear(context, page);
    await expect.poll(() => write(page, 'after')).toBe(cleared);
    await context.close();
  });
});
