// Two texts, from shortly before where they part: what a person is shown of a difference. Used by the
// checks of a replay.
import { clipText } from '../../core/text/clip-text.ts';
import type { ReplayDifference } from './replay.ts';

// 60 and 400 characters: enough to find the place, and to see what is there.
const before = 60;
const length = 400;

/** Undefined where there is nothing on that side, or where nobody knows what there was. */
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
