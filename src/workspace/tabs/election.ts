// Leader election: how a tab becomes leader, loses the lead and hands it over. A Web Lock decides,
// in the order of requests. A tab may steal it from a leader that doesn't answer. leader.ts does
// the leader's work.
import type { CommitSender } from './commits.ts';
import { createClearedError } from '../log/log-error.ts';
import { EraContents } from './era-contents.ts';
import { tickMs } from './follower.ts';
import type { Asking } from './follower.ts';
import { Leading, isLost } from './leader.ts';
import { createUnopenedError } from './tab-errors.ts';
import type { HeldLock, LeaderLock, LeaderWriter } from './tab-ports.ts';
import type { TabSession } from './tab-session.ts';

// 2 s: an heir that takes longer has died, and the first tab in the queue becomes leader.
const heirPatienceMs = 2000;
// 5 attempts, half a second apart. By then a temporary obstacle, such as a file held by a
// terminated worker, is gone.
const maxFailures = 5;

export class Leadership {
  readonly #tab: TabSession;
  readonly #asking: Asking;
  readonly #commits: CommitSender;
  readonly #candidacy: Candidacy;
  #held: HeldLock | undefined;
  /** The revision at the end of the last leadership whose log broke. */
  #brokenAt: number | undefined;
  /** How often this tab has failed to open the medium since it last heard of a leader. */
  #failed = { epoch: -1, count: 0 };

  constructor(tab: TabSession, asking: Asking, commits: CommitSender) {
    this.#tab = tab;
    this.#asking = asking;
    this.#commits = commits;
    this.#candidacy = new Candidacy({
      lock: tab.ports.lock,
      onElected: (held, isTaken) => this.#open(held, isTaken),
      onError: (error) => {
        tab.joined.reject(error);
        tab.ports.onError(error);
      },
    });
  }

  /** Queues for leadership. */
  stand(): void {
    void this.#candidacy.stand({ steal: false });
  }

  /** Steals leadership from its holder. */
  steal(): void {
    this.#tab.patience.heard();
    void this.#candidacy.stand({ steal: true });
  }

  /** Withdraws from the queue. Resolves when an election in progress has ended. */
  end(): Promise<void> {
    return this.#candidacy.end();
  }

  /** Releases the lock after the medium was closed. */
  release(): void {
    this.#held?.release();
  }

  /**
   * Called if another tab owns the medium, or will. Unacknowledged commits are sent to that tab.
   */
  lose(): void {
    const held = this.#held;
    this.#held = undefined;
    if (this.#tab.leading) this.#closeWriter(this.#tab.leading.writer);
    this.#follow();
    held?.release();
    this.stand();
  }

  /** A hidden leader closes the medium first, so that all commits in flight are answered. */
  async handOver(leading: Leading, heir: string): Promise<void> {
    const tab = this.#tab;
    tab.role = 'leaving';
    leading.pause();
    tab.post({ type: 'changing' });
    try {
      await leading.writer.close();
    } catch (error) {
      tab.ports.onError(error);
    }
    // Leadership was lost, or the tab closed, meanwhile.
    if (tab.leading !== leading || tab.isClosing) return;
    const held = this.#held;
    this.#held = undefined;
    tab.post({ type: 'resigned', epoch: leading.epoch, heir });
    this.#follow();
    // The heir takes the lock ahead of the queue.
    const timer = tab.ports.clock.after(heirPatienceMs, () => held?.release());
    void held?.lost.then(() => timer[Symbol.dispose]());
    this.stand();
  }

  /** Takes over the medium and becomes leader. */
  async #open(held: HeldLock, takeOver: boolean): Promise<void> {
    const tab = this.#tab;
    this.#held = held;
    tab.role = 'opening';
    void held.lost.then(() => {
      if (this.#held === held) this.lose();
    });
    tab.post({ type: 'changing' });
    let writer: LeaderWriter;
    try {
      writer = await tab.ports.openWriter({ takeOver });
    } catch (error) {
      held.release();
      this.#failToOpen(held, error);
      return;
    }
    if (this.#held !== held) this.#closeWriter(writer);
    else if (writer.state.revision < tab.revision) this.#end(held, writer);
    else if (writer.epoch < tab.leader.epoch) {
      // Another tab opened it later, and this tab doesn't know yet that it has lost the lock.
      this.#closeWriter(writer);
      this.lose();
    } else this.#lead(writer);
  }

  /**
   * Data that was acknowledged to this tab is no longer on the medium, because a person has cleared
   * the site's data. Continuing with the rest would look as if all files had been removed.
   */
  #end(held: HeldLock, writer: LeaderWriter): void {
    const tab = this.#tab;
    this.#closeWriter(writer);
    this.#held = undefined;
    held.release();
    void this.#candidacy.end();
    tab.end(createClearedError(undefined));
  }

  #failToOpen(held: HeldLock, error: unknown): void {
    const tab = this.#tab;
    if (this.#held !== held) return;
    if (isLost(error)) {
      this.lose();
      return;
    }
    this.#held = undefined;
    this.#follow();
    tab.joined.reject(error);
    tab.own.rejectUnsent(error);
    if (this.#countFailure() >= maxFailures) {
      const failure = createUnopenedError(error);
      tab.own.rejectAll(failure);
      tab.era.refuse(failure);
    }
    tab.ports.onError(error);
    // Another tab may succeed. This one retries.
    tab.ports.clock.after(tickMs, () => {
      if (tab.role === 'following') this.stand();
    });
  }

  #countFailure(): number {
    const { epoch } = this.#tab.leader;
    const before = this.#failed.epoch === epoch ? this.#failed.count : 0;
    this.#failed = { epoch, count: before + 1 };
    return this.#failed.count;
  }

  #lead(writer: LeaderWriter): void {
    const tab = this.#tab;
    tab.role = 'leading';
    tab.leader.succeed(writer.epoch, undefined);
    const { revision } = writer.state;
    if (revision !== tab.revision) tab.recent.reset(revision);
    tab.following.reset();
    const leading = this.#createLeading(writer);
    tab.leading = leading;
    const contents = new EraContents(writer.contents);
    tab.era.succeed(contents);
    tab.era = contents;
    tab.shared.replace(writer.state, contents);
    leading.announce();
    this.#commits.settle();
    tab.joined.resolve();
  }

  #createLeading(writer: LeaderWriter): Leading {
    const tab = this.#tab;
    const { id, clock, pack, onError } = tab.ports;
    const leading: Leading = new Leading(writer, {
      id,
      clock,
      pack,
      recent: tab.recent,
      post: (message, to) => tab.post(message, to),
      onRecord: (fed) => {
        tab.advance(writer.state, fed);
        this.#commits.settle();
      },
      onStreamRecord: (record) => {
        tab.advanceStream(writer.state, record);
        this.#commits.settle();
      },
      onMoved: () => tab.shared.move(),
      onRefused: () => {
        if (tab.leading === leading) this.#giveUp(leading);
      },
      onError,
      isVisible: () => tab.isVisible,
      isAlone: () => tab.isAlone,
    });
    return leading;
  }

  /**
   * Called when the writer can't write any more. Commits that it refused go to the next leader,
   * which may be this tab. A commit whose write failed is either found in the log or applied again.
   * If the log breaks again after reopening, clients would wait for ever, so their commits are
   * rejected first. A closing tab stays leader to its end: its own commits are rejected with the
   * broken log's error, and closing it closes the writer. Commits of other tabs go to the next
   * leader.
   */
  #giveUp(leading: Leading): void {
    const tab = this.#tab;
    const { refusal, state } = leading.writer;
    if (refusal?.code !== 'EIO') {
      this.lose();
      return;
    }
    if (tab.isClosing) {
      leading.end();
      return;
    }
    const isAgain = this.#brokenAt === state.revision;
    this.#brokenAt = state.revision;
    if (!isAgain) {
      this.lose();
      return;
    }
    tab.ports.clock.after(tickMs, () => {
      if (tab.leading === leading && !tab.isClosing) this.lose();
    });
  }

  #follow(): void {
    const tab = this.#tab;
    if (tab.leading) {
      tab.leader.info = tab.leading.info();
      tab.leading.end();
      tab.leading = undefined;
      tab.era.end();
      tab.following.reset();
    }
    tab.role = 'following';
    tab.leader.id = undefined;
    tab.patience.heard();
    this.#asking.wake();
  }

  #closeWriter(writer: LeaderWriter): void {
    writer.close().catch(this.#tab.ports.onError);
  }
}

export interface CandidacyPorts {
  readonly lock: LeaderLock;
  /**
   * Called when this tab has the lock, which it must release. `isTaken` is true if it was stolen
   * from a tab that may not know it yet. Not called again before this has resolved.
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

  /** Queues for the lock, or steals it from its holder. */
  async stand(options: { readonly steal: boolean }): Promise<void> {
    if (this.#isOver) return;
    this.#attempt?.abort();
    const attempt = new AbortController();
    this.#attempt = attempt;
    try {
      const held = await this.#ports.lock.acquire({ ...options, signal: attempt.signal });
      // A previous election may still be opening a medium that it has already lost.
      await this.#elected;
      if (attempt.signal.aborted) held.release();
      else this.#elected = this.#ports.onElected(held, options.steal);
    } catch (error) {
      if (!attempt.signal.aborted) this.#ports.onError(error);
    }
  }

  /** Withdraws from the queue. Resolves when an election in progress has ended. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#attempt?.abort();
    await this.#elected;
  }
}
