// Applies chosen hunks of a diff to the text that it was made from. Used by a dry run of which a
// person takes a part (agent/session/files/dry-run.ts).
import type { PatchHunk } from '../../../core/change-set.ts';

/**
 * The text with these hunks and no others. `after` is the text with all of them: it tells whether a
 * hunk that reaches its end ends with a line end. Undefined if a hunk doesn't fit. Each of its
 * lines must stand where the hunk says, and no two hunks may overlap. Inverse: createHunks of
 * text/patch.ts.
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

/** Splits into lines with their ends. The last line may have none. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
}

function withoutEnd(line: string): string {
  return line.endsWith('\n') ? line.slice(0, -1) : line;
}
