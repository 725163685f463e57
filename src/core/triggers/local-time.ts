// A moment as the clocks of a time zone show it.

/** `2026-11-27 09:00`: to the minute. @throws RangeError for what is no time zone, and for what is no time. */
export function toLocalTime(ms: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const date = ['year', 'month', 'day'] as const;
  const time = ['hour', 'minute'] as const;
  const join = (names: readonly Intl.DateTimeFormatPartTypes[], by: string) =>
    names.map((name) => parts.get(name)).join(by);
  return `${join(date, '-')} ${join(time, ':')}`;
}

/** Is it a time zone that this realm knows? Which ones it knows depends on its version. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name }).format(0);
    return true;
  } catch {
    return false;
  }
}
