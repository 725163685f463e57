// A guest's requests to its host that it awaits: the network, digests. Each is a number to the
// guest, and its answer comes by that number.
import { SdkError } from '../../core/errors.ts';
import type { GuestValue } from '../vm/engine.ts';
import type { CellMeter } from '../vm/limits.ts';

/** The outcome of a call. The guest's own code resolves its promise with `values`. */
export type HostAnswer = { readonly id: number } &
  /** `isNote`: the call goes on, and these values are its progress. */
  (
    | { readonly ok: true; readonly values: readonly GuestValue[]; readonly isNote?: true }
    | { readonly ok: false; readonly error: unknown }
  );

interface CallUnderWay {
  readonly controller: AbortController;
  readonly heldBytes: number;
}

/**
 * One session's calls. Their numbers are never used twice, and a call that its cell has left behind is forgotten. So a
 * late answer, for example after a rollback, reaches no later cell.
 */
export class HostCalls {
  readonly #underWay = new Map<number, CallUnderWay>();
  #answers: HostAnswer[] = [];
  #lastId = 0;
  #meter: CellMeter | undefined;
  #wake = () => {};

  /** A cell begins. */
  open(meter: CellMeter): void {
    this.#meter = meter;
  }

  /**
   * Ends the calls of a cell: aborts those under way, drops every answer, and starts nothing more.
   */
  close(): void {
    this.#meter = undefined;
    this.#answers = [];
    const left = [...this.#underWay.values()];
    this.#underWay.clear();
    for (const { controller } of left) controller.abort();
  }

  /**
   * Starts a call and returns its number. `run` may throw or reject: that is its answer. `heldBytes` is what the call
   * keeps of the guest's until it has answered. `note` tells the guest how far it is. Only the newest note that the
   * guest hasn't heard yet stays.
   *
   * @throws SdkError where no cell runs, and where as many are under way, or hold as much, as may be.
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

  /** The guest doesn't want the answer any more. Its number may be one that was never given out. */
  cancel(id: number): void {
    this.#forget(id)?.controller.abort();
  }

  /** Replaces a note of the same call that nobody has taken. */
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

  /** True if there is an answer, or a call that can still answer. */
  get isWaiting(): boolean {
    return this.#underWay.size > 0 || this.#answers.length > 0;
  }

  /** The oldest answer that was not taken yet. */
  take(): HostAnswer | undefined {
    return this.#answers.shift();
  }

  /** Calls `wake` when an answer is there, at once if one already is. One waiter at a time. */
  onAnswer(wake: () => void): void {
    this.#wake = wake;
    if (this.#answers.length > 0) wake();
  }
}
