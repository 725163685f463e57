// How options are named, checked at the door: a caller without types may give anything.
import { SdkError } from './errors.ts';
import { suggestNames } from './text/near-names.ts';
import { isRecord } from './values/is-record.ts';

/**
 * Refuses what would be passed over in silence. What each option holds is checked where it is read; `undefined` passes.
 *
 * @throws SdkError `bad-usage` with near names.
 */
export function checkOptionNames(
  place: string,
  given: unknown,
  known: Readonly<Record<string, true>>,
): void {
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
