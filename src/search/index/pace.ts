// Keeps work over very many small things within its time, and lets an abort be heard while it goes on.
import { throwIfAborted } from '../../core/abort.ts';
import { nextTask } from '../../core/next-task.ts';

export interface PaceOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called now and then; throws to end the work. */
  checkTime?(): void;
}

// Less than a millisecond of listing.
const stepsBetweenChecks = 256;

// About 10 ms: so long a call isn't heard that would cut it.
const stepsBetweenRests = 4096;

/** Of one piece of work. */
export class Pace {
  readonly #signal: AbortSignal | undefined;
  readonly checkTime: () => void;
  #steps = 0;

  constructor({ signal, checkTime }: PaceOptions = {}) {
    this.#signal = signal;
    this.checkTime = checkTime ?? (() => {});
  }

  /**
   * To be called for each thing; what it returns, if anything, is to be waited for.
   *
   * @throws what `checkTime` does; `aborted` once the signal is.
   */
  step(): Promise<void> | undefined {
    this.#steps += 1;
    if (this.#steps % stepsBetweenChecks === 0) this.checkTime();
    return this.#steps % stepsBetweenRests === 0 ? this.#rest() : undefined;
  }

  async #rest(): Promise<void> {
    await nextTask();
    throwIfAborted(this.#signal);
  }
}
