// This tab's own commits, whichever tab leads. `OwnCommits` numbers them in order and settles each
// once. `CommitSender` sends them to the leader, and sends them again to the next leader with the
// same numbers, so that each is applied once.
import { fromSerializedError } from '../../core/errors.ts';
import { maxOpenCommits } from '../state/state.ts';
import type { CommitResult } from '../workspace.ts';
import { isLost } from './leader.ts';
import type { Leading } from './leader.ts';
import type { TabAnswer, TabRequest } from './tab-message.ts';
import type { TabSession } from './tab-session.ts';

/** To which leader and when a commit was last sent. */
export interface Sent {
  readonly epoch: number;
  readonly tick: number;
}

export interface OwnCommit {
  readonly number: number;
  readonly request: TabRequest;
  sent: Sent | undefined;
}

interface OpenCommit extends OwnCommit {
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Every commit is settled once. Duplicate or late answers have no effect. */
export class OwnCommits {
  /** The open commits by number, in order. */
  readonly #open = new Map<number, OpenCommit>();
  /** Answers that wait until this tab has reached their revision. */
  readonly #answers = new Map<number, TabAnswer>();
  readonly #whenEmpty: (() => void)[] = [];
  #nextNumber = 1;

  get size(): number {
    return this.#open.size;
  }

  /** The lowest number that isn't settled. If all are, the next number. */
  get oldest(): number {
    for (const number of this.#open.keys()) return number;
    return this.#nextNumber;
  }

  /** The number of the next commit. */
  get next(): number {
    return this.#nextNumber;
  }

  add(request: TabRequest): Promise<CommitResult> {
    return new Promise((resolve, reject) => {
      const number = this.#nextNumber;
      this.#nextNumber += 1;
      this.#open.set(number, { number, request, sent: undefined, resolve, reject });
    });
  }

  /**
   * Yields the commits from `from` on that may be in flight at the same time, in order. The leader
   * doesn't remember more refusals than that.
   */
  *sendable(from: number): Iterable<OwnCommit> {
    const { oldest } = this;
    const end = Math.min(oldest + maxOpenCommits, this.#nextNumber);
    for (let number = Math.max(oldest, from); number < end; number += 1) {
      const commit = this.#open.get(number);
      if (commit) yield commit;
    }
  }

  /** Takes effect once {@link settle} has reached the answer's revision. */
  answer(answer: TabAnswer): void {
    if (this.#open.has(answer.number)) this.#answers.set(answer.number, answer);
  }

  /** Settles answered commits up to the revision that this tab has reached. */
  settle(revision: number): void {
    for (const [number, answer] of this.#answers) {
      if (answer.revision > revision) continue;
      if (answer.error) this.reject(number, fromSerializedError(answer.error));
      else this.resolve(number, answer.seq);
    }
  }

  resolve(number: number, seq: number): void {
    this.#open.get(number)?.resolve({ seq });
    this.#delete(number);
  }

  reject(number: number, error: unknown): void {
    this.#open.get(number)?.reject(error);
    this.#delete(number);
  }

  /**
   * Rejects commits that were never sent. Those that were sent may have been applied without an
   * answer.
   */
  rejectUnsent(error: unknown): void {
    for (const { number, sent } of [...this.#open.values()]) if (!sent) this.reject(number, error);
  }

  rejectAll(error: unknown): void {
    for (const number of [...this.#open.keys()]) this.reject(number, error);
  }

  /** Resolves when no commit is open. */
  async whenEmpty(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => this.#whenEmpty.push(resolve));
  }

  #delete(number: number): void {
    this.#open.delete(number);
    this.#answers.delete(number);
    if (this.#open.size > 0) return;
    for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }
}

export class CommitSender {
  readonly #tab: TabSession;
  /**
   * The leader of that epoch has received all commits below that number. It avoids checking
   * hundreds of open ones.
   */
  #sent = { epoch: -1, until: 0 };

  constructor(tab: TabSession) {
    this.#tab = tab;
  }

  /**
   * Sends the commits that the current leader hasn't received, and again those for which
   * `isMissing` returns true.
   */
  send(isMissing?: (commit: OwnCommit) => boolean): void {
    const { role, leader, own, tick } = this.#tab;
    const { epoch } = leader;
    const leading = role === 'leading' ? this.#tab.leading : undefined;
    if (!leading && (role !== 'following' || leader.id === undefined)) return;
    if (this.#sent.epoch !== epoch) this.#sent = { epoch, until: 0 };
    const from = isMissing ? 0 : this.#sent.until;
    for (const commit of own.sendable(from)) {
      if (commit.sent?.epoch === epoch && !isMissing?.(commit)) continue;
      commit.sent = { epoch, tick };
      this.#sent.until = Math.max(this.#sent.until, commit.number + 1);
      if (leading) void this.#commitHere(leading, commit);
      else this.#post(commit);
    }
  }

  /** A client that gets an answer must already see the corresponding state. */
  settle(): void {
    this.#tab.own.settle(this.#tab.revision);
    this.send();
  }

  #post({ number, request }: OwnCommit): void {
    const { own, leader } = this.#tab;
    try {
      const { oldest } = own;
      this.#tab.post({ type: 'commit', epoch: leader.epoch, number, oldest, request }, leader.id);
    } catch (error) {
      // Data that can't be cloned can't be committed.
      own.reject(number, error);
    }
  }

  async #commitHere(leading: Leading, { number, request }: OwnCommit): Promise<void> {
    const { own, ports } = this.#tab;
    try {
      const { seq } = await leading.commit(ports.id, number, request);
      own.answer({ number, seq, revision: leading.writer.state.revision });
    } catch (error) {
      // The commit stays open for the next leader, because a refusal by a leader that has lost the
      // lead doesn't count.
      if (isLost(error) || this.#tab.leading !== leading) return;
      own.reject(number, error);
    }
    this.settle();
  }
}
