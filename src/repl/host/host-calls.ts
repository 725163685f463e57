// Asynchronous calls of the guest to its host, such as network requests and digests. The guest
// identifies each call by a number, and the answer carries that number.
import { SdkError } from '../../core/errors.ts';
import type { GuestValue } from '../vm/engine.ts';
import type { CellMeter } from '../vm/limits.ts';

/** The outcome of a call. Guest code resolves its promise with `values`. */
export type HostAnswer = { readonly id: number } &
  /** With `isNote`, `values` report progress and the call continues. */
  (
    | { readonly ok: true; readonly values: readonly GuestValue[]; readonly isNote?: true }
    | { readonly ok: false; readonly error: unknown }
  );

interface CallUnderWay {
  readonly controller: AbortController;
  readonly heldBytes: number;
}

/**
 * The open calls of one session. Numbers are never reused, and calls of an ended cell are
 * forgotten. So a late answer, for example after a rollback, never reaches a later cell.
 */
export class HostCalls {
  readonly #underWay = new Map<number, CallUnderWay>();
  #answers: HostAnswer[] = [];
  #lastId = 0;
  #meter: CellMeter | undefined;
  #wake = () => {};

  /** Called when a cell begins. */
  open(meter: CellMeter): void {
    this.#meter = meter;
  }

  /** Ends the calls of a cell: aborts open ones and drops all answers. New calls are refused. */
  close(): void {
    this.#meter = undefined;
    this.#answers = [];
    const left = [...this.#underWay.values()];
    this.#underWay.clear();
    for (const { controller } of left) controller.abort();
  }

  /**
   * Starts a call and returns its number. If `run` throws or rejects, that is the answer.
   * `heldBytes` is how many of the guest's bytes the call holds until it has answered. `note`
   * reports progress. Only the newest report that wasn't delivered yet is kept.
   *
   * @throws SdkError if no cell runs, or if the calls would exceed the limit of open calls or of
   * held bytes.
   */
  start(
    run: (
      signal: AbortSignal,
      note: (values: readonly GuestValue[]) => void,
    ) => Promise<readonly GuestValue[]>,
    heldBytes = 0,
  ): number {
    const meter = this.#meter;
    if (!meter) throw new SdkError('aborted', 'The cell has ended: nothing more can be started.');
    meter.take('maxOpenHandles');
    try {
      meter.take('maxMemoryBytes', heldBytes);
    } catch (error) {
      meter.giveBack('maxOpenHandles');
      throw error;
    }
    const id = (this.#lastId += 1);
    const controller = new AbortController();
    this.#underWay.set(id, { controller, heldBytes });
    const settle = (answer: HostAnswer) => {
      if (!this.#forget(id)) return;
      this.#push(answer);
    };
    const note = (values: readonly GuestValue[]) => {
      if (this.#underWay.has(id)) this.#push({ id, ok: true, values, isNote: true });
    };
    Promise.resolve()
      .then(() => run(controller.signal, note))
      .then(
        (values) => settle({ id, ok: true, values }),
        (error: unknown) => settle({ id, ok: false, error }),
      );
    return id;
  }

  /** Cancels a call. The guest chooses the number, so it may be unknown. */
  cancel(id: number): void {
    this.#forget(id)?.controller.abort();
  }

  /** A report of progress replaces an undelivered one of the same call. */
  #push(answer: HostAnswer): void {
    const before = this.#answers.findIndex(
      (one) => one.id === answer.id && one.ok && one.isNote === true,
    );
    if (before < 0) this.#answers.push(answer);
    else this.#answers[before] = answer;
    this.#wake();
  }

  #forget(id: number): CallUnderWay | undefined {
    const call = this.#underWay.get(id);
    if (!call) return undefined;
    this.#underWay.delete(id);
    this.#meter?.giveBack('maxOpenHandles');
    this.#meter?.giveBack('maxMemoryBytes', call.heldBytes);
    return call;
  }

  /** True if there is an answer, or a call that may still answer. */
  get isWaiting(): boolean {
    return this.#underWay.size > 0 || this.#answers.length > 0;
  }

  /** Returns the oldest answer that wasn't taken yet. */
  take(): HostAnswer | undefined {
    return this.#answers.shift();
  }

  /**
   * Calls `wake` once an answer exists, or at once if there is one. There is one waiter at a time.
   */
  onAnswer(wake: () => void): void {
    this.#wake = wake;
    if (this.#answers.length > 0) wake();
  }
}
