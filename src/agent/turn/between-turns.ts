// The time between two turns of a query. Messages of background tasks are passed on until a prompt
// comes, or the end of a task starts a turn.
import type { SDKMessage, SDKUserMessage } from '../../core/messages/sdk-message.ts';

/** The prompt of a turn. */
export interface Prompt extends Pick<
  SDKUserMessage,
  'message' | 'origin' | 'uuid' | 'client_composed' | 'shouldQuery'
> {
  /** The ids of the notifications in the prompt: see `PromptRecord`. */
  readonly tells?: readonly string[];
}

/** The work between the turns of one query. */
export interface BetweenTurns {
  /** Adds a message that comes while no turn runs. */
  readonly push: (message: SDKMessage) => void;
  /** Makes a pending `wait` check again whether a turn is due. */
  wake(): void;
  /** Removes and returns the messages that `wait` hasn't given yet. */
  take(): readonly SDKMessage[];
  /**
   * Calls the listener when a prompt comes during a turn, until the returned function is called. It
   * is called at once if a prompt already waits. Only with a listener the next prompt is requested
   * before its turn.
   */
  whenPrompted(listener: () => void): () => void;
  /** Yields the messages, and returns the next prompt. Undefined: no prompt will come. */
  wait(
    takeNews: () => Prompt | undefined,
  ): AsyncGenerator<SDKMessage, Prompt | undefined, undefined>;
}

/**
 * The next prompt is requested from `prompts` only while a caller waits or listens. The caller
 * closes the iterator.
 */
export function createBetweenTurns(prompts: AsyncIterator<Prompt, void>): BetweenTurns {
  const messages: SDKMessage[] = [];
  let wake: () => void = () => undefined;
  let pending: Promise<IteratorResult<Prompt, void>> | undefined;
  let hasCome = false;
  const listeners = new Set<() => void>();
  const ask = () => {
    if (pending) return pending;
    pending = prompts.next();
    const tell = ({ done }: IteratorResult<Prompt, void>) => {
      hasCome = !done;
      if (hasCome) for (const listener of [...listeners]) listener();
    };
    // If the request fails, the callers that await the prompt get the error.
    pending.then(tell, () => undefined);
    return pending;
  };
  return {
    push(message) {
      messages.push(message);
      wake();
    },
    wake: () => wake(),
    take: () => messages.splice(0),
    whenPrompted(listener) {
      // A new function for each call, because several calls may pass the same listener.
      const own = () => listener();
      listeners.add(own);
      void ask();
      if (hasCome) listener();
      return () => void listeners.delete(own);
    },
    async *wait(takeNews) {
      for (;;) {
        yield* messages.splice(0);
        // A message that came while the reader processed the last one has resolved no promise.
        if (messages.length > 0) continue;
        const news = takeNews();
        if (news) return news;
        const prompt = ask();
        const woken = new Promise<undefined>((resolve) => (wake = () => resolve(undefined)));
        const next = await Promise.race([prompt, woken]);
        if (!next) continue;
        pending = undefined;
        hasCome = false;
        return next.done ? undefined : next.value;
      }
    },
  };
}
