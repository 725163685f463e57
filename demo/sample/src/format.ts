import { units } from './units.ts';

export interface FormatOptions {
  /** How many units to show, counted from the largest. Default: 2. */
  readonly parts?: number;
}

/** Writes a duration the way people say it: "1h 30m", "2d 4h", "850ms". */
export function formatDuration(milliseconds: number, options: FormatOptions = {}): string {
  if (!Number.isFinite(milliseconds)) {
    throw new RangeError(`${milliseconds} is not a duration.`);
  }
  if (milliseconds < 0) return `-${formatDuration(-milliseconds, options)}`;

  const first = units.findIndex((unit) => milliseconds >= unit.milliseconds);
  if (first === -1) return '0ms';
  const shown = units.slice(first, first + (options.parts ?? 2));

  let rest = milliseconds;
  const words = shown.map((unit, index) => {
    const isLast = index === shown.length - 1;
    const exact = rest / unit.milliseconds;
    const count = isLast ? Math.round(exact) : Math.floor(exact);
    rest -= count * unit.milliseconds;
    return count === 0 ? '' : `${count}${unit.symbol}`;
  });
  return words.filter((word) => word !== '').join(' ');
}
