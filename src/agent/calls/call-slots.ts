// The schedule as promises: `loop.ts` takes a slot for each call of a message and waits in it for its
// turn; a call that is cut because of another hears of it by its slot's signal.
import { createChildController } from '../../core/async/abort.ts';
import type { LimiterSeat } from './call-limiter.ts';
import { createSchedule } from './schedule.ts';
import type { CallEnd, CallKind, SchedulePolicy } from './schedule.ts';

/** One call's place in the schedule. */
export interface CallSlot {
  /** Aborted when the call is cut; its reason says why in words, where another call or prompt is. */
  readonly controller: AbortController;
  classify(kind: CallKind): void;
  /**
   * True when it is the call's turn to be asked about; false when it must never run. It takes no permit
   * of the limiter's: a person may think for long, and other agents have work to do. `onWait` is called
   * at once where calls before it are in its way.
   */
  awaitTurn(onWait?: () => void): Promise<boolean>;
  /**
   * True when the call may start; false when it must never run. After {@link awaitTurn} it waits again
   * where what was learnt of it meanwhile demands that. `onWait` as there.
   */
  takeTurn(onWait?: () => void): Promise<boolean>;
  /** Its work is over: what it holds of the limiter's is free for others, whatever is asked yet. */
  endWork(): void;
  /** The call is settled: lets those behind it start, and cuts those beside it where it must. */
  release(end: CallEnd): void;
}

/** The slots of one message. */
export interface CallSlots {
  /** In the order of the blocks. */
  take(): CallSlot;
  /** The message is whole. */
  close(): void;
  /** The user has said something new. True where a call is cut for it, and nothing starts any more. */
  hearPrompt(): boolean;
}

export interface CallSlotOptions {
  /** How many of the message's calls run at once. */
  readonly maxRunning: number;
  readonly policy: SchedulePolicy;
  /** Shares out running calls between agents. Undefined: this one has all that it may. */
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
  // Where it is aborted already, no call gets past its own controller.
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
