// Formats numbers in the output of commands.

/** Formats a count with spaces between the thousands: 12 345. */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/gu, ' ');
}

/** Formats US dollars with two decimals, and with more for small amounts. */
export function formatUsd(usd: number): string {
  return `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
}
