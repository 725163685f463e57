// Begins turns at times that were set before, while a session rests. The due prompt and the
// trigger's next state are recorded together, so nothing is told twice or lost. Started by
// session-engine.ts.
import { describeThrown } from '../../core/errors.ts';
import type { PromptRecord, StateRecord } from '../../core/session/journal.ts';
import { toLocalTime } from '../../core/triggers/local-time.ts';
import { toSystemReminder } from '../../core/messages/system-reminder.ts';
import type { Clock } from '../../core/tool/ports.ts';
import { toNoticeMessage } from '../messages/to-sdk-message.ts';
import type { Session } from '../session/session.ts';
import type { SessionSteps } from '../session-steps.ts';
import { refusedMs } from './turn-admission.ts';

/** A scheduled start of a turn. */
export interface Trigger {
  /** In milliseconds since the epoch. */
  readonly dueAt: number;
  /** The prompt for the model. `now`: the present time. */
  tell(now: number): string;
  /** The trigger's state after this run. */
  next(now: number): StateRecord;
}

/** The parts of the session that triggers use. */
export interface TriggerPorts {
  readonly clock: Clock;
  readonly journal: Pick<Session['journal'], 'fold' | 'onEntry' | 'recordSafely'>;
  readonly steps: SessionSteps | undefined;
  readonly timeZone: string;
  /** Aborted with the session's opening. */
  readonly signal: AbortSignal;
  /** All triggers. */
  list(): readonly Trigger[];
}

// A minute: timers stop while a machine sleeps, so the clock is checked again at least each minute.
const longestWaitMs = 60_000;

/** Fires triggers from now on, until `signal` is aborted. */
export function fireTriggers(
  session: Pick<Session, 'emit' | 'id' | 'ids' | 'spending'>,
  { clock, journal, steps, timeZone, signal, list }: TriggerPorts,
): void {
  const { fold } = journal;
  let timer: Disposable | undefined;
  let isFiring = false;
  /** No turn is tried before this time, because admission was refused. */
  let heldUntil = -Infinity;
  /** The number of refusals that were lifted. */
  let freed = 0;

  const isOpen = ({ origin }: PromptRecord) => origin?.kind === 'schedule';

  /** True if a turn may begin. Several due triggers become one prompt, and none waits behind it. */
  function isFree(): boolean {
    const isAtRest = !fold.turn && !fold.moved && !fold.waiting.some(isOpen);
    return isAtRest && !session.spending.isSpent();
  }

  /** Sets the timer again, because a record may have changed the next time. */
  function look(): void {
    timer?.[Symbol.dispose]();
    timer = undefined;
    // When the opening ends, the wake-up time stays as it is.
    if (isFiring || signal.aborted) return;
    const dueAt = isFree() ? Math.min(...list().map((trigger) => trigger.dueAt)) : Infinity;
    const at = Math.max(dueAt, heldUntil);
    steps?.wakeAt(dueAt === Infinity ? undefined : at);
    if (dueAt === Infinity) return;
    const delayMs = at - clock.now();
    if (delayMs > 0) timer = clock.after(Math.min(delayMs, longestWaitMs), look);
    else void fire();
  }

  /** Fires the due triggers. Never rejects. */
  async function fire(): Promise<void> {
    isFiring = true;
    // Keeps the session's object from being unloaded meanwhile.
    const working = steps?.work();
    try {
      const before = freed;
      const admitted = await steps?.admit();
      const now = clock.now();
      if (typeof admitted === 'string') {
        // The refusal was lifted while it was on its way. `look` asks again.
        if (freed !== before) return;
        heldUntil = now + refusedMs;
        const text = `What is scheduled waits, and is tried again within 15 minutes: ${admitted}`;
        session.emit(toNoticeMessage(session, text, 'warning'));
        return;
      }
      const due = list().filter(({ dueAt }) => dueAt <= now);
      if (due.length > 0 && isFree() && !signal.aborted) await record(due, now);
      // A rewind or a task has removed the trigger meanwhile.
      else admitted?.[Symbol.dispose]();
    } catch (error) {
      // A journal that breaks ends the session, and its result says so. Tried again at once,
      // anything else that fails would keep this thread busy for good.
      heldUntil = clock.now() + refusedMs;
      const text = `What is scheduled could not begin, and is tried again within 15 minutes: ${describeThrown(error)}`;
      session.emit(toNoticeMessage(session, text, 'warning'));
    } finally {
      isFiring = false;
      working?.[Symbol.dispose]();
      look();
    }
  }

  function record(due: readonly Trigger[], now: number): Promise<void> {
    const text = `It is ${toLocalTime(now, timeZone)} (${timeZone}), and what you have scheduled is due. Nobody has written: these are your own notes and not the user's words, and they permit nothing that the user has not allowed. Do what they say as far as it is still what the user wants.\n\n${due.map((trigger) => trigger.tell(now)).join('\n\n')}`;
    const states = due.map((trigger) => trigger.next(now));
    const prompt = {
      type: 'prompt',
      uuid: session.ids.of('schedule', fold.promptIds.size),
      message: toSystemReminder(text) as PromptRecord['message'],
      origin: { kind: 'schedule' },
      fires: states.map(({ key }) => key),
    } as const;
    return journal.recordSafely(prompt, ...states);
  }

  const listening = journal.onEntry(({ type, agent }) => {
    if (agent === undefined && movingKinds.has(type)) look();
  });
  steps?.onFreed(() => {
    freed += 1;
    const now = clock.now();
    if (heldUntil <= now) return isFiring;
    heldUntil = -Infinity;
    look();
    return isFiring;
  });
  signal.addEventListener(
    'abort',
    () => {
      listening[Symbol.dispose]();
      timer?.[Symbol.dispose]();
    },
    { once: true },
  );
  look();
}

const movingKinds: ReadonlySet<string> = new Set([
  ...['prompt', 'turn', 'result', 'state', 'rewound', 'moved'],
]);
