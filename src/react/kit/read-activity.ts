import { isRecord } from '../../core/values/is-record.ts';

/**
 * The present activity of an agent, for the call that it works for: the `activity` of the call's
 * newest progress. Undefined: the agent hasn't said.
 */
export function readActivity(progress: readonly unknown[]): string | undefined {
  const last = progress.at(-1);
  const activity = isRecord(last) ? last['activity'] : undefined;
  return typeof activity === 'string' ? activity : undefined;
}
