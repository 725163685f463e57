// The state by which Sleep sets the session's next tick. The tool writes it; agent/turn/ticks.ts reads it.
import { isRecord } from '../values/is-record.ts';

/** The key of this state. */
export const sleepState = 'sleep';

/** Both in milliseconds since the epoch. */
export interface SleepState {
  /** When Sleep was called. */
  readonly at: number;
  /** When the next tick should come. */
  readonly until: number;
}

/** Checks the value, because an imported session may hold anything. Undefined: it isn't valid. */
export function readSleepState(value: unknown): SleepState | undefined {
  if (!isRecord(value)) return undefined;
  const { at, until } = value;
  return Number.isFinite(at) && Number.isFinite(until)
    ? { at: at as number, until: until as number }
    : undefined;
}
