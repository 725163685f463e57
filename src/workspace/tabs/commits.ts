// This tab's own commits, whichever tab leads. `OwnCommits` numbers them in the order of the
// requests and settles each once. `CommitSender` sends them to the leader, and retries them at the
// next leader with the same numbers. Commits are applied once.
import { fromSerializedError } from '../../core/errors.ts';
import { maxOpenCommits } from '../state/state.ts';
import type { CommitResult } from '../workspace.ts';
import { isLost } from './leader.ts';
import type { Leading } from './leader.ts';
import type { TabAnswer, TabRequest } from './tab-message.ts';
import type { TabSession } from './tab-session.ts';

/** Where and when a commit was sent last. */
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

/** Every commit is settled once: duplicate or late answers change nothing. */
export class OwnCommits {
  /** The open commits by number, in order. */
  readonly #open = new Map<number, OpenCommit>();
  /** Answers that wait for the revision that they name. */
  readonly #answers = new Map<number, TabAnswer>();
  readonly #whenEmpty: (() => void)[] = [];
  #nextNumber = 1;

  get size(): number {
    return this.#open.size;
  }

  /** The lowest number that isn't settled; the next one where all are. */
  get oldest(): number {
    for (const number of this.#open.keys()) return number;
    return this.#nextNumber;
  }

  /** What the commit that is added next is numbered. */
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
   * The commits from `from` on that may be under way at one time, in order. The leader remembers no more refusals than
   * that.
   */
  *sendable(from: number): Iterable<OwnCommit> {
    const { oldest } = this;
    const end = Math.min(oldest + maxOpenCommits, this.#nextNumber);
    for (let number = Math.max(oldest, from); number < end; number += 1) {
      const commit = this.#open.get(number);
      if (commit) yield commit;
    }
  }

  /** It takes effect once {@link settle} has reached the revision that it names. */
  answer(answer: TabAnswer): void {
    if (this.#open.has(answer.number)) this.#answers.set(answer.number, answer);
  }

  /** Settles what was answered: the tab has reached that revision. */
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
   * Rejects commits that were never sent. Sent ones may have been applied without an answer to this
   * tab.
   */
  rejectUnsent(error: unknown): void {
    for (const { number, sent } of [...this.#open.values()]) if (!sent) this.reject(number, error);
  }

  rejectAll(error: unknown): void {
    for (const number of [...this.#open.keys()]) this.reject(number, error);
  }

  /** Resolves when nothing is open. */
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
  /** The leader of that epoch got all below that number: with hundreds open, most are no news. */
  #sent = { epoch: -1, until: 0 };

  constructor(tab: TabSession) {
    this.#tab = tab;
  }

  /**
   * Sends the commits that the present leader hasn't got from this tab, and retries those that
   * `isMissing` names.
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

  /** A client that has an answer must also see the state that it names. */
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
      // What can't be cloned can't be committed.
      own.reject(number, error);
    }
  }

  async #commitHere(leading: Leading, { number, request }: OwnCommit): Promise<void> {
    const { own, ports } = this.#tab;
    try {
      const { seq } = await leading.commit(ports.id, number, request);
      own.answer({ number, seq, revision: leading.writer.state.revision });
    } catch (error) {
      // It stays open for the next leader: a refusal by a leader that has lost the lead doesn't
      // count.
      if (isLost(error) || this.#tab.leading !== leading) return;
      own.reject(number, error);
    }
    this.settle();
  }
}
