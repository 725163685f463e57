// A session's wake-up, kept as a state of its journal. It ends with the opening of the session.
// Created by load-features.ts.
import { isRecord } from '../../core/values/is-record.ts';
import type { StateRecord } from '../../core/session/journal.ts';
import { quoteForReminder } from '../../core/messages/system-reminder.ts';
import type { NewWakeup, Wakeup, Wakeups } from '../../core/triggers/wakeup.ts';
import { wakeupKey } from '../journal/trigger-keys.ts';
import type { CronJobPorts } from './cron-jobs.ts';
import type { Trigger } from './fire-triggers.ts';
import { isOver, whenRun } from './is-over.ts';

/** The wake-up of one session. */
export interface SessionWakeups extends Wakeups {
  /** At most one trigger. */
  triggers(): readonly Trigger[];
  pending(): (Wakeup & Pick<NewWakeup, 'prompt'>) | undefined;
}

interface RecordedWakeup extends Wakeup, Pick<NewWakeup, 'prompt' | 'madeBy'> {
  readonly madeAt: number;
  /**
   * The step of the reply with the call, because ids may repeat in the next reply. Earlier versions
   * have no step.
   */
  readonly step?: number;
}

const cancelled: StateRecord = { type: 'state', key: wakeupKey, value: null };

export function createWakeups({ journal, clock, hasOnePrompt }: CronJobPorts): SessionWakeups {
  const { fold } = journal;

  function find(): RecordedWakeup | undefined {
    const wakeup = readWakeup(fold.states.get(wakeupKey));
    if (!wakeup || isOver({ ...wakeup, durable: false }, fold)) return undefined;
    return whenRun(wakeupKey, wakeup.dueAt, fold) === undefined ? wakeup : undefined;
  }

  return {
    findFault: () =>
      hasOnePrompt
        ? 'This session ends with its answer: there is nothing to be woken later.'
        : undefined,
    async set({ delayMs, prompt, madeBy }) {
      const before = find();
      const { lastStep: step, length: madeAt } = fold;
      if (before?.madeBy === madeBy && before.step === step) return before;
      const value = { dueAt: clock.now() + delayMs, prompt, madeBy, madeAt, step };
      await journal.record({ type: 'state', key: wakeupKey, value });
      return value;
    },
    async cancel() {
      if (!find()) return false;
      await journal.record(cancelled);
      return true;
    },
    pending: find,
    triggers() {
      const wakeup = find();
      if (!wakeup) return [];
      const { dueAt, prompt } = wakeup;
      const tell = () => `You wanted to be woken now:\n${quoteForReminder(prompt)}`;
      return [{ dueAt, tell, next: () => cancelled }];
    },
  };
}

/** Reads a wake-up. A journal may contain the state of another version. */
function readWakeup(value: unknown): RecordedWakeup | undefined {
  if (!isRecord(value)) return undefined;
  const { dueAt, prompt, madeBy, madeAt } = value;
  const isOne =
    Number.isFinite(dueAt) &&
    Number.isFinite(madeAt) &&
    typeof prompt === 'string' &&
    typeof madeBy === 'string';
  return isOne ? (value as unknown as RecordedWakeup) : undefined;
}
