// Makes long loops of small steps yield to the event loop, check their deadline and notice an
// abort.
import { throwIfAborted } from '../../core/async/abort.ts';
import { nextTask } from '../../core/async/next-task.ts';

export interface PaceOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called now and then; throws to end the work. */
  checkTime?(): void;
}

// Less than a millisecond of listing.
const stepsBetweenChecks = 256;

// About 10 ms: how long an abort may go unnoticed.
const stepsBetweenRests = 4096;

/** The pace of one piece of work. */
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
