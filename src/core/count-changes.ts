// Counts the lines that a diff adds and removes, for a question, a result and a view.
import type { PatchHunk } from './change-set.ts';

/** How many lines the hunks add and remove. */
export function countChanges(hunks: readonly PatchHunk[]): {
  readonly additions: number;
  readonly deletions: number;
} {
  let additions = 0;
  let deletions = 0;
  for (const hunk of hunks) {
    for (const line of hunk.lines) {
      if (line.startsWith('+')) additions += 1;
      else if (line.startsWith('-')) deletions += 1;
    }
  }
  return { additions, deletions };
}
