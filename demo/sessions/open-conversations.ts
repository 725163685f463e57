// The conversations of a project that are open in this page. A conversation continues to work while another is shown.
import type { WaitingPrompt } from 'rockpool/react';
import type { Conversation } from '../agent/conversation.ts';

export type ConversationActivity = 'working' | 'asking' | 'idle';

/** Dispose it with the project's host. This closes all conversations. */
export interface OpenConversations extends Disposable {
  all(): readonly Conversation[];
  find(id: string): Conversation | undefined;
  add(conversation: Conversation): void;
  /** The present activity of each, for `useSyncExternalStore`. */
  getSnapshot(): ReadonlyMap<string, ConversationActivity>;
  subscribe(listener: () => void): () => void;
  /** Resolves when the conversation is closed, so that its session may be deleted. */
  close(id: string): Promise<void>;
  /** The ids of conversations that are being moved. The code that moves one handles the end of the move. */
  readonly moving: Set<string>;
  /** The prompts of closed conversations, which are sent once when the conversation is opened again. */
  readonly left: Map<string, readonly WaitingPrompt[]>;
}

export function createOpenConversations(): OpenConversations {
  const open = new Map<string, { readonly conversation: Conversation; readonly end: () => void }>();
  const listeners = new Set<() => void>();
  let snapshot: ReadonlyMap<string, ConversationActivity> = new Map();

  const changed = () => {
    const next = new Map([...open].map(([id, { conversation }]) => [id, toActivity(conversation)]));
    const isSame =
      next.size === snapshot.size && [...next].every(([id, it]) => snapshot.get(id) === it);
    if (isSame) return;
    snapshot = next;
    for (const listener of listeners) listener();
  };

  return {
    all: () => [...open.values()].map(({ conversation }) => conversation),
    find: (id) => open.get(id)?.conversation,
    add(conversation) {
      const ends = [
        conversation.store.subscribe(changed),
        conversation.permissions.subscribe(changed),
      ];
      open.set(conversation.id, { conversation, end: () => ends.forEach((end) => end()) });
      changed();
    },
    moving: new Set(),
    left: new Map(),
    getSnapshot: () => snapshot,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async close(id) {
      const found = open.get(id);
      if (!found) return;
      open.delete(id);
      found.end();
      found.conversation[Symbol.dispose]();
      changed();
      await found.conversation.query.close();
    },
    [Symbol.dispose]() {
      for (const { conversation, end } of open.values()) {
        end();
        conversation[Symbol.dispose]();
      }
      open.clear();
    },
  };
}

function toActivity({ store, permissions, missingModel }: Conversation): ConversationActivity {
  if (permissions.getSnapshot().length > 0) return 'asking';
  return store.getSnapshot().isRunning && missingModel() === undefined ? 'working' : 'idle';
}
