// Describes a time for a list: short, but exact enough to recognise the entry.

const minute = 60_000;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

/** "now", "5 min. ago", "yesterday", "Nov 3, 2026". Both arguments are in milliseconds since the epoch. */
export function describeTime(time: number, now: number): string {
  const minutes = Math.round((now - time) / minute);
  if (minutes < 1) return 'now';
  if (minutes < 60) return relative.format(-minutes, 'minute');
  if (minutes < 24 * 60) return relative.format(-Math.round(minutes / 60), 'hour');
  const days = Math.round(minutes / (24 * 60));
  if (days < 7) return relative.format(-days, 'day');
  return new Intl.DateTimeFormat('en', { dateStyle: 'medium' }).format(time);
}
