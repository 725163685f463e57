// The time between two turns of a query. Messages of background tasks are passed on until the next
// prompt comes or a task's end begins a turn.
import type { SDKMessage, SDKUserMessage } from '../../core/messages/sdk-message.ts';

/** What a turn begins with. */
export interface Prompt extends Pick<
  SDKUserMessage,
  'message' | 'origin' | 'uuid' | 'client_composed' | 'shouldQuery'
> {
  /** What the conversation is told by it: see `PromptRecord`. */
  readonly tells?: readonly string[];
}

/** The work between the turns of one query. */
export interface BetweenTurns {
  /** A message that comes while no turn runs. */
  readonly push: (message: SDKMessage) => void;
  /** There may be news: whoever waits looks. */
  wake(): void;
  /** What has come and wasn't given yet. */
  take(): readonly SDKMessage[];
  /**
   * Calls back when a prompt comes while a turn runs, until it is called off: at once, where one waits
   * already. Only then the next prompt is asked for before its turn.
   */
  whenPrompted(listener: () => void): () => void;
  /** Gives what comes, and returns the next prompt; undefined when there will be none. */
  wait(
    takeNews: () => Prompt | undefined,
  ): AsyncGenerator<SDKMessage, Prompt | undefined, undefined>;
}

/** `prompts` is asked for the next one only while someone waits or listens. It stays the caller's to end. */
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
    // Where it fails, whoever waits for the prompt hears of it.
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
      // One for each call of this: several calls may be cut by the same function.
      const own = () => listener();
      listeners.add(own);
      void ask();
      if (hasCome) listener();
      return () => void listeners.delete(own);
    },
    async *wait(takeNews) {
      for (;;) {
        yield* messages.splice(0);
        // What came while the reader held the last one has woken nobody.
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
