// The page of ../killed-sessions.node.test.ts: a tab in which a session runs over OPFS until its browser is
// killed, or until it is done.
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { createBrowserHost } from 'rockpool/browser';
import { killedConversations } from '../../support/kills/killed-conversations.ts';
import type { ConversationName, KilledEnding } from '../../support/kills/killed-conversations.ts';

/** What a test finds at `window.sessionPage`. */
export interface SessionPage {
  /** Opens the workspace, goes on with its session, or begins it, and gives how it has ended. */
  finish(workspace: string, conversation: ConversationName): Promise<KilledEnding>;
}

declare global {
  interface Window {
    sessionPage?: SessionPage;
    /** Given by the test. Resolve once the test has heard it. */
    moved?: (callId: string) => Promise<void>;
    asked?: (requestId: string) => Promise<void>;
    landed?: (length: number) => Promise<void>;
    requested?: () => Promise<void>;
    opened?: () => Promise<void>;
    over?: () => Promise<void>;
  }
}

window.sessionPage = {
  async finish(workspace, conversation) {
    const host = await createBrowserHost({ workspace, assets: { wasm: wasmUrl } });
    const { driver } = await host.workspace.info();
    if (driver !== 'opfs-log') throw new Error(`The workspace is kept by ${driver}.`);
    let hasAsked = false;
    const ending = await killedConversations[conversation].finish(host, {
      // The first alone: with each of them slower, the cell in the background would end in another step.
      request() {
        const isFirst = !hasAsked;
        hasAsked = true;
        return isFirst ? window.requested?.() : undefined;
      },
      opened: () => window.opened?.(),
      over: () => window.over?.(),
      move: (callId) => window.moved?.(callId),
      ask: (requestId) => window.asked?.(requestId),
      landed: (length) => void window.landed?.(length),
    });
    await host[Symbol.asyncDispose]();
    return ending;
  },
};
