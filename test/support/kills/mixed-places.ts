// A session that is moved between a tab in Node and a Durable Object, and everything that its readers are told.
import { openSession } from '../../../src/agent/open-session.ts';
import type { AgentSession, OpenedSession } from '../../../src/agent/agent-session.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import type { CanUseTool } from '../../../src/core/permissions/permission.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { connectSession } from '../../../src/wire/connect-session.ts';
import { fetchTicket } from '../../../src/wire/fetch-ticket.ts';
import { bringBack } from '../../../src/wire/handover/bring-back.ts';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { mixedReply } from './mixed-reply.ts';

export interface MixedPlaces extends AsyncDisposable {
  /** The session at the place where it is. */
  session(): AgentSession;
  readonly isInTab: boolean;
  move(): Promise<void>;
  /** Connects once more, as another page does. Only in the object. */
  connect(transport: 'socket' | 'events'): Promise<void>;
  /** What each reader was told so far. */
  readonly told: readonly (readonly SDKMessage[])[];
}

/** At first the session is in the object of that address, and empty. `onRequest`: called for each request of the tab. */
export async function openMixedPlaces(url: string, onRequest: () => void): Promise<MixedPlaces> {
  const host = await createInlineHost({ loadWasm: loadQuickjsWasm });
  const ticket = () => fetchTicket(url, {});
  const told: SDKMessage[][] = [];
  let tab: OpenedSession | undefined;
  const clients: AgentSession[] = [];

  function watch<Session extends AgentSession>(session: Session): Session {
    const seen: SDKMessage[] = [];
    told.push(seen);
    void (async () => {
      for await (const message of session.messages()) seen.push(message);
    })();
    return session;
  }

  async function connect(transport: 'socket' | 'events'): Promise<void> {
    clients.push(watch(await connectSession(url, { ticket, transport })));
  }

  await connect('socket');
  return {
    session: () => tab ?? (clients.at(-1) as AgentSession),
    get isInTab() {
      return tab !== undefined;
    },
    connect,
    told,
    async move() {
      if (tab) {
        clients.push(watch(await tab.moveTo(url, { ticket })));
        tab = undefined;
        return;
      }
      const { sessionId } = await bringBack(url, { host, ticket });
      const model = {
        name: 'claude-test',
        apiKeySource: 'none',
        contextWindow: 10_000_000,
        maxTokens: 1_000,
        async *stream({ messages }: Parameters<typeof mixedReply>[0]) {
          onRequest();
          yield* toEvents(mixedReply({ messages }));
        },
      } as const;
      const canUseTool: CanUseTool = async () => null;
      const allowedTools = ['Repl', 'Agent'];
      tab = watch(await openSession({ host, model, resume: sessionId, allowedTools, canUseTool }));
    },
    async [Symbol.asyncDispose]() {
      await tab?.close();
      for (const client of clients) await client.close();
      await host[Symbol.asyncDispose]();
    },
  };
}
