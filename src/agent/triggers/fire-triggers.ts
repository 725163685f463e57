// Begins turns at times that were set before, where a session rests then. What is due is recorded as a prompt together
// with what comes next of it, so that nothing is told twice or lost. Started by session-engine.ts.
import type { PromptRecord, StateRecord } from '../../core/session/journal.ts';
import { toLocalTime } from '../../core/triggers/local-time.ts';
import { toSystemReminder } from '../../core/messages/system-reminder.ts';
import type { Clock } from '../../core/tool/ports.ts';
import { toNoticeMessage } from '../messages/to-sdk-message.ts';
import type { Session } from '../session/session.ts';
import type { SessionSteps } from '../session-steps.ts';
import { refusedMs } from './turn-admission.ts';

/** Something that is to begin a turn. */
export interface Trigger {
  /** In milliseconds since the epoch. */
  readonly dueAt: number;
  /** What the model is told. `now`: when that is. */
  tell(now: number): string;
  /** What its state becomes with that. */
  next(now: number): StateRecord;
}

/** What it has of its session. */
export interface TriggerPorts {
  readonly clock: Clock;
  readonly journal: Pick<Session['journal'], 'fold' | 'onEntry' | 'recordSafely'>;
  readonly steps: SessionSteps | undefined;
  readonly timeZone: string;
  /** Aborted with the session's opening. */
  readonly signal: AbortSignal;
  /** All that there are now. */
  list(): readonly Trigger[];
}

// A minute: timers stand still while a machine sleeps, so that the clock is looked at again.
const longestWaitMs = 60_000;

/** From here on, until `signal` is aborted. */
export function fireTriggers(
  session: Pick<Session, 'emit' | 'id' | 'ids' | 'spending'>,
  { clock, journal, steps, timeZone, signal, list }: TriggerPorts,
): void {
  const { fold } = journal;
  let timer: Disposable | undefined;
  let isFiring = false;
  /** Before that nothing is tried: somebody has refused it. */
  let heldUntil = -Infinity;
  /** How often a refusal was taken back. */
  let freed = 0;

  const isOpen = ({ origin }: PromptRecord) => origin?.kind === 'schedule';

  /** Several that are due become one prompt, and none piles up behind it. */
  function isFree(): boolean {
    const isAtRest = !fold.turn && !fold.moved && !fold.waiting.some(isOpen);
    return isAtRest && !session.spending.isSpent();
  }

  /** Sets the timer again: whatever was recorded may have moved what comes next. */
  function look(): void {
    timer?.[Symbol.dispose]();
    timer = undefined;
    // As it stands at the end it is left.
    if (isFiring || signal.aborted) return;
    const dueAt = isFree() ? Math.min(...list().map((trigger) => trigger.dueAt)) : Infinity;
    const at = Math.max(dueAt, heldUntil);
    steps?.wakeAt(dueAt === Infinity ? undefined : at);
    if (dueAt === Infinity) return;
    const delayMs = at - clock.now();
    if (delayMs > 0) timer = clock.after(Math.min(delayMs, longestWaitMs), look);
    else void fire();
  }

  /** Never rejects. */
  async function fire(): Promise<void> {
    isFiring = true;
    // In an object: it isn't let go in between.
    const working = steps?.work();
    try {
      const before = freed;
      const admitted = await steps?.admit();
      const now = clock.now();
      if (typeof admitted === 'string') {
        // Taken back while it was on its way: it is asked once more, by `look`.
        if (freed !== before) return;
        heldUntil = now + refusedMs;
        const text = `What is scheduled waits, and is tried again within 15 minutes: ${admitted}`;
        session.emit(toNoticeMessage(session, text, 'warning'));
        return;
      }
      const due = list().filter(({ dueAt }) => dueAt <= now);
      if (due.length > 0 && isFree() && !signal.aborted) await record(due, now);
      // It was taken away meanwhile, by a rewind or a task.
      else admitted?.[Symbol.dispose]();
    } catch {
      // A journal that breaks ends the session, and its result says so.
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
