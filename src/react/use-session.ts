// React's view of the two headless stores: nothing but subscriptions.
import { useSyncExternalStore } from 'react';
import type { PermissionQuestion, PermissionQueue } from './permission-queue.ts';
import type { SessionStore } from './session-store.ts';
import type { SessionSnapshot } from './transcript.ts';

/** The transcript, rendered anew whenever it grows; unchanged turns and entries keep their objects. */
export function useSession(store: SessionStore): SessionSnapshot {
  return useSyncExternalStore(store.subscribe, store.getSnapshot, store.getSnapshot);
}

/** The open permission questions, oldest first. */
export function usePermissionQuestions(queue: PermissionQueue): readonly PermissionQuestion[] {
  return useSyncExternalStore(queue.subscribe, queue.getSnapshot, queue.getSnapshot);
}
