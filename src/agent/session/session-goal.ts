// The session's goal, kept in its journal. turn/follow-goal.ts checks it.
import { SdkError } from '../../core/errors.ts';
import { goalState, maxGoalLength, toActiveGoal, toKeptGoal } from '../../core/session/goal.ts';
import type { ActiveGoal, KeptGoal } from '../../core/session/goal.ts';
import { quoteForReminder } from '../../core/messages/system-reminder.ts';
import type { StateRecord } from '../../core/session/journal.ts';
import type { Session } from './session.ts';

/** The parts of the session that a goal uses. */
type OfSession = Pick<Session, 'journal' | 'host'>;

/** Null if no goal is active. */
export function getActiveGoal({ journal }: Pick<Session, 'journal'>): ActiveGoal | null {
  return toActiveGoal(journal.fold.states.get(goalState));
}

/** The goal that was set last, active or not. */
export function getLastGoal({ journal }: Pick<Session, 'journal'>): KeptGoal | undefined {
  return toKeptGoal(journal.fold.states.get(goalState));
}

/**
 * A new goal, which isn't recorded yet. Once recorded, it replaces the previous goal.
 * @throws SdkError `invalid-input` for an empty condition, or one that is too long
 */
export function toNewGoal({ journal, host }: OfSession, condition: string): KeptGoal {
  const text = condition.trim();
  if (text === '' || text.length > maxGoalLength) {
    const message = `A goal is a text of 1 to ${maxGoalLength} characters; this one has ${text.length}. Put the details into a file, and name it.`;
    throw new SdkError('invalid-input', message, { data: { length: text.length } });
  }
  return {
    condition: text,
    iterations: 0,
    set_at: host.clock.now(),
    tokens_at_start: countUsedTokens({ journal }),
  };
}

/** The record of a goal. After a compaction, the model is reminded of an active goal. */
export function toGoalRecord(goal: KeptGoal): StateRecord {
  const isActive = goal.outcome === undefined;
  const reminder = `The session's goal, for which you work until it holds: ${quoteForReminder(goal.condition)}`;
  return { type: 'state', key: goalState, value: goal, ...(isActive && { reminder }) };
}

/** All input and output tokens that the session has used, including cached ones. */
export function countUsedTokens({ journal }: Pick<Session, 'journal'>): number {
  return journal.fold.usage.reduce((sum, { usage }) => {
    const { cache_creation_input_tokens: written, cache_read_input_tokens: read } = usage;
    return sum + usage.input_tokens + usage.output_tokens + (written ?? 0) + (read ?? 0);
  }, 0);
}
