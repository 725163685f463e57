// The tests' page (page/agent-page.html) in a tab, as tests in Node drive it.
import type { BrowserContext, Page } from 'playwright';
import type { SerializedError } from 'rockpool';
import type { PageReport } from './page/agent-page.ts';
import type { Conversation } from './page/run-turns.ts';

export const agentPageFile = 'test/e2e/page/agent-page.html';

export interface AgentTab {
  readonly page: Page;
  /** Null when the host stands, else why it doesn't. */
  open(workspace: string): Promise<SerializedError | null>;
  run(conversation: Conversation): Promise<PageReport>;
  treeHash(): Promise<string>;
  /** Closes the workspace, which stays. The tab may open another, and ends with its context. */
  close(): Promise<void>;
}

/** Opens the page, with `prepare` done before it loads. */
export async function openAgentTab(
  context: BrowserContext,
  url: string,
  prepare: (page: Page) => Promise<unknown> = () => Promise.resolve(),
): Promise<AgentTab> {
  const page = await context.newPage();
  await prepare(page);
  await page.goto(url);
  await page.waitForFunction(() => window.agentPage !== undefined);
  return {
    page,
    open: (workspace) => page.evaluate((name) => window.agentPage!.open(name), workspace),
    run: (conversation) => page.evaluate((given) => window.agentPage!.run(given), conversation),
    treeHash: () => page.evaluate(() => window.agentPage!.treeHash()),
    close: () => page.evaluate(() => window.agentPage!.close()),
  };
}
