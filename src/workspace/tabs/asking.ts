// What a tab that follows asks of the leader: what it lacks, and the lead where it is seen and the
// leader isn't. It goes on asking until it has that, or takes the lead of who doesn't answer.
import { tickMs } from './patience.ts';
import { createUnsharedError } from './tab-errors.ts';
import type { TabSession } from './tab-session.ts';

// 30 s: a leader that answers, and still can't send what it has.
const joiningTicks = 60;

export class Asking implements Disposable {
  readonly #tab: TabSession;
  readonly #steal: () => void;
  #timer: Disposable | undefined;

  /** `steal` takes the lead of who was asked too often. */
  constructor(tab: TabSession, steal: () => void) {
    this.#tab = tab;
    this.#steal = steal;
  }

  sayHello(): void {
    const { following, seq, own, leader } = this.#tab;
    // What others have seen comes first; a snapshot that only frees memory can wait.
    const isRenewing = following.isFull && !this.#isBehind();
    const has = following.isReady && !isRenewing ? seq : -1;
    this.#tab.post({ type: 'hello', seq: has, oldest: own.oldest }, leader.id);
  }

  claim(): void {
    const { role, leader } = this.#tab;
    if (role !== 'following' || !this.#wantsLead()) return;
    this.#tab.post({ type: 'claim', epoch: leader.epoch }, leader.id);
  }

  /** Ticks only while this tab has something to send or to hear. */
  wake(): void {
    const { own, following, role, ports } = this.#tab;
    const isIdle = own.size === 0 && !this.#isBehind() && !following.isFull && !this.#wantsLead();
    if (this.#timer || role !== 'following' || isIdle) return;
    this.#timer = ports.clock.after(tickMs, () => this.#onTick());
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  #onTick(): void {
    const tab = this.#tab;
    this.#timer = undefined;
    tab.tick += 1;
    if (!tab.shared.state && tab.tick > joiningTicks) tab.joined.reject(createUnsharedError());
    if (tab.role === 'following') {
      if (tab.patience.isOver()) this.#steal();
      else {
        this.sayHello();
        this.claim();
      }
    }
    this.wake();
  }

  #isBehind(): boolean {
    const { following, seq, leader } = this.#tab;
    return !following.isReady || seq < leader.seq || following.hasGap;
  }

  #wantsLead(): boolean {
    const { isVisible, leader } = this.#tab;
    return isVisible && leader.id !== undefined && !leader.isVisible;
  }
}
