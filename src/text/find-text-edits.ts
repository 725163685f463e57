// Finds few, small edits that turn one text into another in an editor, so that cursor, selection, folds and undo
// history stay. Called for changes that arrive in an open document.
import { diffArrays } from 'diff';
import { splitLines } from '../core/text/split-lines.ts';

/** Characters of the old text from `from` up to `to`, without it, become `insert`. */
export interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

// The same as for merges (merge-text.ts). Past it, everything between the first and the last
// difference is one edit.
const maxEdits = 2000;
const maxDiffLines = 200_000;

/**
 * The edits in their order. No two touch each other. Each is a run of changed lines without the common parts at its
 * ends. Offsets are UTF-16 units of `before`. No surrogate pair is cut.
 */
export function findTextEdits(before: string, after: string): TextEdit[] {
  const old = splitLines(before);
  const fresh = splitLines(after);
  const parts =
    old.length + fresh.length <= maxDiffLines
      ? diffArrays(old, fresh, { maxEditLength: maxEdits })
      : undefined;
  if (!parts) return trim({ from: 0, to: before.length, insert: after }, before);
  const edits: TextEdit[] = [];
  let at = 0;
  let open: TextEdit | undefined;
  for (const { added, removed, value } of parts) {
    const text = value.join('');
    if (!added && !removed) {
      if (open) edits.push(...trim(open, before));
      open = undefined;
      at += text.length;
      continue;
    }
    // A removal and its replacement come as two parts, in either order.
    open ??= { from: at, to: at, insert: '' };
    open = added ? { ...open, insert: open.insert + text } : { ...open, to: open.to + text.length };
    if (removed) at += text.length;
  }
  if (open) edits.push(...trim(open, before));
  return edits;
}

/** The edit without common parts at its ends. None if nothing is left. */
function trim({ from, to, insert }: TextEdit, before: string): TextEdit[] {
  const removed = before.slice(from, to);
  const shorter = Math.min(removed.length, insert.length);
  let start = 0;
  while (start < shorter && removed[start] === insert[start]) start += 1;
  if (isHighSurrogate(insert, start - 1) || isHighSurrogate(removed, start - 1)) start -= 1;
  let end = 0;
  while (end < shorter - start && removed.at(-1 - end) === insert.at(-1 - end)) end += 1;
  if (isLowSurrogate(insert, insert.length - end) || isLowSurrogate(removed, removed.length - end))
    end -= 1;
  if (start === removed.length && start === insert.length) return [];
  return [{ from: from + start, to: to - end, insert: insert.slice(start, insert.length - end) }];
}

function isHighSurrogate(text: string, at: number): boolean {
  return at >= 0 && text.charCodeAt(at) >= 0xd800 && text.charCodeAt(at) <= 0xdbff;
}

function isLowSurrogate(text: string, at: number): boolean {
  return at < text.length && text.charCodeAt(at) >= 0xdc00 && text.charCodeAt(at) <= 0xdfff;
}
