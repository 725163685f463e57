// The schedule as promises. loop.ts takes a slot for each call of a message, in which run-call.ts
// waits for the call's turn. If a call is stopped because of another one, its slot's signal is
// aborted.
import { createChildController } from '../../core/async/abort.ts';
import type { LimiterSeat } from './call-limiter.ts';
import { createSchedule } from './schedule.ts';
import type { CallEnd, CallKind, SchedulePolicy } from './schedule.ts';

/** One call's place in the schedule. */
export interface CallSlot {
  /**
   * Aborted when the call is stopped. The reason is a text if another call or a prompt is the
   * cause.
   */
  readonly controller: AbortController;
  classify(kind: CallKind): void;
  /**
   * True when the call's question may be put; false if the call must never run. It takes no permit of the
   * limiter, because a person may take long and other agents have work to do. `onWait` is called at once
   * if the call has to wait for earlier ones.
   */
  awaitTurn(onWait?: () => void): Promise<boolean>;
  /**
   * True when the call may start; false if it must never run. After {@link awaitTurn} it may wait again,
   * if the call's kind has changed meanwhile. `onWait` as there.
   */
  takeTurn(onWait?: () => void): Promise<boolean>;
  /**
   * The call's work is done. Returns its permit to the limiter, even if a question about its
   * changes is still open.
   */
  endWork(): void;
  /**
   * The call is settled. Lets later calls start, and stops concurrent ones if the schedule requires
   * it.
   */
  release(end: CallEnd): void;
}

/** The slots of one message. */
export interface CallSlots {
  /** Takes the next slot, in the order of the blocks. */
  take(): CallSlot;
  /** The message is complete. */
  close(): void;
  /**
   * The user has sent a prompt. Returns true if a call is stopped for it; then no further call
   * starts.
   */
  hearPrompt(): boolean;
}

export interface CallSlotOptions {
  /** The most calls of the message that run at once. */
  readonly maxRunning: number;
  readonly policy: SchedulePolicy;
  /** Shares the running calls between agents. Undefined: only `maxRunning` limits this agent. */
  readonly seat?: LimiterSeat | undefined;
}

/** Aborting `signal` stops all running calls and starts no others. */
export function createCallSlots(options: CallSlotOptions, signal: AbortSignal): CallSlots {
  const { maxRunning, policy, seat } = options;
  const schedule = createSchedule(maxRunning, policy);
  const waiting = new Map<number, (mayStart: boolean) => void>();
  const controllers: ReturnType<typeof createChildController>[] = [];

  const answer = (call: number, mayStart: boolean) => {
    const resolve = waiting.get(call);
    waiting.delete(call);
    resolve?.(mayStart);
  };
  const advance = () => {
    const { start, skip } = schedule.decide();
    for (const call of skip) answer(call, false);
    for (const call of start) answer(call, true);
  };
  const cut = (calls: readonly number[], reason: string) => {
    for (const call of calls) controllers[call]?.abort(reason);
  };
  // If the signal is already aborted, each call's own controller is aborted too.
  signal.addEventListener('abort', () => {
    schedule.stop();
    advance();
  });

  return {
    take() {
      const call = controllers.length;
      const controller = createChildController(signal);
      controllers.push(controller);
      schedule.add(call);
      let toolName = '';
      let hasPermit = false;
      const awaitTurn = (onWait?: () => void) => {
        const turn = new Promise<boolean>((resolve) => waiting.set(call, resolve));
        schedule.allow(call);
        advance();
        if (waiting.has(call)) onWait?.();
        return turn;
      };
      const endWork = () => {
        if (hasPermit) seat?.giveBack();
        hasPermit = false;
      };
      return {
        controller,
        classify(kind) {
          ({ toolName } = kind);
          schedule.classify(call, kind);
          advance();
        },
        awaitTurn,
        async takeTurn(onWait) {
          if (!(await awaitTurn(onWait))) return false;
          hasPermit = seat ? await seat.take(controller.signal) : true;
          return hasPermit && !controller.signal.aborted;
        },
        endWork,
        release(end) {
          endWork();
          controller[Symbol.dispose]();
          cut(schedule.settle(call, end), `because ${toolName} beside it failed`);
          advance();
        },
      };
    },
    close() {
      schedule.close();
      advance();
    },
    hearPrompt() {
      const calls = schedule.hearPrompt();
      cut(calls, 'because the user spoke');
      advance();
      return calls.length > 0;
    },
  };
}
