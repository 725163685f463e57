// How commands write numbers.

/** Formats a count with spaces between the thousands: 12 345. */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/gu, ' ');
}

/** US dollars, with as many digits as a cent needs and small amounts show. */
export function formatUsd(usd: number): string {
  return `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
}
