// Describes a cron expression in words, for people and for the model. An expression without a short
// description stays as it is.

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August'],
  ...['September', 'October', 'November', 'December'],
];

/** `cron`: a valid expression for `parseCron`. */
export function describeCron(cron: string): string {
  const fields = cron.trim().split(/\s+/u);
  const [minute = '', hour = '', ...day] = fields;
  const isEveryDay = day.every((field) => field === '*');
  const often = isEveryDay ? describeInterval(minute, hour) : undefined;
  if (often !== undefined) return often;
  const times = describeTimes(minute, hour);
  const days = describeDays(day);
  if (times !== undefined && days !== undefined) return `${days} at ${times}`;
  return `by the schedule ${fields.join(' ')}`;
}

/** "Every so many minutes or hours", if the interval is the same all day. */
function describeInterval(minute: string, hour: string): string | undefined {
  if (hour === '*' && minute === '*') return 'every minute';
  const minutes = readStep(minute, 60);
  if (hour === '*' && minutes !== undefined) return `every ${minutes} minutes`;
  if (!isNumber(minute)) return undefined;
  const past = Number(minute) === 0 ? '' : ` at minute ${Number(minute)}`;
  if (hour === '*') return `every hour${past}`;
  const hours = readStep(hour, 24);
  return hours === undefined ? undefined : `every ${hours} hours${past}`;
}

function describeTimes(minute: string, hour: string): string | undefined {
  if (!isNumber(minute)) return undefined;
  const hours = hour.split(',');
  if (!hours.every(isNumber)) return undefined;
  return toList(hours.map((one) => `${one.padStart(2, '0')}:${minute.padStart(2, '0')}`));
}

function describeDays([date = '', month = '', weekday = '']: readonly string[]) {
  if (weekday === '*' && month === '*' && date === '*') return 'every day';
  if (weekday === '*' && isNumber(date)) {
    if (month === '*') return `on day ${Number(date)} of every month`;
    const name = months[readName(month, months, 1) - 1];
    return name === undefined ? undefined : `on ${Number(date)} ${name}`;
  }
  if (date !== '*' || month !== '*') return undefined;
  if (/^(?:1-5|MON-FRI)$/iu.test(weekday)) return 'from Monday to Friday';
  const days = weekday.split(',').map((one) => weekdays[readName(one, weekdays, 0) % 7]);
  return days.every((day) => day !== undefined) ? `every ${toList(days)}` : undefined;
}

/**
 * The step of a field such as "every fifth", if it divides the whole range. Otherwise the last
 * interval would be shorter.
 */
function readStep(field: string, whole: number): number | undefined {
  const step = Number(/^\*\/(\d+)$/u.exec(field)?.[1]);
  return step > 1 && whole % step === 0 ? step : undefined;
}

/** Reads `MON` or a number; NaN for any other text. `first`: the number of the first name. */
function readName(field: string, names: readonly string[], first: number): number {
  if (isNumber(field)) return Number(field);
  const at = names.findIndex((name) => name.slice(0, 3).toUpperCase() === field.toUpperCase());
  return at === -1 ? NaN : at + first;
}

const isNumber = (field: string) => /^\d+$/u.test(field);

function toList(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}
