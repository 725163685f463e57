// The local half of the git bench: status, commit and switch in real Chromium, beside stock isomorphic-git
// on a draft of the same workspace.
import type { LocalFigures } from '../pages/git/local.worker.ts';
import type {} from '../pages/git/page.ts';
import { readGitDirectory, type BenchRepository } from './make-repository.ts';
import { withGitBench } from './open-bench.ts';

/** The metrics of one repository, each with `prefix` before its name. */
export async function measureLocal(
  repository: BenchRepository,
  prefix: string,
): Promise<Record<string, number>> {
  const files = readGitDirectory(repository);
  const served = new Map<string, string | Uint8Array>([
    ['repository.json', JSON.stringify(files.map(({ path, bytes }) => [path, bytes.length]))],
    ['repository.bin', Buffer.concat(files.map(({ bytes }) => bytes))],
  ]);
  const handle: Parameters<typeof withGitBench>[0] = (path, _request, response) => {
    const content = served.get(path);
    if (content === undefined) return false;
    response.setHeader('content-type', 'application/octet-stream').end(content);
    return true;
  };
  return withGitBench(handle, async (tab) => {
    const figures = await tab.evaluate(() => window.gitBench?.measureLocal('repository'));
    if (!figures) throw new Error('The page is gone.');
    return toMetrics(figures, prefix);
  });
}

function toMetrics(figures: LocalFigures, prefix: string): Record<string, number> {
  return {
    [`${prefix}status_ms`]: figures.statusMs,
    [`${prefix}status_reopened_ms`]: figures.statusReopenedMs,
    [`${prefix}commit_ms`]: figures.commitMs,
    [`${prefix}switch_100_ms`]: figures.switchMs,
    [`${prefix}checkout_ms`]: figures.checkoutMs,
    [`${prefix}first_status_ms`]: figures.firstStatusMs,
    [`stock_${prefix}status_ms`]: figures.stockStatusMs,
    [`stock_${prefix}commit_ms`]: figures.stockCommitMs,
    [`stock_${prefix}checkout_ms`]: figures.stockCheckoutMs,
  };
}
