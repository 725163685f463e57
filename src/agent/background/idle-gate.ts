// When is the agent idle? While none of the conversation's own calls runs. What ran in the background
// is committed only then, so that no call finds files changed under it by another call.
import { createAbortError } from '../../core/abort.ts';

/** One for each session. */
export interface IdleGate {
  /** One of the conversation's own calls runs, until the gate's token is disposed. */
  enter(): Disposable;
  /** Resolves when none runs. Rejects with `aborted` when `signal` aborts first. */
  whenIdle(signal: AbortSignal): Promise<void>;
}

/** Idle to begin with. */
export function createIdleGate(): IdleGate {
  let running = 0;
  const waiting = new Set<() => void>();
  return {
    enter() {
      running += 1;
      let isIn = true;
      return {
        [Symbol.dispose]() {
          if (!isIn) return;
          isIn = false;
          running -= 1;
          if (running > 0) return;
          for (const resume of waiting) resume();
          waiting.clear();
        },
      };
    },
    whenIdle(signal) {
      if (signal.aborted) return Promise.reject(createAbortError(signal.reason));
      if (running === 0) return Promise.resolve();
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
    },
  };
}
