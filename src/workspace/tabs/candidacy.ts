// A tab's place in the line for the lock: one at a time, given up when it is taken anew.
import type { HeldLock, LeaderLock } from './tab-ports.ts';

export interface CandidacyPorts {
  readonly lock: LeaderLock;
  /**
   * The lock is this tab's, who must release it; `isTaken` from another one, that may not know it
   * yet. Called again only when that has resolved.
   */
  onElected(held: HeldLock, isTaken: boolean): Promise<void>;
  onError(error: unknown): void;
}

export class Candidacy {
  readonly #ports: CandidacyPorts;
  #attempt: AbortController | undefined;
  #elected: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(ports: CandidacyPorts) {
    this.#ports = ports;
  }

  /** Waits in line, or takes the lock from whoever has it. */
  async stand(options: { readonly steal: boolean }): Promise<void> {
    if (this.#isOver) return;
    this.#attempt?.abort();
    const attempt = new AbortController();
    this.#attempt = attempt;
    try {
      const held = await this.#ports.lock.acquire({ ...options, signal: attempt.signal });
      // A former election may still be opening what it has lost already.
      await this.#elected;
      if (attempt.signal.aborted) held.release();
      else this.#elected = this.#ports.onElected(held, options.steal);
    } catch (error) {
      if (!attempt.signal.aborted) this.#ports.onError(error);
    }
  }

  /** Stands no more. Resolves when an election under way is through. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#attempt?.abort();
    await this.#elected;
  }
}
