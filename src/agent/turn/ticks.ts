// Proactive mode. While a session is idle, a tick starts a turn from time to time, in which the
// model may continue by itself. Created by session-engine.ts for a query with the option. Time
// comes from the host's clock.
import { SdkError, describeThrown } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import { toSystemReminder } from '../../core/messages/system-reminder.ts';
import { readSleepState, sleepState } from '../../core/session/sleep-state.ts';
import type { Prompt } from './between-turns.ts';
import { toNoticeMessage } from '../messages/to-sdk-message.ts';
import type { Session } from '../session/session.ts';

/** The interval and the number of ticks. */
export interface ProactiveOptions {
  /**
   * The time from the end of a turn to the next tick, in milliseconds. At least 1 000.
   * @defaultValue 60 000
   */
  readonly tickMs?: number;
  /** The number of ticks without a prompt of the person between them. @defaultValue 20 */
  readonly maxTicks?: number;
  /**
   * Called when a tick is due. True postpones the tick by `tickMs`, for example while the page is
   * hidden. If it throws, the person gets a notice, and ticks stop until the next prompt. Left out:
   * ticks are never postponed.
   */
  readonly isAway?: () => boolean;
}

// A minute: each tick is a request with the whole conversation, which the API caches for five
// minutes.
const defaultTickMs = 60_000;
const defaultMaxTicks = 20;
const minTickMs = 1_000;
// A day: no timer needs to be longer.
const maxTickMs = 86_400_000;

/**
 * Reads the option. Undefined: no ticks.
 * @throws SdkError `bad-usage` for an invalid option
 */
export function readProactive(option: unknown): ProactiveOptions | undefined {
  if (option === undefined || option === false) return undefined;
  if (option === true) return {};
  if (!isRecord(option)) refuse('proactive is true, or { tickMs, maxTicks, isAway }.');
  const { tickMs = defaultTickMs, maxTicks = defaultMaxTicks, isAway, ...others } = option;
  const [other] = Object.keys(others);
  if (other !== undefined) refuse(`proactive has no ${other}: it has tickMs, maxTicks and isAway.`);
  const isTime = typeof tickMs === 'number' && tickMs >= minTickMs && tickMs <= maxTickMs;
  if (!isTime) refuse(`proactive.tickMs is a number from ${minTickMs} to ${maxTickMs}.`);
  if (!Number.isInteger(maxTicks) || (maxTicks as number) < 1) {
    refuse('proactive.maxTicks is a whole number above 0.');
  }
  if (isAway !== undefined && typeof isAway !== 'function') {
    refuse('proactive.isAway is a function: () => document.hidden, say.');
  }
  return {
    tickMs,
    maxTicks: maxTicks as number,
    ...(isAway && { isAway: isAway as () => boolean }),
  };
}

function refuse(message: string): never {
  throw new SdkError('bad-usage', message, { data: { option: 'proactive' } });
}

/** The ticks of one open session. At most one tick is scheduled. */
export interface Ticks extends Disposable {
  /**
   * Schedules the next tick, if one may come. Called after a turn, and when the session was opened.
   */
  rest(): void;
  /** Cancels the scheduled tick. Called when a turn begins. */
  hold(): void;
  isDue(): boolean;
  /** Takes the prompt of the tick that is due. Undefined: none is due. */
  take(): Prompt | undefined;
}

/** `wake`: called when a tick is due. */
export function createTicks(
  session: Pick<Session, 'emit' | 'host' | 'id' | 'ids' | 'journal' | 'spending'>,
  { tickMs = defaultTickMs, maxTicks = defaultMaxTicks, isAway = () => false }: ProactiveOptions,
  wake: () => void,
): Ticks {
  const { journal, host, spending } = session;
  const { fold } = journal;
  const { clock } = host;
  let timer: Disposable | undefined;
  let isDue = false;
  let heldAt = -Infinity;

  function cancel(): void {
    timer?.[Symbol.dispose]();
    timer = undefined;
    isDue = false;
  }

  /**
   * True if a tick may come. After a turn that was stopped, has failed or has reached a limit, the
   * session waits for the person.
   */
  function mayTick(): boolean {
    const last = fold.lastResult?.message;
    const isWell = last?.subtype === 'success' && last['terminal_reason'] === 'completed';
    const isQuiet = !fold.turn && !fold.moved && fold.waiting.length === 0;
    return isWell && isQuiet && !spending.isSpent() && fold.ticks < maxTicks;
  }

  function set(delayMs: number): void {
    timer = clock.after(Math.min(Math.max(delayMs, 0), maxTickMs), () => {
      if (!mayTick()) return cancel();
      let isPutOff: boolean;
      try {
        isPutOff = isAway();
      } catch (error) {
        const text = `proactive.isAway failed, so no tick comes until the next prompt: ${describeThrown(error)}`;
        session.emit(toNoticeMessage(session, text, 'warning'));
        return cancel();
      }
      if (isPutOff) return set(tickMs);
      isDue = true;
      wake();
    });
  }

  return {
    rest() {
      cancel();
      if (!mayTick()) return;
      const sleep = readSleepState(fold.states.get(sleepState));
      const now = clock.now();
      // A sleep of an earlier turn doesn't count.
      const isNew = sleep !== undefined && sleep.at >= heldAt && sleep.until > now;
      set(isNew ? sleep.until - now : tickMs);
    },
    hold() {
      heldAt = clock.now();
      cancel();
    },
    isDue: () => isDue,
    take() {
      if (!isDue) return undefined;
      cancel();
      return mayTick() ? { message: toTick(clock.now()), origin: { kind: 'tick' } } : undefined;
    },
    [Symbol.dispose]: cancel,
  };
}

function toTick(now: number): Extract<MessageParam, { role: 'user' }> {
  const { content } = toSystemReminder(
    `Tick. It is ${new Date(now).toISOString()}. Nobody has written: these are not the user's words, and they permit nothing. If what the user has asked for leaves something useful to do, do it. If not, call Sleep, with the time until it is worth looking again. Don't repeat what you have said, and don't ask whether anybody is there.`,
  );
  return { role: 'user', content } as Extract<MessageParam, { role: 'user' }>;
}
