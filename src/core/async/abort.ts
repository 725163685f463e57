// Abort is an outcome of its own, never an error string. These functions keep that true in every
// realm.
import { SdkError, hasCode } from '../errors.ts';

/** The error that a cut operation rejects with. `reason` is what the aborter said. */
export function createAbortError(reason?: unknown): SdkError {
  return hasCode(reason, 'aborted')
    ? reason
    : new SdkError('aborted', 'Stopped before it was finished.', { cause: reason });
}

/** Is the error ours, or one that `fetch`, streams and other platform functions throw on an abort? */
export function isAbortError(error: unknown): boolean {
  return hasCode(error, 'aborted') || (error instanceof Error && error.name === 'AbortError');
}

/** @throws SdkError `aborted` when the signal is. For the places where work can still be left undone. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw createAbortError(signal.reason);
}

/**
 * Resolves to the work's value. Rejects with `aborted` as soon as the signal is aborted, for work
 * that ignores the signal or reacts late. The work then continues, and its result is ignored.
 */
export function untilAborted<Value>(
  work: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(createAbortError(signal.reason));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** A controller of its own that is also aborted with its parent. Dispose it, or the parent keeps it alive. */
export function createChildController(
  parent: AbortSignal,
): AbortController & { [Symbol.dispose](): void } {
  const controller = new AbortController();
  const follow = () => controller.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener('abort', follow, { once: true });
  return Object.assign(controller, {
    [Symbol.dispose]: () => parent.removeEventListener('abort', follow),
  });
}
