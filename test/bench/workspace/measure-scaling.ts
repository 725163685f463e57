// The stages of the workspace bench that need no stored corpus. They are drafts in memory, writes
// in larger and larger workspaces, and the peers that keep nothing or don't finish.
import { corpusA } from '../pages/workspace/corpus.ts';
import type { BenchBrowser } from './bench-browser.ts';
import { withPage, type Figures, type Stage } from './measure-storage.ts';
import { median } from './statistics.ts';

export async function measureDrafts(browser: BenchBrowser): Promise<Figures> {
  return withPage(browser, async (page) => {
    // Warm-up: the first rounds run code that isn't compiled yet.
    const { forkUs, changeMs, diffMs } = await page.call('measureDrafts', 25);
    return {
      fork_us: median(forkUs.slice(5)),
      change_1k_ms: median(changeMs.slice(5)),
      diff_1k_ms: median(diffMs.slice(5)),
    };
  });
}

export async function measureGrowth(browser: BenchBrowser): Promise<Figures> {
  return withPage(browser, async (page) => {
    const options = { sizes: [1000, 10_000, 100_000], flatSize: 50_000, warmUp: 50, rounds: 250 };
    const { bySize, flat, importMs } = await page.call('measureGrowth', options);
    const medians = new Map(bySize.map(([files, times]) => [files, median(times)]));
    const at = (files: number) => medians.get(files) ?? Number.NaN;
    return {
      write_growth: at(100_000) / at(1000),
      write_at_1k_files_ms: at(1000),
      write_at_10k_files_ms: at(10_000),
      write_at_100k_files_ms: at(100_000),
      flat_dir_write_ms: median(flat),
      import_100k_files_ms: importMs[2] ?? Number.NaN,
      import_50k_in_one_directory_ms: importMs[3] ?? Number.NaN,
    };
  });
}

/** memfs, which keeps all in memory, and ZenFS on IndexedDB, which is given a minute. */
export async function measureOtherPeers(browser: BenchBrowser): Promise<Stage> {
  const files = 5000;
  const memfs = await withPage(browser, async (page): Promise<Figures> => {
    await page.call('openPeer', 'memfs');
    const imported = await page.callPeer('importCorpus', 60_000);
    const read = await page.callPeer('read', files);
    const sync = await page.callPeer('readSync', files);
    await page.callPeer('write', 50);
    const written = await page.callPeer('write', 500);
    return {
      memfs_import_ms: imported.ms,
      memfs_read_us_per_file: (read.ms * 1000) / files,
      memfs_sync_read_mb_s: sync.characters / 1000 / sync.ms,
      memfs_write_p50_ms: median(written),
      memfs_rm_tree_ms: await page.callPeer('removeTree'),
    };
  });
  const limitMs = 60_000;
  const zenfs = await withPage(browser, async (page) => {
    await page.call('openPeer', 'zenfs');
    return page.callPeer('importCorpus', limitMs);
  });
  const isWhole = zenfs.files === corpusA.files;
  return {
    figures: { ...memfs, zenfs_import_ms: isWhole ? zenfs.ms : null },
    notes: isWhole
      ? []
      : [
          `zenfs_import_ms: ZenFS on IndexedDB did not finish: ${zenfs.files} of ` +
            `${corpusA.files} files in ${limitMs / 1000} s.`,
        ],
  };
}
