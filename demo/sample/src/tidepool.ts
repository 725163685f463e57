export { compareDurations, roundDuration, toMilliseconds } from './compare.ts';
export type { Duration } from './compare.ts';
export { formatDuration } from './format.ts';
export type { FormatOptions } from './format.ts';
export { DurationError, parseDuration } from './parse.ts';
export { findUnit, units } from './units.ts';
export type { Unit } from './units.ts';
