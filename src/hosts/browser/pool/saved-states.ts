// The saved states of handlers by session and tool, and which worker has the newest one. They are
// kept on the page, because a worker may have to be killed. Used by worker-executor.ts.
import { largeStateBytes } from '../../../core/tool/handler.ts';
import { freeBytes } from '../wire/free-bytes.ts';

/**
 * The states in one worker: the state's number by key, or undefined for none. There is an entry for
 * each session and tool whose calls the worker was given. It contains no bytes, because entries may
 * outlive their worker.
 */
export type KnownStates = Map<string, number | undefined>;

/** Starts empty. It owns the bytes that it is given and never changes them. */
export class SavedStates {
  readonly #states = new Map<string, Uint8Array>();
  readonly #numbers = new WeakMap<Uint8Array, number>();
  readonly #freed = new WeakSet<Uint8Array>();
  #lastNumber = 0;

  get(key: string): Uint8Array | undefined {
    return this.#states.get(key);
  }

  /** Sets the newest state, which `worker` has as well. Undefined: there is no state any more. */
  set(key: string, state: Uint8Array | undefined, worker: KnownStates): void {
    if (state) this.#states.set(key, state);
    else this.#states.delete(key);
    worker.set(key, this.#numberOf(state));
  }

  /** Forgets the states of a session. Workers must be told separately. */
  endSession(sessionId: string): void {
    for (const key of keysOf(sessionId, this.#states)) {
      const state = this.#states.get(key);
      this.#states.delete(key);
      this.free(state);
    }
  }

  /** Replaces the session's states. Workers don't have them yet: see {@link isStale}. */
  restore(sessionId: string, restored: ReadonlyMap<string, Uint8Array>): void {
    this.endSession(sessionId);
    for (const [key, state] of restored) this.#states.set(key, state);
  }

  /** True if the worker has another state than the newest, or a state although there is none. */
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

  /** True if its bytes were freed. */
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

/** True if the state is too large to be copied without need. */
export function isLargeState(state: Uint8Array | undefined): boolean {
  return (state?.length ?? 0) > largeStateBytes;
}

/** Session ids contain no slash: see `getSessionDirectory`. */
export function keysOf(sessionId: string, states: ReadonlyMap<string, unknown>): string[] {
  return [...states.keys()].filter((key) => key.startsWith(`${sessionId}/`));
}
