// What handlers have saved, by session and tool, and which worker has it in its newest form. Kept on
// the page, because a worker may have to be killed. Used by worker-executor.ts.

/**
 * What one worker has of states: by key, the very bytes, or undefined where there were none. It has
 * an entry for each session and tool whose calls it was given.
 */
export type KnownStates = Map<string, Uint8Array | undefined>;

/** Starts empty. Bytes that are given to it are kept, and never changed. */
export class SavedStates {
  readonly #states = new Map<string, Uint8Array>();

  get(key: string): Uint8Array | undefined {
    return this.#states.get(key);
  }

  /** `worker` has it as well: it comes from there, or was told. Undefined: there is none any more. */
  set(key: string, state: Uint8Array | undefined, worker: KnownStates): void {
    if (state) this.#states.set(key, state);
    else this.#states.delete(key);
    worker.set(key, state);
  }

  /** What the session's tools have saved is forgotten here; workers must be told. */
  endSession(sessionId: string): void {
    for (const key of keysOf(sessionId, this.#states)) this.#states.delete(key);
  }

  /** Does the worker have another state than the one that counts, or one where there is none? */
  isStale(key: string, worker: KnownStates): boolean {
    return worker.get(key) !== this.#states.get(key);
  }
}

/** A session's id has no slash in it: see `getSessionDirectory`. */
export function keysOf(sessionId: string, states: ReadonlyMap<string, unknown>): string[] {
  return [...states.keys()].filter((key) => key.startsWith(`${sessionId}/`));
}
