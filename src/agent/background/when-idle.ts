// The wait at an idle gate. Only tasks wait, so it is loaded with the first.
import { createAbortError } from '../../core/abort.ts';
import type { IdleGate } from './idle-gate.ts';

/** Resolves when no call runs. Rejects with `aborted` when `signal` aborts first. */
export function whenIdle({ isIdle, waiting }: IdleGate, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.reject(createAbortError(signal.reason));
  if (isIdle()) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const abort = () => {
      waiting.delete(resume);
      reject(createAbortError(signal.reason));
    };
    const resume = () => {
      signal.removeEventListener('abort', abort);
      resolve();
    };
    waiting.add(resume);
    signal.addEventListener('abort', abort, { once: true });
  });
}
