// The page of the end-to-end tests: one browser host, and conversations over it that a test in Node
// asks for. Opened by ../agent-tab.ts.
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import {
  createBrowserHost,
  toSerializedError,
  type BrowserHost,
  type SerializedError,
  type WorkspaceDriver,
} from 'rockpool/browser';
import { startHeartbeat } from '../../support/browser/heartbeat.ts';
import { runTurns, type Conversation, type Report } from './run-turns.ts';

export interface PageReport extends Report {
  /** The longest time in which the page could do nothing while the conversation ran. */
  readonly blockedMs: number;
}

/** What a test finds at `window.agentPage`. */
export interface AgentPage {
  /** Null when the host stands. */
  open(workspace: string, driver?: WorkspaceDriver): Promise<SerializedError | null>;
  /** What the workspace is kept on. */
  driver(): Promise<string>;
  run(conversation: Conversation): Promise<PageReport>;
  /** Pieces of the model's answers that have arrived since the last `run` began. */
  pieces: number;
  treeHash(): Promise<string>;
  /** The workspace stays, to be opened again. */
  close(): Promise<void>;
}

declare global {
  interface Window {
    agentPage?: AgentPage;
  }
}

let host: BrowserHost | undefined;

function opened(): BrowserHost {
  if (!host) throw new Error('The test has not opened a workspace.');
  return host;
}

const page: AgentPage = {
  pieces: 0,
  async open(workspace, driver) {
    try {
      const assets = { wasm: wasmUrl };
      host = await createBrowserHost({ workspace, assets, ...(driver && { driver }) });
      return null;
    } catch (error) {
      return toSerializedError(error);
    }
  },
  async run(conversation) {
    const heartbeat = startHeartbeat();
    page.pieces = 0;
    const report = await runTurns(opened(), conversation, () => void (page.pieces += 1));
    return { ...report, blockedMs: heartbeat.stop() };
  },
  driver: async () => (await opened().workspace.info()).driver,
  treeHash: () => opened().workspace.treeHash(),
  async close() {
    await opened()[Symbol.asyncDispose]();
    host = undefined;
  },
};
window.agentPage = page;
