// The error of an unusable pattern, with its place and what to write instead.
import { ToolError } from '../../core/errors.ts';

export interface PatternProblem {
  /** The place in the pattern, in characters. 0 is the first. */
  readonly position: number;
  /** The problem, as a clause: "the group is never closed". */
  readonly problem: string;
  /** The remedy, as a sentence. */
  readonly remedy: string;
}

/** The error for a pattern. Its message has the pattern with a mark at the place. */
export function createPatternError(
  pattern: string,
  { position, problem, remedy }: PatternProblem,
): ToolError {
  const before = [...pattern.slice(0, position)].length;
  return new ToolError(
    `The pattern can't be used: at character ${before + 1}, ${problem}. ${remedy}\n` +
      `  ${pattern.replace(/\s/gu, ' ')}\n  ${' '.repeat(before)}^`,
    { code: 'invalid-input', data: { pattern, position } },
  );
}
