// Which isolate a call goes to, and when: never more isolates than may be busy at once, and never more
// requests on their way than may be open. Knows nothing of what is sent; fan-out-executor.ts does.
import { createAbortError, throwIfAborted } from '../../core/abort.ts';

/** Both at least one. */
export interface IsolateLimits {
  readonly maxIsolates: number;
  readonly maxConnections: number;
}

/** All isolates idle, no request open. */
export class IsolateGate {
  /** How many calls each has. */
  readonly #calls: number[];
  readonly #maxConnections: number;
  #connections = 0;
  /** In the order of their coming. */
  readonly #waiting = new Set<() => void>();

  constructor({ maxIsolates, maxConnections }: IsolateLimits) {
    this.#calls = Array.from({ length: maxIsolates }, () => 0);
    this.#maxConnections = maxConnections;
  }

  /**
   * The isolate with the fewest calls, which now has one more; of equals the first, so that few calls
   * keep few isolates at work. Several calls in one take turns there. Inverse: {@link IsolateGate.leave}.
   */
  enter(): number {
    const isolate = this.#calls.indexOf(Math.min(...this.#calls));
    this.#calls[isolate] = (this.#calls[isolate] ?? 0) + 1;
    return isolate;
  }

  leave(isolate: number): void {
    this.#calls[isolate] = (this.#calls[isolate] ?? 0) - 1;
  }

  /** Waits for its turn. Call what it resolves to, once, when the connection is there, or has failed. */
  async connect(signal: AbortSignal): Promise<() => void> {
    throwIfAborted(signal);
    if (this.#connections === this.#maxConnections) await this.#wait(signal);
    else this.#connections += 1;
    return () => this.#release();
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const proceed = () => {
        this.#waiting.delete(proceed);
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const abort = () => {
        this.#waiting.delete(proceed);
        reject(createAbortError(signal.reason));
      };
      this.#waiting.add(proceed);
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  /** Its place goes to the one that has waited longest. */
  #release(): void {
    const [next] = this.#waiting;
    if (next) next();
    else this.#connections -= 1;
  }
}
