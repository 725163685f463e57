// What a session works for until it holds. Kept among the session's states, so it outlives page, compaction and move.
import { isRecord } from '../values/is-record.ts';

/** The key of the goal among a session's states. */
export const goalState = 'goal';

/** UTF-16 units of a condition. */
export const maxGoalLength = 4_000;

/** A goal as it is told: the `value` of an `active_goal` message. */
export interface ActiveGoal {
  /** What is to hold, in words. */
  readonly condition: string;
  /** How often it was checked. */
  readonly iterations: number;
  /** Milliseconds since the epoch. */
  readonly set_at: number;
  /** The session's tokens, in and out, when it was set. */
  readonly tokens_at_start: number;
  /** What the newest check has found. */
  readonly last_reason?: string;
}

/** As it is kept. */
export interface KeptGoal extends ActiveGoal {
  /** Why it is no goal any more. Left out: it is active. */
  readonly outcome?: 'met' | 'impossible' | 'cleared';
}

/** The goal that was set last; undefined where none was. A moved session may hold anything under the key. */
export function toKeptGoal(state: unknown): KeptGoal | undefined {
  const isGoal =
    isRecord(state) &&
    typeof state['condition'] === 'string' &&
    ['iterations', 'set_at', 'tokens_at_start'].every((key) => typeof state[key] === 'number');
  return isGoal ? (state as unknown as KeptGoal) : undefined;
}

/** Null where none is active. */
export function toActiveGoal(state: unknown): ActiveGoal | null {
  const goal = toKeptGoal(state);
  return goal && goal.outcome === undefined ? goal : null;
}
