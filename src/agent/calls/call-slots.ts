// The schedule as promises. loop.ts takes a slot for each call of a message, and run-call.ts waits in it for
// the call's turn. A call that is cut because of another learns it by its slot's signal.
import { createChildController } from '../../core/async/abort.ts';
import type { LimiterSeat } from './call-limiter.ts';
import { createSchedule } from './schedule.ts';
import type { CallEnd, CallKind, SchedulePolicy } from './schedule.ts';

/** One call's place in the schedule. */
export interface CallSlot {
  /** Aborted when the call is cut. The reason is a text if another call or a prompt is why. */
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
  /** Its work is over: returns its permit to the limiter, even if a question about it is still open. */
  endWork(): void;
  /** The call is settled: lets later calls start, and cuts those beside it if the schedule says so. */
  release(end: CallEnd): void;
}

/** The slots of one message. */
export interface CallSlots {
  /** In the order of the blocks. */
  take(): CallSlot;
  /** The message is whole. */
  close(): void;
  /** The user has said something new. True if a call is cut for it; then nothing starts any more. */
  hearPrompt(): boolean;
}

export interface CallSlotOptions {
  /** How many of the message's calls run at once. */
  readonly maxRunning: number;
  readonly policy: SchedulePolicy;
  /** Shares the running calls between agents. Undefined: this agent has no limit but `maxRunning`. */
  readonly seat?: LimiterSeat | undefined;
}

/** Aborting `signal` cuts all calls that run, and starts no other. */
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
  // If the signal is aborted already, each call's own controller is aborted, too.
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
