// One workspace in two real tabs. One is closed, crashes or is frozen while both write, and the
// other goes on with everything that was acknowledged.
import type { BrowserContext, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { serveBuiltPage, type BuiltPage } from '../../../scripts/serve-built-page.ts';
import { it } from '../chromium.ts';

let served: BuiltPage;
let context: BrowserContext;

beforeAll(async () => {
  served = await serveBuiltPage({ page: 'test/e2e/page/tab-page.html' });
});

afterAll(() => served.close());

it.beforeEach(async ({ browser }) => {
  context = await browser.newContext();
});

afterEach(() => context.close());

async function openPage(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(served.url);
  await page.waitForFunction(() => window.tabPage !== undefined);
  return page;
}

/** A tab with the workspace open. */
async function openTab(workspace: string): Promise<Page> {
  const page = await openPage();
  await page.evaluate((name) => window.tabPage!.open(name), workspace);
  return page;
}

const roleOf = (page: Page) => page.evaluate(() => window.tabPage!.role());
const acknowledgedBy = (page: Page) => page.evaluate(() => window.tabPage!.acknowledged);

/** As if another tab had been brought to the front. */
async function setHidden(page: Page): Promise<void> {
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
    document.dispatchEvent(new Event('visibilitychange'));
  });
}

async function keepWriting(page: Page, prefix: string): Promise<void> {
  await page.evaluate((given) => window.tabPage!.keepWriting(given, 5), prefix);
  await page.waitForFunction(() => window.tabPage!.acknowledged.length >= 20);
}

async function untilLeader(page: Page): Promise<void> {
  while ((await roleOf(page)) !== 'leader') await page.waitForTimeout(20);
}

/** Once the tab leads, it writes, and all that was acknowledged is there. */
async function requireAll(page: Page, others: readonly string[]): Promise<void> {
  await untilLeader(page);
  await page.evaluate(() => window.tabPage!.write('after'));
  const own = await acknowledgedBy(page);
  const names = new Set(await page.evaluate(() => window.tabPage!.names()));
  expect([...own, ...others].filter((name) => !names.has(name))).toEqual([]);
  expect(await page.evaluate(() => window.tabPage!.failures)).toEqual([]);
}

describe('two tabs of one workspace', () => {
  it('the second leads, and has all that was acknowledged, when the first is closed', async () => {
    const [first, second] = [await openTab('closed'), await openTab('closed')];
    expect([await roleOf(first), await roleOf(second)]).toEqual(['leader', 'follower']);
    await Promise.all([keepWriting(first, 'first'), keepWriting(second, 'second')]);
    const before = await acknowledgedBy(first);
    await first.close();
    await requireAll(second, before);
  });

  it('the second leads, and has all that was acknowledged, when the first crashes', async () => {
    const [first, second] = [await openTab('crashed'), await openTab('crashed')];
    await Promise.all([keepWriting(first, 'first'), keepWriting(second, 'second')]);
    const before = await acknowledgedBy(first);
    const crashed = first.waitForEvent('crash');
    const session = await context.newCDPSession(first);
    void session.send('Page.crash').catch(() => {});
    await crashed;
    await requireAll(second, before);
  });

  it('the first hands over when it is hidden, and both go on', async () => {
    const [first, second] = [await openTab('hidden'), await openTab('hidden')];
    await Promise.all([keepWriting(first, 'first'), keepWriting(second, 'second')]);
    await setHidden(first);
    await requireAll(second, await acknowledgedBy(first));
    await first.evaluate(() => window.tabPage!.write('from a follower'));
    expect(await roleOf(first)).toBe('follower');
    await requireAll(second, await acknowledgedBy(first));
  });

  it('the second takes the lead from a first that stands still, which follows when it goes on', async () => {
    const [first, second] = [await openTab('still'), await openTab('still')];
    await Promise.all([keepWriting(first, 'first'), keepWriting(second, 'second')]);
    const worker = first.workers().find((candidate) => candidate.url().includes('fs.worker'));
    // As when the tab is frozen: the FS worker does nothing more, and keeps its locks. Chromium
    // doesn't freeze a headless tab when it is told to.
    const begun = performance.now();
    const still = worker?.evaluate(() => {
      const { buffer } = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
      Atomics.wait(new Int32Array(buffer), 0, 0, 6000);
    });
    await untilLeader(second);
    console.log(`took the lead after ${Math.round(performance.now() - begun)} ms`);
    await requireAll(second, await acknowledgedBy(first));
    await still;
    await first.evaluate(() => window.tabPage!.write('thawed'));
    await requireAll(second, await acknowledgedBy(first));
    expect(await first.evaluate(() => window.tabPage!.failures)).toEqual([]);
    expect(await roleOf(first)).toBe('follower');
  });

  it('reads in the second while the first writes every 100 ms', async () => {
    const first = await openTab('busy');
    await first.evaluate(() => window.tabPage!.write('there'));
    await first.evaluate(() => window.tabPage!.keepWriting('first', 100));
    const reads: { text: string; durationMs: number }[] = [];
    for (let round = 0; round < 5; round += 1) {
      const second = await openPage();
      reads.push(await second.evaluate(() => window.tabPage!.firstRead('busy', 'there')));
      await second.close();
    }
    const times = reads.map(({ durationMs }) => Math.round(durationMs));
    console.log(`second_tab_first_read_ms, with the start of its workers: ${times.join(' ')}`);
    expect(reads.map(({ text }) => text)).toEqual(Array.from(reads, () => 'there'));
  });
});
