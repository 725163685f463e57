// What the calls of a tool worker wait for before they can begin: code, the sandbox engine, the state
// that they are to see. Who loads is about to compute, so serve-calls.ts doesn't say of it that it waits.
import type { Clock } from '../../../core/tool/ports.ts';
import { systemClock } from '../../../core/system-clock.ts';

// 1 s: what takes longer waits for a network that may never answer, and others needn't wait with it.
const patienceMs = 1000;

/** Starts with nothing under way. */
export class OpenLoads {
  /** Each with the time when it is waited for no longer. */
  readonly #open = new Map<Promise<void>, number>();
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Gives `load` itself. */
  note<Load extends Promise<unknown>>(load: Load): Load {
    const close = () => void this.#open.delete(ended);
    const ended = load.then(close, close);
    this.#open.set(ended, this.#clock.now() + patienceMs);
    return load;
  }

  /**
   * Resolves once nothing loads that began within the last second; after a second in any case. Never
   * rejects.
   */
  async whenDone(): Promise<void> {
    const end = this.#clock.now() + patienceMs;
    for (;;) {
      const now = this.#clock.now();
      const awaited = [...this.#open].filter(([, until]) => until > now);
      const last = awaited.at(-1);
      if (!last || now >= end) return;
      let giveUp!: () => void;
      const late = new Promise<void>((resolve) => void (giveUp = resolve));
      const timer = this.#clock.after(Math.min(last[1], end) - now, giveUp);
      await Promise.race([late, ...awaited.map(([load]) => load)]);
      timer[Symbol.dispose]();
    }
  }
}
