// What an open workspace costs of memory: the renderer's resident bytes with a page that has it open,
// over those with an empty page. Each in a browser of its own, because a renderer gives little back.
import { setTimeout } from 'node:timers/promises';
import { launchBrowser, type BenchBrowser, type BenchProfile } from './bench-browser.ts';
import { workspaceName, type Figures } from './measure-storage.ts';

/** The profile holds the corpus: ours and that of lightning-fs. */
export async function measureMemory(profile: BenchProfile, url: string): Promise<Figures> {
  const inBrowser = async (load: (browser: BenchBrowser) => Promise<void>) => {
    const browser = await launchBrowser(profile, url, { collects: true });
    try {
      await load(browser);
      return await settledBytes(browser);
    } finally {
      await browser.close();
    }
  };
  const withWorkspace = (name: string, { callsTool = false } = {}) =>
    inBrowser(async (browser) => {
      const page = await browser.openOnlyPage();
      await page.call('open', name);
      if (callsTool) await page.call('callTool');
      await page.call('collect');
    });
  const withPeer = (name: 'lightning-fs' | 'memfs') =>
    inBrowser(async (browser) => {
      const page = await browser.openOnlyPage();
      await page.call('openPeer', name);
      // lightning-fs reads its names with the first operation; memfs has nothing but memory.
      if (name === 'memfs') await page.callPeer('importCorpus', 60_000);
      else await page.callPeer('read', 1);
      await page.call('collect');
    });
  const empty = await inBrowser((browser) => browser.openEmptyPage());
  const over = (bytes: number | null) =>
    bytes === null || empty === null ? null : (bytes - empty) / 1_000_000;
  return {
    rss_mb: over(await withWorkspace(workspaceName)),
    rss_with_tool_worker_mb: over(await withWorkspace(workspaceName, { callsTool: true })),
    rss_without_files_mb: over(await withWorkspace('nothing')),
    lightning_fs_rss_mb: over(await withPeer('lightning-fs')),
    memfs_rss_mb: over(await withPeer('memfs')),
  };
}

// 1.8 s without a change: an empty page's renderer, too, goes on growing for up to 2.5 s by 30 MB, which
// the least of the first readings had put down to the workspace in some runs and not in others.
const settledReadings = 6;
const maxReadings = 40;

/** What it comes to rest at. */
async function settledBytes(browser: BenchBrowser): Promise<number | null> {
  let settled = browser.rendererBytes();
  for (let reading = 0, same = 0; reading < maxReadings && same < settledReadings; reading += 1) {
    await setTimeout(300);
    const bytes = browser.rendererBytes();
    if (bytes === null || settled === null) return null;
    same = Math.abs(bytes - settled) < 500_000 ? same + 1 : 0;
    settled = bytes;
  }
  return settled;
}
