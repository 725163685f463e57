// Parses a cron expression with five fields, and computes the next time. croner handles calendars
// and daylight saving time. Syntax that croner accepts beyond crontab's five fields is refused.
import { Cron } from 'croner';
import { SdkError, describeThrown } from '../../core/errors.ts';

/** A recurring schedule. */
export interface CronSchedule {
  /**
   * The first time after `after`, both in milliseconds since the epoch. Undefined: there is none.
   */
  next(after: number): number | undefined;
}

const shape = 'minute (0-59), hour (0-23), day of month (1-31), month (1-12), day of week (0-6)';

const monthNames = 'JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC';
const dayNames = 'SUN|MON|TUE|WED|THU|FRI|SAT';

/** Each field has numbers, `*`, lists, ranges and steps. The last two fields may have names. */
const fields: readonly RegExp[] = [/^[\d*,/-]+$/u, /^[\d*,/-]+$/u, /^[\d*,/-]+$/u].concat(
  [monthNames, dayNames].map((names) => new RegExp(`^(?:[\\d*,/-]|${names})+$`, 'iu')),
);

/**
 * A time that a clock change skips comes right after the change. A time that occurs twice comes
 * only the first time, unless the schedule repeats by minutes or hours.
 * @throws SdkError `invalid-input` for an invalid expression. The message has the reason
 */
export function parseCron(cron: string, timeZone: string): CronSchedule {
  const parts = cron.trim().split(/\s+/u);
  const isWellFormed = parts.length === 5 && parts.every((part, at) => fields[at]?.test(part));
  if (!isWellFormed) throw wrong(cron, `It has five fields: ${shape}`);
  let pattern: Cron;
  try {
    pattern = new Cron(parts.join(' '), { timezone: timeZone, mode: '5-part', paused: true });
  } catch (error) {
    // croner's own message names the field.
    const why = describeThrown(error).replace(/^.*CronPattern: /u, '');
    throw wrong(cron, `${why}. The fields are ${shape}`);
  }
  return { next: (after) => pattern.nextRun(new Date(after))?.getTime() };
}

function wrong(cron: string, why: string): SdkError {
  return new SdkError('invalid-input', `"${cron}" is no schedule. ${why}.`, { data: { cron } });
}
