// React hooks that subscribe to the headless stores.
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { SDKControlGetContextUsageResponse } from '../core/messages/sdk-message.ts';
import type { AgentQuery, PageSession, WaitingPrompt, WaitingPrompts } from './page-session.ts';
import type { PermissionQuestion, PermissionQueue } from './permission-queue.ts';
import type { TranscriptStore } from './transcript-store.ts';
import type { SessionSnapshot } from './transcript.ts';

/** The transcript, rendered again whenever it grows; unchanged turns and entries keep their objects. */
export function useSession(store: TranscriptStore): SessionSnapshot {
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

/**
 * The usage of the model's window, for `ContextMeter`. It is asked for again with each entry of the
 * transcript. Undefined before the first answer, and if nobody answers: the transcript says what is
 * wrong with the session.
 */
export function useContextUsage({
  store,
  query,
}: Pick<PageSession<AgentQuery>, 'store' | 'query'>):
  SDKControlGetContextUsageResponse | undefined {
  const { turns, init } = useSession(store);
  // `/clear` begins another session.
  const session = init?.session_id;
  const [told, setTold] = useState<{
    readonly of: AgentQuery;
    readonly session: string | undefined;
    readonly usage: SDKControlGetContextUsageResponse | undefined;
  }>();
  const last = turns.at(-1);
  const step = `${turns.length} ${last?.entries.length ?? 0} ${last?.result ? 'ended' : 'open'}`;
  const hasBegun = turns.length > 0;
  useEffect(() => {
    let isOver = false;
    const take = (usage?: SDKControlGetContextUsageResponse) => {
      if (!isOver) setTold({ of: query, session, usage });
    };
    if (hasBegun) query.getContextUsage?.().then(take, () => take());
    return () => void (isOver = true);
    // Each `step` changes the usage.
  }, [query, session, hasBegun, step]);
  const isNow = hasBegun && told?.of === query && told.session === session;
  return isNow ? told.usage : undefined;
}
