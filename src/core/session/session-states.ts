// The port by which a tool keeps data for the whole session, such as a task list: plain data under a key, in the
// journal.

/** The key of the app state, which a host's tools share. */
export const appState = 'app';

/** The key of the name of the model that was chosen for the session. */
export const modelState = 'settings/model';

/**
 * Values survive the end of the page, a fork and a compaction; a rewind reverts them. All agents of a session share
 * them.
 */
export interface SessionStates {
  /** Undefined: there is no value. Don't change the value in place. */
  get(key: string): unknown;
  /**
   * Resolves when the value is recorded. The whole value is recorded each time, so keep data that grows in parts,
   * under keys `name/part`.
   *
   * @param value - plain JSON data
   * @param reminder - a text that the model gets after a compaction, for example the whole plan or task list. The
   * reminders of all parts of one `name` are joined, one line each. Left out: no text
   */
  set(key: string, value: unknown, reminder?: string): Promise<void>;
  /**
   * Replaces the value by `change(value)`. Concurrent updates are applied in the order of the calls, so none is lost.
   * Resolves when the value is recorded. If `change` throws, this rejects with its error, and nothing is set.
   */
  update(key: string, change: (value: unknown) => unknown): Promise<void>;
  /**
   * Runs the work while no other work runs that was passed to this method of the session. It is for work that reads,
   * waits and then sets. Rejects as the work does. The work must not call this method. It should check its signal
   * first, because it may have waited for a long time.
   */
  runAlone<Result>(work: () => Promise<Result>): Promise<Result>;
}
