// The time between two turns of a query. Messages of background tasks are passed on until the next
// prompt comes or a task's end begins a turn.
import type { SDKMessage, SDKUserMessage } from '../../core/messages/sdk-message.ts';

/** The prompt that a turn begins with. */
export interface Prompt extends Pick<
  SDKUserMessage,
  'message' | 'origin' | 'uuid' | 'client_composed' | 'shouldQuery'
> {
  /** The ids that the prompt tells the conversation of: see `PromptRecord`. */
  readonly tells?: readonly string[];
}

/** The work between the turns of one query. */
export interface BetweenTurns {
  /** A message that comes while no turn runs. */
  readonly push: (message: SDKMessage) => void;
  /** There may be news: a waiting call of `wait` looks again. */
  wake(): void;
  /** The messages that have come and weren't given yet. */
  take(): readonly SDKMessage[];
  /**
   * Calls back when a prompt comes during a turn, until it is called off. It does so at once if one
   * waits already. Only with such a listener the next prompt is asked for before its turn.
   */
  whenPrompted(listener: () => void): () => void;
  /** Gives the messages that come, and returns the next prompt. Undefined: no prompt will come. */
  wait(
    takeNews: () => Prompt | undefined,
  ): AsyncGenerator<SDKMessage, Prompt | undefined, undefined>;
}

/**
 * `prompts` is asked for the next prompt only while someone waits or listens. The caller ends it.
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
    // If the prompt fails, whoever waits for it hears of that.
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
      // A function of its own for each call: several calls may pass the same listener.
      const own = () => listener();
      listeners.add(own);
      void ask();
      if (hasCome) listener();
      return () => void listeners.delete(own);
    },
    async *wait(takeNews) {
      for (;;) {
        yield* messages.splice(0);
        // A message that came while the reader held the last one has woken nobody.
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
