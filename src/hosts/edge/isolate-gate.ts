// Decides which isolate a call goes to, and when. It limits the busy isolates and the open requests. It doesn't know
// what is sent; fan-out-executor.ts does.
import { createConnectionGate, type ConnectionGate } from '../../core/async/connection-gate.ts';

/** Both at least one. */
export interface IsolateLimits {
  readonly maxIsolates: number;
  readonly maxConnections: number;
  /** What else is asked from here takes turns with it. Left out: nothing else is. */
  readonly shared?: ConnectionGate | undefined;
}

/** All isolates idle, no request open. */
export class IsolateGate {
  /** How many calls each has. */
  readonly #calls: number[];
  readonly #own: ConnectionGate;
  readonly #shared: ConnectionGate | undefined;

  constructor({ maxIsolates, maxConnections, shared }: IsolateLimits) {
    this.#calls = Array.from({ length: maxIsolates }, () => 0);
    this.#own = createConnectionGate(maxConnections);
    this.#shared = shared;
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
    const release = await this.#own.connect(signal);
    if (!this.#shared) return release;
    try {
      const releaseShared = await this.#shared.connect(signal);
      return () => {
        releaseShared();
        release();
      };
    } catch (error) {
      release();
      throw error;
    }
  }
}
