// Conversations at random over a host that everything happens to. The FS worker is terminated. Tool
// workers are terminated, fall silent, crash and speak nonsense, and their messages are lost and
// held back. Calls are refused and turns interrupted. The tab is hidden and stands still.
// CHAOS_MINUTES=10 makes it a slow lane, and CHAOS_SEED=… goes the same way again, as far as
// threads allow.
import type { CDPSession, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { serveBuiltPage, type BuiltPage } from '../../../scripts/serve-built-page.ts';
import { createRandom } from '../../support/random.ts';
import { it } from '../chromium.ts';
import type { ChaosOptions } from '../page/chaos-page.ts';

const seed = Number(process.env['CHAOS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const minutes = Number(process.env['CHAOS_MINUTES'] ?? 0);
// 5: some six seconds on two cores.
const length = minutes > 0 ? { minutes } : { turns: 5 };
/** It has really struck, and something was done all the same. */
const wantedBlows = ['tool worker terminated', 'FS worker terminated', 'interrupted'];
const wantedOutcomes = ['Echo done', 'Write done'];

let served: BuiltPage;

beforeAll(async () => {
  served = await serveBuiltPage({ page: 'test/e2e/page/chaos-page.html' });
});

afterAll(() => served.close());

/** As if another tab had been brought to the front, or this one again. */
async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(
    (value) => {
      Object.defineProperty(document, 'visibilityState', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    },
    isHidden ? 'hidden' : 'visible',
  );
}

/** Chromium freezes no headless tab when it is told to, so the page also stands still by itself. */
async function freeze(page: Page, session: CDPSession, forMs: number): Promise<void> {
  await session.send('Page.setWebLifecycleState', { state: 'frozen' });
  await page.evaluate((ms) => {
    for (const end = performance.now() + ms; performance.now() < end;);
  }, forMs);
  await session.send('Page.setWebLifecycleState', { state: 'active' });
}

/** Until the conversation is over. */
async function disturb(page: Page, isOver: () => boolean): Promise<void> {
  const random = createRandom(seed);
  const session = await page.context().newCDPSession(page);
  while (!isOver()) {
    await page.waitForTimeout(random.below(1000));
    if (isOver()) return;
    if (random.chance(0.5)) await freeze(page, session, random.below(500));
    else {
      await setHidden(page, true);
      await page.waitForTimeout(random.below(300));
      await setHidden(page, false);
    }
  }
}

describe('a host that everything happens to', () => {
  it(
    'settles every call once, loses no acknowledged write and leaks no worker',
    { timeout: 600_000 + minutes * 240_000 },
    async ({ browser }) => {
      console.log(`CHAOS_SEED=${seed}`);
      const page = await browser.newPage();
      await page.goto(served.url);
      await page.waitForFunction(() => window.chaos !== undefined);
      let isOver = false;
      const wanted = [...wantedBlows, ...wantedOutcomes];
      const options: ChaosOptions = { seed, wanted, ...length };
      const running = page
        .evaluate((given) => window.chaos!.run(given), options)
        .finally(() => (isOver = true));
      const [report] = await Promise.all([running, disturb(page, () => isOver)]);
      const { turns, outcomes, blows, acknowledgedLines, longestTurnMs } = report;
      console.log(
        JSON.stringify({ turns, ...outcomes, ...blows, acknowledgedLines, longestTurnMs }),
      );
      expect(report).toMatchObject({
        unsettled: [],
        unanswered: 0,
        lostWrites: [],
        badLines: [],
        leakedWorkers: 0,
        lastAnswer: expect.stringContaining('echo'),
      });
      if ('turns' in length) expect(turns).toBeGreaterThanOrEqual(length.turns);
      for (const blow of wantedBlows) expect(blows[blow], blow).toBeGreaterThan(0);
      for (const outcome of wantedOutcomes) {
        expect(outcomes[outcome], outcome).toBeGreaterThan(0);
      }
      expect(acknowledgedLines).toBeGreaterThan(0);
      // The FS worker, the pool's two, and the spare.
      expect(report.mostWorkers).toBeLessThanOrEqual(4);
      await page.close();
    },
  );
});
