// The journal in real Chromium, on OPFS. The bench measures what an entry takes, and how long a
// session of 10 000 takes to come back in a fresh page.
import type { Page } from 'playwright';
import { serveBuiltPage } from '../../../scripts/serve-built-page.ts';
import type { JournalEntry } from '../../../src/core/session/journal.ts';
import { isolatingHeaders } from '../../support/browser/isolating-headers.ts';
// Declares window.loopBench.
import type {} from '../pages/loop/page.ts';
import { withTab } from '../repl/bench-page.ts';
import { median } from '../workspace/statistics.ts';

const rounds = 5;
const flushed = 300;

/** In milliseconds. */
export interface JournalTimes {
  /** One append after the other, until each is in the system's hands: the mean. */
  readonly entryMs: number;
  /** The same, until it is flushed: the median. */
  readonly flushedEntryMs: number;
  /** Until the first kept message is there, and until all are: medians. */
  readonly resumeMs: number;
  readonly resumeAllMs: number;
  /** From a prompt to its first request, in a session that was resumed: the median. */
  readonly resumeRequestMs: number;
}

/** `entries`: a session's, from its first on to the end of a turn. */
export async function measureJournal(
  sessionId: string,
  entries: readonly JournalEntry[],
): Promise<JournalTimes> {
  const built = await serveBuiltPage({
    page: 'test/bench/pages/loop.html',
    headers: isolatingHeaders,
  });
  try {
    return await withTab(async (tab) => {
      await openPage(tab, built.url);
      const append = (durability: 'process' | 'power', count: number) =>
        tab.evaluate(([given, how]) => window.loopBench!.append('journal', given, how), [
          entries.slice(0, count),
          durability,
        ] as const);
      const written = await append('process', entries.length);
      const flushedToo = await append('power', flushed);
      await tab.evaluate(([id, given]) => window.loopBench!.keep(id, given), [
        sessionId,
        entries,
      ] as const);
      await closePage(tab);
      const resumed = [];
      for (let round = 0; round < rounds; round += 1) {
        await openPage(tab, built.url);
        resumed.push(
          await tab.evaluate(([id, last]) => window.loopBench!.resume(id, last), [
            sessionId,
            entries.length,
          ] as const),
        );
        await closePage(tab);
      }
      return {
        entryMs: mean(written),
        flushedEntryMs: median(flushedToo),
        resumeMs: median(resumed.map(({ firstMs }) => firstMs)),
        resumeAllMs: median(resumed.map(({ allMs }) => allMs)),
        resumeRequestMs: median(resumed.map(({ requestMs }) => requestMs)),
      };
    });
  } finally {
    await built.close();
  }
}

/** A page of its own each time: nothing of the one before is left. */
async function openPage(tab: Page, url: string): Promise<void> {
  await tab.goto(url);
  await tab.waitForFunction(() => window.loopBench !== undefined);
  const driver = await tab.evaluate(() => window.loopBench!.open());
  if (driver !== 'opfs-log') throw new Error(`The workspace is kept by ${driver}.`);
}

function closePage(tab: Page): Promise<void> {
  return tab.evaluate(() => window.loopBench!.close());
}

function mean(times: readonly number[]): number {
  return times.reduce((sum, ms) => sum + ms, 0) / times.length;
}
