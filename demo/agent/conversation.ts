// One conversation with the agent: the kit's session over a query of this page. It ends, and a new one
// begins, when the project or the model changes.
import { createTimeline, query, SdkError } from 'rockpool/browser';
import type {
  BrowserHost,
  Model,
  PermissionMode,
  Query,
  TimelineStore,
  Tools,
} from 'rockpool/browser';
import { createAgentSession } from 'rockpool/react';
import type { AgentSession } from 'rockpool/react';

export interface Conversation extends AgentSession<Query> {
  readonly timeline: TimelineStore;
  /** The tools, whose own words say what a call does. */
  loadTools(): Promise<Tools>;
  stopTask(taskId: string): void;
  setPermissionMode(mode: PermissionMode): void;
  /** For the next request on. */
  setModel(model: Model): void;
}

export interface ConversationOptions {
  readonly host: BrowserHost;
  readonly model: Model;
  readonly permissionMode: PermissionMode;
}

export function createConversation(options: ConversationOptions): Conversation {
  const { host, ...given } = options;
  const session = createAgentSession(({ prompt, ...wiring }) =>
    query({ prompt, options: { host, ...given, ...wiring, includePartialMessages: true } }),
  );
  const timeline = createTimeline(session.query.trace);
  const fail = (error: unknown) => session.store.fail(error);
  return {
    ...session,
    timeline,
    loadTools: () => host.loadTools(),
    stopTask(taskId) {
      session.query.stopTask(taskId).catch((error: unknown) => {
        // It ended while the button was being pressed: there is nothing left to stop.
        if (SdkError.isInstance(error) && error.code === 'bad-usage') return;
        fail(error);
      });
    },
    setPermissionMode: (mode) => void session.query.setPermissionMode(mode).catch(fail),
    setModel: (model) => void session.query.setModel(model).catch(fail),
    [Symbol.dispose]() {
      timeline[Symbol.dispose]();
      session[Symbol.dispose]();
    },
  };
}
