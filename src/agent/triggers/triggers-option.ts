// Reads the option `triggers` of a query.
import { SdkError } from '../../core/errors.ts';
import { isTimeZone } from '../../core/triggers/local-time.ts';
import { isRecord } from '../../core/values/is-record.ts';

/** The options for schedules. */
export interface TriggersOptions {
  /**
   * The IANA name of the person's time zone, such as `Europe/Berlin`. Set it if the session runs
   * elsewhere: at the edge the realm's zone is UTC. @defaultValue the realm's time zone
   */
  readonly timeZone?: string;
}

/**
 * Reads the option. Undefined: nothing is scheduled.
 * @throws SdkError `bad-usage` for an invalid option
 */
export function readTriggers(option: unknown): Required<TriggersOptions> | undefined {
  if (option === undefined || option === false) return undefined;
  if (option === true) return { timeZone: ownTimeZone() };
  if (!isRecord(option)) refuse('triggers is true, or { timeZone }.');
  const { timeZone = ownTimeZone(), ...others } = option;
  const [other] = Object.keys(others);
  if (other !== undefined) refuse(`triggers has no ${other}: it has timeZone.`);
  if (typeof timeZone !== 'string' || !isTimeZone(timeZone)) {
    refuse("triggers.timeZone is IANA's name of a time zone: 'Europe/Berlin', say.");
  }
  return { timeZone };
}

function ownTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function refuse(message: string): never {
  throw new SdkError('bad-usage', message, { data: { option: 'triggers' } });
}
