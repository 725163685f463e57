// Chooses the isolate of a call and when it may be sent. It limits the busy isolates and the open
// requests. fan-out-executor.ts does the sending.
import { createConnectionGate, type ConnectionGate } from '../../core/async/connection-gate.ts';

/** Both limits are at least one. */
export interface IsolateLimits {
  readonly maxIsolates: number;
  readonly maxConnections: number;
  /** A gate that other requests share. Left out: there are no others. */
  readonly shared?: ConnectionGate | undefined;
}

/** At first all isolates are idle and no request is open. */
export class IsolateGate {
  /** The number of calls per isolate. */
  readonly #calls: number[];
  readonly #own: ConnectionGate;
  readonly #shared: ConnectionGate | undefined;

  constructor({ maxIsolates, maxConnections, shared }: IsolateLimits) {
    this.#calls = Array.from({ length: maxIsolates }, () => 0);
    this.#own = createConnectionGate(maxConnections);
    this.#shared = shared;
  }

  /**
   * Returns the isolate with the fewest calls and counts one call more. Of equals it takes the
   * first, so few calls keep few isolates busy. Several calls in one isolate run one after the
   * other. Inverse: {@link IsolateGate.leave}.
   */
  enter(): number {
    const isolate = this.#calls.indexOf(Math.min(...this.#calls));
    this.#calls[isolate] = (this.#calls[isolate] ?? 0) + 1;
    return isolate;
  }

  leave(isolate: number): void {
    this.#calls[isolate] = (this.#calls[isolate] ?? 0) - 1;
  }

  /**
   * Waits for a free connection. Call the resolved function once, when the connection is open or
   * has failed.
   */
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
