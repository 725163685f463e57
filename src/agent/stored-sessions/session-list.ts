// The list of a workspace's sessions as a page shows it. It follows every change, in all tabs.
import { listSessions, readListOptions } from './session-info.ts';
import type { ListSessionsOptions, SDKSessionInfo } from './session-info.ts';

/** What a list has at a time. A new object after each reading. */
export interface SessionListSnapshot {
  /** The newest first. Null until they were read once. */
  readonly sessions: readonly SDKSessionInfo[] | null;
  /** Why the last reading failed; `sessions` are then those of the reading before. Null if it didn't fail. */
  readonly error: unknown;
}

/** For `useSyncExternalStore` or any other subscriber. */
export interface SessionList {
  getSnapshot(): SessionListSnapshot;
  /** The list is read, and read again after each change, while it has a listener. Returns what ends that. */
  subscribe(listener: () => void): () => void;
}

// A working agent records many entries a second.
const restMs = 250;

/**
 * The sessions that {@link listSessions} lists, kept up to date: sessions that were created, renamed, archived or
 * deleted, and new prompts, here and in other tabs. After a reading the list rests for a quarter of a second.
 *
 * @throws SdkError `bad-usage` as {@link listSessions} does
 */
export function createSessionList(options: ListSessionsOptions): SessionList {
  const { host } = readListOptions('createSessionList', options);
  const listeners = new Set<() => void>();
  let snapshot: SessionListSnapshot = { sessions: null, error: null };
  let unfollow: (() => void) | undefined;

  function follow(): () => void {
    let isStale = true;
    let isResting = false;
    let isOver = false;
    let rest: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      if (isResting || !isStale) return;
      isResting = true;
      isStale = false;
      const next = await listSessions(options).then(
        (sessions) => ({ sessions, error: null }),
        (error: unknown) => ({ sessions: snapshot.sessions, error }),
      );
      if (isOver) return;
      rest = setTimeout(() => {
        isResting = false;
        void read();
      }, restMs);
      snapshot = next;
      for (const listener of [...listeners]) listener();
    };
    const changes = host.workspace.streams.onChange(() => {
      isStale = true;
      void read();
    });
    void read();
    return () => {
      isOver = true;
      clearTimeout(rest);
      changes[Symbol.dispose]();
    };
  }

  return {
    getSnapshot: () => snapshot,
    subscribe(listener) {
      // Wrapped, since one function may be given twice.
      const own = () => listener();
      listeners.add(own);
      unfollow ??= follow();
      return () => {
        listeners.delete(own);
        if (listeners.size > 0) return;
        unfollow?.();
        unfollow = undefined;
      };
    },
  };
}
