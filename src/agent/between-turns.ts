// Between two turns of a query: what background tasks have to say is passed on, until the next prompt
// comes, or a task's end is a reason to go on without one.
import type { SDKMessage, SDKUserMessage } from '../core/sdk-message.ts';

/** What a turn begins with. */
export type Prompt = Pick<SDKUserMessage, 'message' | 'origin'>;

/** One for each query. */
export interface BetweenTurns {
  /** A message that comes while no turn runs. */
  readonly push: (message: SDKMessage) => void;
  /** What has come and wasn't given yet. */
  take(): readonly SDKMessage[];
  /** Gives what comes, and returns the next prompt; undefined when there will be none. */
  wait(
    takeNews: () => SDKUserMessage | undefined,
  ): AsyncGenerator<SDKMessage, Prompt | undefined, undefined>;
}

/** `prompts` is asked for the next one only while someone waits. It stays the caller's to end. */
export function createBetweenTurns(prompts: AsyncIterator<Prompt, void>): BetweenTurns {
  const messages: SDKMessage[] = [];
  let wake: () => void = () => undefined;
  let pending: Promise<IteratorResult<Prompt, void>> | undefined;
  return {
    push(message) {
      messages.push(message);
      wake();
    },
    take: () => messages.splice(0),
    async *wait(takeNews) {
      for (;;) {
        yield* messages.splice(0);
        // What came while the reader held the last one has woken nobody.
        if (messages.length > 0) continue;
        const news = takeNews();
        if (news) {
          yield news;
          return news;
        }
        pending ??= prompts.next();
        const woken = new Promise<undefined>((resolve) => (wake = () => resolve(undefined)));
        const next = await Promise.race([pending, woken]);
        if (!next) continue;
        pending = undefined;
        return next.done ? undefined : next.value;
      }
    },
  };
}
