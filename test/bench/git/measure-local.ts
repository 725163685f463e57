// The local half of the git bench: status, commit and switch in real Chromium, beside stock isomorphic-git
// on a draft of the same workspace.
import { serveBuiltPage } from '../../../scripts/serve-built-page.ts';
import type { LocalFigures } from '../pages/git/local.worker.ts';
import type {} from '../pages/git/page.ts';
import { withTab } from '../repl/bench-page.ts';
import { readGitDirectory, type BenchRepository } from './make-repository.ts';

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
  const built = await serveBuiltPage({
    page: 'test/bench/pages/git.html',
    handle(path, _request, response) {
      const content = served.get(path);
      if (content === undefined) return false;
      response.setHeader('content-type', 'application/octet-stream').end(content);
      return true;
    },
  });
  try {
    return await withTab(async (tab) => {
      await tab.goto(built.url);
      await tab.waitForFunction(() => window.gitBench !== undefined);
      const figures = await tab.evaluate(() => window.gitBench?.measureLocal('repository'));
      if (!figures) throw new Error('The page is gone.');
      return toMetrics(figures, prefix);
    });
  } finally {
    await built.close();
  }
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
