import { isRecord } from '../../core/values/is-record.ts';

/** What a call that an agent works for does now: the `activity` of its newest progress. Undefined: it hasn't said. */
export function readActivity(progress: readonly unknown[]): string | undefined {
  const last = progress.at(-1);
  const activity = isRecord(last) ? last['activity'] : undefined;
  return typeof activity === 'string' ? activity : undefined;
}
