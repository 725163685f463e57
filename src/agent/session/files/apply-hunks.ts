// Applies chosen hunks of a diff to its original text. Used when a person takes a part of a dry run
// (agent/session/files/dry-run.ts).
import type { PatchHunk } from '../../../core/change-set.ts';
import { splitLines } from '../../../core/text/split-lines.ts';

/**
 * The text with these hunks only. `after` is the text with all hunks; it shows whether the last
 * line ends with a line end. Undefined if a hunk's lines aren't at its position, or if hunks
 * overlap. Inverse: createHunks of text/patch.ts.
 */
export function applyHunks(
  before: string,
  hunks: readonly PatchHunk[],
  after: string,
): string | undefined {
  const lines = splitLines(before);
  const newLines = splitLines(after);
  const result: string[] = [];
  let at = 0;
  for (const hunk of hunks.toSorted((a, b) => a.oldStart - b.oldStart)) {
    // A hunk that only adds to an empty file begins at line 0 or 1.
    const start = Math.max(0, hunk.oldStart - 1);
    if (start < at || start > lines.length) return undefined;
    result.push(...lines.slice(at, start));
    at = start;
    let newAt = Math.max(0, hunk.newStart - 1);
    for (const line of hunk.lines) {
      const text = line.slice(1);
      const isAdded = line.startsWith('+');
      if (!isAdded) {
        const old = lines[at];
        if (old === undefined || withoutEnd(old) !== text) return undefined;
        at += 1;
        if (line.startsWith(' ')) result.push(old);
      } else result.push(newAt === newLines.length - 1 ? (newLines[newAt] ?? '') : `${text}\n`);
      if (!line.startsWith('-')) newAt += 1;
    }
  }
  return [...result, ...lines.slice(at)].join('');
}

function withoutEnd(line: string): string {
  return line.endsWith('\n') ? line.slice(0, -1) : line;
}
