// The git bench's page in real Chromium, beside what is served to it. Used by the three measurements.
import type { Page } from 'playwright';
import { serveBuiltPage, type BuiltPageOptions } from '../../../scripts/serve-built-page.ts';
import type {} from '../pages/git/page.ts';
import { withTab } from '../repl/bench-page.ts';

/** `handle` serves what the page asks for beside itself. All of it is closed afterwards. */
export async function withGitBench<Result>(
  handle: NonNullable<BuiltPageOptions['handle']>,
  measure: (tab: Page) => Promise<Result>,
): Promise<Result> {
  const built = await serveBuiltPage({ page: 'test/bench/pages/git.html', handle });
  try {
    return await withTab(async (tab) => {
      await tab.goto(built.url);
      await tab.waitForFunction(() => window.gitBench !== undefined);
      return measure(tab);
    });
  } finally {
    await built.close();
  }
}
