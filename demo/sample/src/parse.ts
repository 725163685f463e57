import { findUnit } from './units.ts';

/** A string that is no duration. `part` is what couldn't be read. */
export class DurationError extends Error {
  readonly part: string;

  constructor(message: string, part: string) {
    super(message);
    this.name = 'DurationError';
    this.part = part;
  }
}

const piece = /(\d+(?:\.\d+)?)\s*([a-z]+)\s*,?\s*/giy;

/** Reads "1h 30m", "1.5 hours", "-250ms" and plain numbers of milliseconds. */
export function parseDuration(text: string): number {
  const trimmed = text.trim();
  const isNegative = trimmed.startsWith('-');
  const body = isNegative ? trimmed.slice(1).trimStart() : trimmed;
  if (/^\d+(?:\.\d+)?$/.test(body)) return (isNegative ? -1 : 1) * Number(body);

  let total = 0;
  let end = 0;
  piece.lastIndex = 0;
  for (let match = piece.exec(body); match; match = piece.exec(body)) {
    const [, amount = '', name = ''] = match;
    const unit = findUnit(name);
    if (!unit) throw new DurationError(`"${name}" is not a unit of time.`, name);
    total += Number(amount) * unit.milliseconds;
    end = piece.lastIndex;
  }
  if (end === 0 || end < body.length) {
    const rest = body.slice(end);
    throw new DurationError(`"${rest}" can't be read as a duration.`, rest);
  }
  return isNegative ? -total : total;
}
