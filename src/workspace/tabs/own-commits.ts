// The commits of this tab that aren't settled yet, whoever leads: numbered in the order in which they
// were asked for, and sent again by the same numbers when another tab has become the leader.
import { fromSerializedError } from '../../core/errors.ts';
import { maxOpenCommits } from '../state.ts';
import type { CommitResult } from '../workspace.ts';
import type { TabAnswer, TabRequest } from './tab-message.ts';

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

/** Every commit is settled once: an answer that comes again, or late, changes nothing. */
export class OwnCommits {
  /** By their numbers, and in their order. */
  readonly #open = new Map<number, OpenCommit>();
  /** Answers that wait for the record that they name. */
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
   * What may be under way at one time, in order: the leader remembers no more refusals than that.
   * Without those below `from`.
   */
  *sendable(from: number): Iterable<OwnCommit> {
    const { oldest } = this;
    const end = Math.min(oldest + maxOpenCommits, this.#nextNumber);
    for (let number = Math.max(oldest, from); number < end; number += 1) {
      const commit = this.#open.get(number);
      if (commit) yield commit;
    }
  }

  /** It counts once {@link settle} has reached the record that it names. */
  answer(answer: TabAnswer): void {
    if (this.#open.has(answer.number)) this.#answers.set(answer.number, answer);
  }

  /** Settles what was answered: the tab has seen all records up to `seq`. */
  settle(seq: number): void {
    for (const [number, answer] of this.#answers) {
      if (answer.seq > seq) continue;
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

  /** Not those that may have been applied without this tab's having heard of it. */
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
