// What a tool keeps for the whole session, such as a list of tasks: plain data under a key, in its journal.

/** The key of what a host's tools keep together. */
export const appState = 'app';

/** The key of the model's name that was chosen for the session. */
export const modelState = 'settings/model';

/**
 * Values outlive the page, a fork and a compaction; a rewind takes them back. All agents of a session see the
 * same ones.
 */
export interface SessionStates {
  /** Undefined: nothing is kept under the key. Not to be changed. */
  get(key: string): unknown;
  /**
   * Resolves when it is recorded. The whole value is recorded each time: what grows is kept in parts, under keys
   * `name/part`.
   *
   * @param value - what JSON can say.
   * @param reminder - what the model is told of it after a compaction: the whole of a plan, or of what is to be
   * done. Those of one `name` are told as one, a line each. Left out: nothing.
   */
  set(key: string, value: unknown, reminder?: string): Promise<void>;
  /**
   * Sets what `change` makes of the value as it is then, in the order of the calls: of two at once none is lost.
   * Resolves when it is recorded. Rejects as `change` throws: nothing is set then.
   */
  update(key: string, change: (value: unknown) => unknown): Promise<void>;
  /**
   * Runs the work when no other work of the session runs that came by this method. It is for work
   * that reads, waits and then sets. Rejects as the work does. Work must not call it in its turn,
   * and looks at its own signal first: it may have waited for long.
   */
  runAlone<Result>(work: () => Promise<Result>): Promise<Result>;
}
