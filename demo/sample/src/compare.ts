import { parseDuration } from './parse.ts';
import { findUnit } from './units.ts';

/** A number of milliseconds, or anything that parseDuration reads. */
export type Duration = number | string;

export function toMilliseconds(duration: Duration): number {
  return typeof duration === 'number' ? duration : parseDuration(duration);
}

/** For Array.prototype.sort: the shortest first. */
export function compareDurations(a: Duration, b: Duration): number {
  return toMilliseconds(a) - toMilliseconds(b);
}

/** To the nearest whole multiple of a unit; halves go away from zero. */
export function roundDuration(duration: Duration, unitName: string): number {
  const unit = findUnit(unitName);
  if (!unit) throw new RangeError(`"${unitName}" is not a unit of time.`);
  const exact = toMilliseconds(duration) / unit.milliseconds;
  return Math.sign(exact) * Math.round(Math.abs(exact)) * unit.milliseconds;
}
