// Checks the names of options at the public entries, because a caller without types may pass anything.
import { SdkError } from './errors.ts';
import { suggestNames } from './text/near-names.ts';
import { isRecord } from './values/is-record.ts';

/**
 * Refuses unknown options, which would be ignored silently. The values are checked where they are
 * used; `undefined` is accepted.
 *
 * @throws SdkError `bad-usage` with similar names
 */
export function checkOptionNames(place: string, given: unknown, known: object): void {
  if (!isRecord(given)) {
    throw new SdkError('bad-usage', `${place} takes an object of options.`);
  }
  const names = Object.keys(known);
  const unknown = Object.keys(given).find(
    (name) => given[name] !== undefined && !names.includes(name),
  );
  if (unknown === undefined) return;
  throw new SdkError(
    'bad-usage',
    `${place} has no option named ${unknown}. ${suggestNames(unknown, names)}`,
    { data: { option: unknown } },
  );
}

/**
 * Refuses limits that would have no effect: misspelt names, and values that aren't numbers above 0. `undefined` is
 * accepted.
 *
 * @throws SdkError `bad-usage` with similar names
 */
export function checkLimitOptions(place: string, given: unknown, known: object): void {
  if (given === undefined) return;
  checkOptionNames(place, given, known);
  for (const [name, limit] of Object.entries(given as Readonly<Record<string, unknown>>)) {
    if (limit === undefined || (typeof limit === 'number' && limit > 0)) continue;
    throw new SdkError('bad-usage', `${name} of ${place} must be a number above 0, not ${limit}.`, {
      data: { option: name },
    });
  }
}
