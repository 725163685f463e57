// The stages of the workspace bench that work on the stored corpus of 10 000 files. Each measures
// the workspace and lightning-fs in turn, in one browser, and gives the metrics by their names.
import { corpusA, corpusPath, createCorpus } from '../pages/workspace/corpus.ts';
import type { BenchBrowser, BenchPage } from './bench-browser.ts';
import { median, percentile } from './statistics.ts';

/** Metrics by their names; null where something couldn't be measured. */
export type Figures = Record<string, number | null>;

/** What a stage found out, with sentences about what it couldn't. */
export interface Stage {
  readonly figures: Figures;
  readonly notes: readonly string[];
}

/** The workspace's name in every stage. */
export const workspaceName = 'corpus';
/** In the middle of the corpus, below its directory. */
const firstPath = corpusPath(5000);
const firstPaths = { ours: `/workspace/corpus/${firstPath}`, theirs: `/${firstPath}` };
/** What the pool reads: half of the corpus. */
const readFiles = 5000;

/** Ours, then theirs, on a profile where neither has anything yet. Milliseconds. */
export async function importBoth(
  browser: BenchBrowser,
): Promise<{ readonly ours: number; readonly theirs: number }> {
  const ours = await withPage(browser, async (page) => {
    await page.call('open', workspaceName);
    const ms = await page.call('importCorpus');
    await page.call('close');
    return ms;
  });
  const theirs = await withPage(browser, async (page) => {
    await page.call('openPeer', 'lightning-fs');
    const { ms, files } = await page.callPeer('importCorpus', 120_000);
    if (files !== corpusA.files) throw new Error(`lightning-fs imported ${files} files.`);
    return ms;
  });
  return { ours, theirs };
}

/** A new page each time, on a browser that was started since the corpus was written. */
export async function measureColdOpen(browser: BenchBrowser, rounds: number): Promise<Figures> {
  const both: number[] = [];
  const hosts: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await withPage(browser, async (page) => {
      const { hostMs, firstReadMs } = await page.call('open', workspaceName, firstPaths.ours);
      both.push((await page.call('openMs')) + firstReadMs);
      hosts.push(hostMs + firstReadMs);
      await page.call('close');
    });
    await withPage(browser, async (page) => {
      theirs.push(await page.call('openPeer', 'lightning-fs', firstPaths.theirs));
    });
  }
  return {
    cold_open_ms: median(both),
    cold_host_ms: median(hosts),
    lightning_fs_cold_open_ms: median(theirs),
  };
}

/** Before anything is written, because what is read is counted. */
export async function measureReads(browser: BenchBrowser, rounds: number): Promise<Figures> {
  const corpus = createCorpus(corpusA).slice(0, readFiles);
  const expected = corpus.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const check = <Read extends { readonly characters: number }>(read: Read): Read => {
    if (read.characters === expected) return read;
    throw new Error(`${read.characters} characters were read, not ${expected}.`);
  };
  const times = { cold: [] as number[], warm: [] as number[], theirs: [] as number[] };
  const sync = { cold: [] as number[], warm: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    await withPage(browser, async (page) => {
      await page.call('open', workspaceName);
      await page.call('restartToolWorker');
      const many = check(await page.call('readInPool', 'read-many', readFiles));
      times.cold.push(many.coldMs);
      times.warm.push(many.warmMs);
      await page.call('restartToolWorker');
      const each = check(await page.call('readInPool', 'read-sync', readFiles));
      sync.cold.push(each.coldMs);
      sync.warm.push(each.warmMs);
      await page.call('close');
    });
    await withPage(browser, async (page) => {
      await page.call('openPeer', 'lightning-fs');
      times.theirs.push(check(await page.callPeer('read', readFiles)).ms);
    });
  }
  const usPerFile = (ms: readonly number[]) => (median(ms) * 1000) / readFiles;
  const mbPerSecond = (ms: readonly number[]) => expected / 1000 / median(ms);
  return {
    pool_read_us_per_file: usPerFile(times.cold),
    pool_reread_us_per_file: usPerFile(times.warm),
    lightning_fs_read_us_per_file: usPerFile(times.theirs),
    sync_read_mb_s: mbPerSecond(sync.cold),
    sync_reread_mb_s: mbPerSecond(sync.warm),
  };
}

/** One page for ours and, after it, one for theirs. */
export async function measureWrites(browser: BenchBrowser): Promise<Figures> {
  const ours = await withPage(browser, async (page) => {
    await page.call('open', workspaceName);
    // Warm-ups, and every path is written once so that its version is known.
    await page.call('writeOneByOne', 200);
    await page.call('writeInBulk', 2, 320);
    const single = await page.call('writeOneByOne', 400);
    const bulk = await page.call('writeInBulk', 15, 320);
    await page.call('writeByTool', 50);
    const byTool = await page.call('writeByTool', 300);
    await page.call('lookElsewhere', 50);
    const elsewhere = await page.call('lookElsewhere', 500);
    const removed = await page.call('removeTrees', 5);
    await page.call('close');
    return {
      durable_write_p50_ms: median(single),
      durable_write_p99_ms: percentile(single, 99),
      durable_write_bulk_ms: median(bulk),
      tool_write_p50_ms: median(byTool.fromHandlerMs),
      tool_call_write_p50_ms: median(byTool.fromCallMs),
      visible_elsewhere_p50_ms: median(elsewhere),
      visible_elsewhere_p99_ms: percentile(elsewhere, 99),
      rm_tree_ms: median(removed),
    };
  });
  const theirs = await withPage(browser, async (page) => {
    await page.call('openPeer', 'lightning-fs', firstPaths.theirs);
    await page.callPeer('write', 5);
    return median(await page.callPeer('write', 30));
  });
  return { ...ours, lightning_fs_write_flush_p50_ms: theirs };
}

/** What a second tab's first read waits for while the first tab writes every 100 ms. */
export async function measureSecondTab(browser: BenchBrowser): Promise<Stage> {
  const notes: string[] = [];
  const ours: number[] = [];
  await withPage(browser, async (first) => {
    await first.call('open', workspaceName);
    for (let round = 0; round < 5; round += 1) {
      const writing = first.call('keepWriting', 1500);
      await withPage(browser, async (second) => {
        try {
          const { hostMs, firstReadMs } = await second.call('open', workspaceName, firstPaths.ours);
          ours.push(hostMs + firstReadMs);
        } catch (error) {
          notes.push(`second_tab_first_read_ms: a second tab got: ${firstLine(error)}`);
        }
      });
      await writing;
    }
    await first.call('close');
  });
  const theirs = await withPage(browser, async (first) => {
    await first.call('openPeer', 'lightning-fs', firstPaths.theirs);
    const writing = first.callPeer('keepWriting', 3000);
    const ms = await withPage(browser, (second) =>
      second.call('openPeer', 'lightning-fs', firstPaths.theirs),
    );
    await writing;
    return ms;
  });
  const figures = {
    second_tab_first_read_ms: ours.length > 0 ? median(ours) : null,
    lightning_fs_second_tab_first_read_ms: theirs,
  };
  return { figures, notes };
}

/** Last of all: nothing of theirs is left. */
export async function measureTheirRemoval(browser: BenchBrowser): Promise<Figures> {
  return withPage(browser, async (page) => {
    await page.call('openPeer', 'lightning-fs', firstPaths.theirs);
    return { lightning_fs_rm_tree_ms: await page.callPeer('removeTree') };
  });
}

/** A page of its own, closed whatever happens. */
export async function withPage<Result>(
  browser: BenchBrowser,
  work: (page: BenchPage) => Promise<Result>,
): Promise<Result> {
  const page = await browser.openPage();
  try {
    return await work(page);
  } finally {
    await page.close();
  }
}

/** An error as a note tells it. */
export function firstLine(error: unknown): string {
  const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
  return line.replace(/^page\.evaluate: /u, '');
}
