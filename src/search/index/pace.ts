// Makes long loops of small steps yield to the event loop, check their deadline and notice an
// abort.
import { throwIfAborted } from '../../core/async/abort.ts';
import { nextTask } from '../../core/async/next-task.ts';

export interface PaceOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called regularly. Throws to end the work. */
  checkTime?(): void;
}

// 256 steps of a listing take less than a millisecond.
const stepsBetweenChecks = 256;

// 4096 steps take about 10 ms. For this time an abort may go unnoticed.
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
   * Call it for each step. If it returns a promise, await that.
   * @throws the errors of `checkTime`; `aborted` once the signal is.
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
