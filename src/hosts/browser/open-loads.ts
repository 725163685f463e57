// What the calls of a tool worker wait for before they can begin: code, the sandbox engine, the state
// that they are to see. Who loads is about to compute, so serve-calls.ts doesn't say of it that it waits.
import type { Clock } from '../../core/ports.ts';
import { systemClock } from '../../core/system-clock.ts';

// 1 s: what takes longer waits for a network that may never answer, and others needn't wait with it.
const patienceMs = 1000;

/** Starts with nothing under way. */
export class OpenLoads {
  readonly #open = new Set<Promise<void>>();
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Gives `load` itself. */
  note<Load extends Promise<unknown>>(load: Load): Load {
    const close = () => void this.#open.delete(ended);
    const ended = load.then(close, close);
    this.#open.add(ended);
    return load;
  }

  /** Resolves once nothing loads, at the latest after a second. Never rejects. */
  async whenDone(): Promise<void> {
    let isLate = false;
    let giveUp!: () => void;
    const late = new Promise<void>((resolve) => void (giveUp = resolve));
    const timer = this.#clock.after(patienceMs, () => {
      isLate = true;
      giveUp();
    });
    while (this.#open.size > 0 && !isLate) await Promise.race([late, ...this.#open]);
    timer[Symbol.dispose]();
  }
}
