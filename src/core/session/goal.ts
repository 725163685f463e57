// A session's goal: a condition that the agent works for until it holds. It is one of the session's states, so it
// survives a reload, a compaction and a move.
import { isRecord } from '../values/is-record.ts';

/** The key of the goal among a session's states. */
export const goalState = 'goal';

/** The longest condition, in UTF-16 units. */
export const maxGoalLength = 4_000;

/** A goal as viewers get it: the `value` of an `active_goal` message. */
export interface ActiveGoal {
  /** The condition, in words. */
  readonly condition: string;
  /** How often it was checked. */
  readonly iterations: number;
  /** Milliseconds since the epoch. */
  readonly set_at: number;
  /** The tokens that the session had used, in and out, when the goal was set. */
  readonly tokens_at_start: number;
  /** The finding of the newest check. */
  readonly last_reason?: string;
}

/** The goal as the journal keeps it. */
export interface KeptGoal extends ActiveGoal {
  /** How the goal has ended. Left out: it is active. */
  readonly outcome?: 'met' | 'impossible' | 'cleared';
}

/**
 * The goal that was set last, or undefined. The value is checked, because the journal of a moved session may hold
 * anything.
 */
export function toKeptGoal(state: unknown): KeptGoal | undefined {
  const isGoal =
    isRecord(state) &&
    typeof state['condition'] === 'string' &&
    ['iterations', 'set_at', 'tokens_at_start'].every((key) => typeof state[key] === 'number');
  return isGoal ? (state as unknown as KeptGoal) : undefined;
}

/** Null if no goal is active. */
export function toActiveGoal(state: unknown): ActiveGoal | null {
  const goal = toKeptGoal(state);
  return goal && goal.outcome === undefined ? goal : null;
}
