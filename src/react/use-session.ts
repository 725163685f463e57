// React hooks that subscribe to the headless stores.
import { useSyncExternalStore } from 'react';
import type { WaitingPrompt, WaitingPrompts } from './agent-session.ts';
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

/** The prompts that were sent while the agent worked, oldest first. */
export function useWaitingPrompts(waiting: WaitingPrompts): readonly WaitingPrompt[] {
  return useSyncExternalStore(waiting.subscribe, waiting.getSnapshot, waiting.getSnapshot);
}
