// Formats times for a time zone.

/** `2026-11-27 09:00`: to the minute. @throws RangeError for an invalid time zone or time */
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

/** True if this realm knows the time zone. That depends on the realm's version. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name }).format(0);
    return true;
  } catch {
    return false;
  }
}
