// One conversation with the agent: prompts in, a transcript out. It ends, and a new one begins, when
// the project or the model changes.
import { createMessageQueue, createTimeline, query, SdkError } from 'rockpool/browser';
import type {
  BrowserHost,
  Model,
  PermissionMode,
  SDKUserMessage,
  TimelineStore,
  Tools,
} from 'rockpool/browser';
import { createPermissionQueue, createSessionStore, nextFrame } from 'rockpool/react';
import type { PermissionQueue, SessionStore } from 'rockpool/react';

export interface AgentSession extends Disposable {
  readonly store: SessionStore;
  readonly permissions: PermissionQueue;
  readonly timeline: TimelineStore;
  /** The tools, whose own words say what a call does. */
  loadTools(): Promise<Tools>;
  send(text: string): void;
  /** Stops the turn; what was done stays. */
  stop(): void;
  stopTask(taskId: string): void;
  setPermissionMode(mode: PermissionMode): void;
}

export interface AgentSessionOptions {
  readonly host: BrowserHost;
  readonly model: Model;
  readonly permissionMode: PermissionMode;
}

export function createAgentSession(options: AgentSessionOptions): AgentSession {
  const { host, model, permissionMode } = options;
  const permissions = createPermissionQueue();
  const store = createSessionStore({ permissions, schedule: nextFrame });
  const prompts = createMessageQueue<SDKUserMessage>();
  const controller = new AbortController();
  const messages = query({
    prompt: prompts,
    options: {
      host,
      model,
      permissionMode,
      canUseTool: permissions.canUseTool,
      includePartialMessages: true,
      abortController: controller,
    },
  });

  const timeline = createTimeline(messages.trace);

  const follow = async () => {
    for await (const message of messages) store.apply(message);
  };
  const fail = (error: unknown) => {
    if (!controller.signal.aborted) store.fail(error);
  };
  follow().catch(fail);

  return {
    store,
    permissions,
    timeline,
    loadTools: () => host.loadTools(),
    send(text) {
      const message: SDKUserMessage = {
        type: 'user',
        uuid: crypto.randomUUID(),
        message: { role: 'user', content: text },
        parent_tool_use_id: null,
      };
      // Shown at once; should the session echo it, its id says that it is the same.
      store.apply(message);
      prompts.push(message);
    },
    stop: () => void messages.interrupt().catch(fail),
    stopTask(taskId) {
      messages.stopTask(taskId).catch((error: unknown) => {
        // It ended while the button was being pressed: there is nothing left to stop.
        if (SdkError.isInstance(error) && error.code === 'bad-usage') return;
        fail(error);
      });
    },
    setPermissionMode: (mode) => void messages.setPermissionMode(mode).catch(fail),
    [Symbol.dispose]() {
      prompts.end();
      timeline[Symbol.dispose]();
      controller.abort();
    },
  };
}
