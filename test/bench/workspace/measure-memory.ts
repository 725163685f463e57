// What an open workspace costs of memory: the renderer's resident bytes with a page that has it open,
// over those with an empty page. Each in a browser of its own, because a renderer gives little back.
import { setTimeout } from 'node:timers/promises';
import { launchBrowser, type BenchBrowser, type BenchProfile } from './bench-browser.ts';
import { workspaceName, type Stage } from './measure-storage.ts';

/** The profile holds the corpus: ours and that of lightning-fs. */
export async function measureMemory(profile: BenchProfile, url: string): Promise<Stage> {
  const unsettled: string[] = [];
  const inBrowser = async (name: string, load: (browser: BenchBrowser) => Promise<void>) => {
    const browser = await launchBrowser(profile, url, { collects: true });
    try {
      await load(browser);
      const bytes = await settledBytes(browser);
      if (bytes === null) unsettled.push(name);
      return bytes;
    } finally {
      await browser.close();
    }
  };
  const withWorkspace = (metric: string, name: string, { callsTool = false } = {}) =>
    inBrowser(metric, async (browser) => {
      const page = await browser.openOnlyPage();
      await page.call('open', name);
      if (callsTool) await page.call('callTool');
      await page.call('collect');
    });
  const withPeer = (metric: string, name: 'lightning-fs' | 'memfs') =>
    inBrowser(metric, async (browser) => {
      const page = await browser.openOnlyPage();
      await page.call('openPeer', name);
      // lightning-fs reads its names with the first operation; memfs has nothing but memory.
      if (name === 'memfs') await page.callPeer('importCorpus', 60_000);
      else await page.callPeer('read', 1);
      await page.call('collect');
    });
  const empty = await inBrowser('the empty page', (browser) => browser.openEmptyPage());
  const over = (bytes: number | null) =>
    bytes === null || empty === null ? null : (bytes - empty) / 1_000_000;
  const figures = {
    rss_mb: over(await withWorkspace('rss_mb', workspaceName)),
    rss_with_tool_worker_mb: over(
      await withWorkspace('rss_with_tool_worker_mb', workspaceName, { callsTool: true }),
    ),
    rss_without_files_mb: over(await withWorkspace('rss_without_files_mb', 'nothing')),
    lightning_fs_rss_mb: over(await withPeer('lightning_fs_rss_mb', 'lightning-fs')),
    memfs_rss_mb: over(await withPeer('memfs_rss_mb', 'memfs')),
  };
  const seconds = (maxReadings * readingMs) / 1000;
  const notes = unsettled.map(
    (name) =>
      `memory, ${name}: not measured, because there is no /proc here, or the renderer's memory ` +
      `went on changing for ${seconds} s.`,
  );
  return { figures, notes };
}

// 1.8 s without a change. An empty page's renderer, too, goes on growing for up to 2.5 s by 30 MB.
// The least of the first readings had put that down to the workspace in some runs and not in
// others.
const settledReadings = 6;
const readingMs = 300;
const maxReadings = 40;

/** What it comes to rest at. Null: it doesn't, or the system doesn't tell. */
async function settledBytes(browser: BenchBrowser): Promise<number | null> {
  let last = browser.rendererBytes();
  for (let reading = 0, same = 0; reading < maxReadings; reading += 1) {
    await setTimeout(readingMs);
    const bytes = browser.rendererBytes();
    if (bytes === null || last === null) return null;
    same = Math.abs(bytes - last) < 500_000 ? same + 1 : 0;
    if (same === settledReadings) return bytes;
    last = bytes;
  }
  return null;
}
