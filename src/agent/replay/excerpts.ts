// Excerpts of two texts around their first difference, for a person. Used by the checks of a
// replay.
import { clipText } from '../../core/text/clip-text.ts';
import type { ReplayDifference } from './replay.ts';

// 60 characters before the difference and 400 in all: enough to find the place and see the
// difference.
const before = 60;
const length = 400;

/** A side is undefined if it has no text there, or if its text isn't known. */
export function toExcerpts(
  expected: string | undefined,
  actual: string | undefined,
): Pick<ReplayDifference, 'expected' | 'actual'> {
  const from = expected === undefined || actual === undefined ? 0 : findParting(expected, actual);
  const clip = (text: string) => clipText(text.slice(Math.max(0, from - before)), length);
  return {
    ...(expected !== undefined && { expected: clip(expected) }),
    ...(actual !== undefined && { actual: clip(actual) }),
  };
}

function findParting(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
