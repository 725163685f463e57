// What Sleep leaves for the session's ticks: a state of the journal. The tool writes it, agent/turn/ticks.ts reads it.
import { isRecord } from '../values/is-record.ts';

/** Its key among the states. */
export const sleepState = 'sleep';

/** Both in milliseconds since the epoch. */
export interface SleepState {
  /** When Sleep was called. */
  readonly at: number;
  /** When the next tick is to come. */
  readonly until: number;
}

/** An imported session may hold anything. Undefined for what is no such state. */
export function readSleepState(value: unknown): SleepState | undefined {
  if (!isRecord(value)) return undefined;
  const { at, until } = value;
  return Number.isFinite(at) && Number.isFinite(until)
    ? { at: at as number, until: until as number }
    : undefined;
}
