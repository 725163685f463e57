// What handlers have saved, by session and tool, and which worker has it in its newest form. Kept on
// the page, because a worker may have to be killed. Used by worker-executor.ts.
import { largeStateBytes } from '../../../core/tool/handler.ts';
import { freeBytes } from '../wire/free-bytes.ts';

/**
 * What one worker has of states: by key, the state's number, or undefined where there was none. It has
 * an entry for each session and tool whose calls it was given. It holds no bytes: an ended worker's
 * entries may live long.
 */
export type KnownStates = Map<string, number | undefined>;

/** Starts empty. Bytes that are given to it are its own, and never changed. */
export class SavedStates {
  readonly #states = new Map<string, Uint8Array>();
  readonly #numbers = new WeakMap<Uint8Array, number>();
  readonly #freed = new WeakSet<Uint8Array>();
  #lastNumber = 0;

  get(key: string): Uint8Array | undefined {
    return this.#states.get(key);
  }

  /** `worker` has it as well: it comes from there, or was told. Undefined: there is none any more. */
  set(key: string, state: Uint8Array | undefined, worker: KnownStates): void {
    if (state) this.#states.set(key, state);
    else this.#states.delete(key);
    worker.set(key, this.#numberOf(state));
  }

  /** What the session's tools have saved is forgotten here; workers must be told. */
  endSession(sessionId: string): void {
    for (const key of keysOf(sessionId, this.#states)) {
      const state = this.#states.get(key);
      this.#states.delete(key);
      this.free(state);
    }
  }

  /** What the session's tools have saved is this from now on. Workers have it not: see {@link isStale}. */
  restore(sessionId: string, restored: ReadonlyMap<string, Uint8Array>): void {
    this.endSession(sessionId);
    for (const [key, state] of restored) this.#states.set(key, state);
  }

  /** Does the worker have another state than the one that counts, or one where there is none? */
  isStale(key: string, worker: KnownStates): boolean {
    return worker.get(key) !== this.#numberOf(this.#states.get(key));
  }

  /** Frees a state that isn't needed any more. A small one is left to the garbage collector. */
  free(state: Uint8Array | undefined): void {
    if (!state || !isLargeState(state)) return;
    for (const kept of this.#states.values()) if (kept === state) return;
    this.#freed.add(state);
    freeBytes(state);
  }

  /** Its bytes are gone. */
  isFreed(state: Uint8Array): boolean {
    return this.#freed.has(state);
  }

  #numberOf(state: Uint8Array | undefined): number | undefined {
    if (!state) return undefined;
    let number = this.#numbers.get(state);
    if (number === undefined) {
      number = this.#lastNumber += 1;
      this.#numbers.set(state, number);
    }
    return number;
  }
}

/** A copy of it costs too much to be made without need. */
export function isLargeState(state: Uint8Array | undefined): boolean {
  return (state?.length ?? 0) > largeStateBytes;
}

/** A session's id has no slash in it: see `getSessionDirectory`. */
export function keysOf(sessionId: string, states: ReadonlyMap<string, unknown>): string[] {
  return [...states.keys()].filter((key) => key.startsWith(`${sessionId}/`));
}
