// Limits concurrent requests, because an invocation of a Worker may have only six open connections.
// Used by the edge host for its model, its bucket and its isolates.
import { createAbortError, throwIfAborted } from './abort.ts';

/** A semaphore for connections: further callers wait in their order. */
export interface ConnectionGate {
  /**
   * Waits for a free connection. Call the resolved function when the connection isn't used any
   * more; further calls do nothing.
   */
  connect(signal?: AbortSignal): Promise<() => void>;
}

/** `most`: a whole number, at least 1. */
export function createConnectionGate(most: number): ConnectionGate {
  let open = 0;
  /** In the order of their coming. */
  const waiting = new Set<() => void>();

  function wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const proceed = () => {
        waiting.delete(proceed);
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      const abort = () => {
        waiting.delete(proceed);
        reject(createAbortError(signal?.reason));
      };
      waiting.add(proceed);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  /** The free place goes to the caller that has waited longest. */
  function release(): void {
    const [next] = waiting;
    if (next) next();
    else open -= 1;
  }

  return {
    async connect(signal) {
      throwIfAborted(signal);
      if (open === most) await wait(signal);
      else open += 1;
      let isOver = false;
      return () => {
        if (!isOver) release();
        isOver = true;
      };
    },
  };
}
