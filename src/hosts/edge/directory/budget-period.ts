// The time span that a budget applies to, in UTC.

/** `ever`: the budget is never renewed. */
export type BudgetPeriod = 'day' | 'month' | 'ever';

/** Returns the period's name and when the next one begins. */
export function toPeriod(
  period: BudgetPeriod,
  now: number,
): { readonly name: string; readonly renewsAt: number | null } {
  if (period === 'ever') return { name: 'ever', renewsAt: null };
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const text = date.toISOString();
  return period === 'day'
    ? { name: text.slice(0, 10), renewsAt: Date.UTC(year, month, day + 1) }
    : { name: text.slice(0, 7), renewsAt: Date.UTC(year, month + 1, 1) };
}
