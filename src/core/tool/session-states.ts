// What a tool keeps for the whole session, such as a list of tasks: plain data under a key, in its journal.

/**
 * Values outlive the page, a fork and a compaction; a rewind takes them back. All agents of a session see the
 * same ones.
 */
export interface SessionStates {
  /** Undefined: nothing is kept under the key. Not to be changed. */
  get(key: string): unknown;
  /**
   * Resolves when it is recorded. Two calls that read and then set must not run beside each other: the tool says
   * so by `isConcurrencySafe`.
   *
   * @param value - what JSON can say.
   * @param reminder - what the model is told of it after a compaction: the whole of a plan, or of what is to be
   * done. Left out: nothing.
   */
  set(key: string, value: unknown, reminder?: string): Promise<void>;
}
