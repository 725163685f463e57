// The tests' page (page/agent-page.html) in a tab, as tests in Node drive it.
import type { BrowserContext, Page } from 'playwright';
import type { SerializedError } from 'rockpool';
import type { WorkspaceDriver } from 'rockpool/browser';
import type { PageReport } from '../page/agent-page.ts';
import type { Conversation } from '../page/run-turns.ts';

export const agentPageFile = 'test/e2e/page/agent-page.html';

export interface AgentTab {
  readonly page: Page;
  /** Null when the host stands, else why it doesn't. */
  open(workspace: string, driver?: WorkspaceDriver): Promise<SerializedError | null>;
  driver(): Promise<string>;
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
    open: (workspace, driver) =>
      page.evaluate(([name, kind]) => window.agentPage!.open(name, kind), [
        workspace,
        driver,
      ] as const),
    driver: () => page.evaluate(() => window.agentPage!.driver()),
    run: (conversation) => page.evaluate((given) => window.agentPage!.run(given), conversation),
    treeHash: () => page.evaluate(() => window.agentPage!.treeHash()),
    close: () => page.evaluate(() => window.agentPage!.close()),
  };
}
