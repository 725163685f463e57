// The remote half of the git bench. It makes clones of depth 1 in real Chromium, by our git and by
// stock isomorphic-git in turn. It measures what memory a clone of ours takes, too.
import { readFileSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright';
import type {} from '../pages/git/page.ts';
import type { BenchRepository } from './make-repository.ts';
import { withGitBench } from './open-bench.ts';
import { serveRepository } from './serve-repository.ts';

const rounds = 3;

/** The metrics of one repository, each with `prefix` before its name. */
export async function measureClone(
  repository: BenchRepository,
  prefix: string,
): Promise<Record<string, number>> {
  return withGitBench(serveRepository(repository, 'served'), async (tab) => {
    const run = async (kind: 'ours' | 'stock') => {
      const elapsed = await tab.evaluate(
        ([which, files]) => window.gitBench?.clone(which, 'served', files),
        [kind, repository.files] as const,
      );
      if (elapsed === undefined) throw new Error('The page is gone.');
      return elapsed;
    };
    // Not counted: the server makes the pack, the browser compiles.
    await run('ours');
    const peakBytes = await measurePeak(tab, () => run('ours'));
    const ours: number[] = [];
    const stock: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      ours.push(await run('ours'));
      stock.push(await run('stock'));
    }
    return {
      [`${prefix}clone_ms`]: median(ours),
      [`stock_${prefix}clone_ms`]: median(stock),
      [`${prefix}clone_vs_stock`]: median(stock) / median(ours),
      [`${prefix}clone_peak_mb`]: peakBytes / 1e6,
    };
  });
}

/** The most that the page's process held, all that it holds anyway included. By /proc, so on Linux only. */
async function measurePeak(tab: Page, work: () => Promise<unknown>): Promise<number> {
  const session = await tab.context().browser()?.newBrowserCDPSession();
  if (!session) throw new Error('The browser is gone.');
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const ids = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
  const readPeak = (id: number) => {
    const status = readFileSync(`/proc/${id}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB$/mu.exec(status)?.[1]) * 1024;
  };
  // Peaks are counted from here on.
  for (const id of ids) writeFileSync(`/proc/${id}/clear_refs`, '5');
  await work();
  return Math.max(...ids.map(readPeak));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
