// What others feel of a clone in the git bench. The others are calls of Read and Grep, and the page
// itself, in real Chromium with a whole browser host.
import type {} from '../pages/git/page.ts';
import type { BenchRepository } from './make-repository.ts';
import { withGitBench } from './open-bench.ts';
import { serveRepository } from './serve-repository.ts';

const rounds = 3;

/** The metrics of one repository, each with `prefix` before its name. */
export async function measureBeside(
  repository: BenchRepository,
  prefix: string,
): Promise<Record<string, number>> {
  return withGitBench(serveRepository(repository, 'served'), async (tab) => {
    const delays: number[] = [];
    const blocked: number[] = [];
    const idle: number[] = [];
    // The first isn't counted: the server makes the pack, the browser compiles.
    for (let round = 0; round <= rounds; round += 1) {
      const figures = await tab.evaluate(
        (files) => window.gitBench?.measureBeside('served', files),
        repository.files,
      );
      if (!figures) throw new Error('The page is gone.');
      if (round === 0) continue;
      delays.push(...figures.delays);
      blocked.push(figures.blockedMs);
      idle.push(figures.idleBlockedMs);
    }
    return {
      [`${prefix}others_delay_p99_ms`]: percentile(delays, 0.99),
      [`${prefix}others_delay_p50_ms`]: percentile(delays, 0.5),
      [`${prefix}others_calls`]: delays.length,
      [`${prefix}page_blocked_ms`]: percentile(blocked, 0.5),
      [`${prefix}page_blocked_idle_ms`]: percentile(idle, 0.5),
    };
  });
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
