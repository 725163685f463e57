// How long a tab that needs the leader goes on asking before it takes the lead itself.

/** How often it asks: a lost message costs half a second. */
export const tickMs = 500;
// 3 s without a word, while asked six times: a leader that is only busy answers sooner. Chromium
// lets a terminated busy worker live on for 2 s, and then the lock is free without being taken.
const patienceTicks = 6;
// 15 s for who opens or closes a large log.
const changingTicks = 30;

/** Counts ticks, not time: a tab that was frozen itself has heard nobody either. */
export class Patience {
  #silentTicks = 0;
  #limit = patienceTicks;

  /** A word of the leader, or the beginning of a new one's time. */
  heard(): void {
    this.#silentTicks = 0;
    this.#limit = patienceTicks;
  }

  /** A word of a tab that opens or closes the medium. */
  heardOfChange(): void {
    this.#silentTicks = 0;
    this.#limit = changingTicks;
  }

  /** Another tick has passed. Is it over? */
  isOver(): boolean {
    this.#silentTicks += 1;
    return this.#silentTicks > this.#limit;
  }
}
