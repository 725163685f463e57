// The prompts of a query, and the time between two of its turns. Messages of background tasks are passed on until a prompt
// comes, or the end of a task starts a turn.
import type { SDKMessage, SDKUserMessage } from '../../core/messages/sdk-message.ts';
import type { PromptRecord } from '../../core/session/journal.ts';

/** The prompt of a turn. */
export interface Prompt extends Pick<
  SDKUserMessage,
  'message' | 'origin' | 'uuid' | 'client_composed' | 'shouldQuery' | 'priority'
> {
  /** The ids of the notifications in the prompt: see `PromptRecord`. */
  readonly tells?: readonly string[];
}

/** The oldest of the most urgent prompts. */
export function findMostUrgent(prompts: readonly PromptRecord[]): PromptRecord | undefined {
  const ofPriority = (wanted: PromptRecord['priority']) =>
    prompts.find(({ priority }) => priority === wanted);
  return ofPriority('now') ?? ofPriority('next') ?? prompts[0];
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
   * is called at once if a prompt already waits.
   */
  whenPrompted(listener: () => void): () => void;
  /**
   * Requests prompts while a turn runs, until the returned function is called. `send` gets each one
   * that is for this turn. All others are returned by `wait`.
   */
  readAhead(send: (prompt: Prompt) => Promise<unknown>): () => void;
  /** Yields the messages, and returns the next prompt. Undefined: no prompt will come. */
  wait(
    takeNews: () => Prompt | undefined,
  ): AsyncGenerator<SDKMessage, Prompt | undefined, undefined>;
}

/** 100: more than a person sends during a turn. An iterable that never waits must not fill the memory. */
const maxAhead = 100;

/** The caller closes the iterator. */
export function createBetweenTurns(prompts: AsyncIterator<Prompt, void>): BetweenTurns {
  const messages: SDKMessage[] = [];
  let wake: () => void = () => undefined;
  let pending: Promise<IteratorResult<Prompt, void>> | undefined;
  /** Requested during a turn, and not for that turn. */
  const ahead: Prompt[] = [];
  const listeners = new Set<() => void>();
  const ask = () => (pending ??= prompts.next());
  const keep = (prompt: Prompt) => {
    ahead.push(prompt);
    for (const listener of [...listeners]) listener();
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
      if (ahead.length > 0) listener();
      return () => void listeners.delete(own);
    },
    readAhead(send) {
      let isReading = true;
      const read = async () => {
        while (isReading && ahead.length < maxAhead) {
          const next = await ask();
          if (!isReading || next.done) return;
          pending = undefined;
          const { value } = next;
          const isAnswered = value.shouldQuery !== false;
          const isUrgent = isAnswered && (value.priority === 'now' || value.priority === 'next');
          // What can't be recorded now is given to `wait`, where the error is reported.
          if (isUrgent) send(value).catch(() => keep(value));
          else keep(value);
        }
      };
      // If the request fails, `wait` gets the error.
      void read().catch(() => undefined);
      return () => (isReading = false);
    },
    async *wait(takeNews) {
      for (;;) {
        yield* messages.splice(0);
        // A message that came while the reader processed the last one has resolved no promise.
        if (messages.length > 0) continue;
        const news = takeNews() ?? ahead.shift();
        if (news) return news;
        const prompt = ask();
        const woken = new Promise<undefined>((resolve) => (wake = () => resolve(undefined)));
        const next = await Promise.race([prompt, woken]);
        if (!next) continue;
        pending = undefined;
        return next.done ? undefined : next.value;
      }
    },
  };
}
