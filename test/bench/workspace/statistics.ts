// What is told of many measurements. All refuse an empty list: a figure of nothing is no figure.

/** The middle one, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = sortedValues(values);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  const lower = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  return (upper + lower) / 2;
}

/** The smallest value that so many per cent of all don't exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = sortedValues(values);
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? Number.NaN;
}

function sortedValues(values: readonly number[]): number[] {
  if (values.length === 0) throw new RangeError('There is nothing to take a figure of.');
  return [...values].sort((left, right) => left - right);
}
