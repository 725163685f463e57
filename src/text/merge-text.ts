// The three-way merge of texts by lines, as diff3 does it. A change of only one side is taken. Changes of both sides
// in the same place must be equal. Called by merge-file.ts. Its cost is bounded, so a huge file can't delay its
// commit. The merges of git use merge-with-markers.ts.
import { diffArrays } from 'diff';
import { splitLines } from '../core/text/split-lines.ts';

/** A region whose lines both sides changed in different ways. Whole lines, with their ends. */
export interface ConflictRegion {
  /** The line of the base where it begins, counted from 1. */
  readonly line: number;
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** Either everything is merged, or nothing is, and each region says where the merge failed. */
export type TextMerge =
  | { readonly type: 'clean'; readonly text: string }
  | { readonly type: 'conflict'; readonly regions: readonly ConflictRegion[] };

// The search costs lines × edits. Past this limit everything that differs counts as one changed region. The merge is
// then coarser, but correct.
const maxEdits = 2000;
const maxDiffLines = 200_000;

/**
 * Merges two versions of `base`. Changes that touch, with no line between them, count as one region: they may belong
 * together. A line end is a part of its line, so a line with another end, or a last line without one, is another
 * line.
 */
export function mergeText(base: string, ours: string, theirs: string): TextMerge {
  if (ours === theirs || theirs === base) return { type: 'clean', text: ours };
  if (ours === base) return { type: 'clean', text: theirs };
  const parts = mergeParts(base, ours, theirs);
  const regions = parts.filter((part) => typeof part !== 'string');
  if (regions.length > 0) return { type: 'conflict', regions };
  return { type: 'clean', text: parts.join('') };
}

/** Merged texts and unmerged regions, in their order. */
function mergeParts(base: string, ours: string, theirs: string): (string | ConflictRegion)[] {
  const lines = splitLines(base);
  const regions = joinRegions(
    findEdits(lines, splitLines(ours)),
    findEdits(lines, splitLines(theirs)),
  );
  const parts: (string | ConflictRegion)[] = [];
  let at = 0;
  for (const region of regions) {
    parts.push(lines.slice(at, region.start).join(''));
    at = region.end;
    const old = lines.slice(region.start, region.end).join('');
    const [our, their] = [
      applyEdits(lines, region, region.ours),
      applyEdits(lines, region, region.theirs),
    ];
    if (our === their || their === old) parts.push(our);
    else if (our === old) parts.push(their);
    else parts.push({ line: region.start + 1, base: old, ours: our, theirs: their });
  }
  return [...parts, lines.slice(at).join('')];
}

/** The base's lines from `start` up to `end`, without it, became `lines`. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** Lines of the base that some edit touches, with each side's edits of them. */
interface Region {
  readonly start: number;
  end: number;
  readonly ours: Edit[];
  readonly theirs: Edit[];
}

/** The edits in the order of the lines. Between two of them is at least one equal line. */
function findEdits(before: readonly string[], after: readonly string[]): Edit[] {
  const { start, tail } = sharedEnds(before, after);
  const old = before.slice(start, before.length - tail);
  const fresh = after.slice(start, after.length - tail);
  const parts =
    old.length + fresh.length <= maxDiffLines
      ? diffArrays(old, fresh, { maxEditLength: maxEdits })
      : undefined;
  if (!parts) return [{ start, end: start + old.length, lines: fresh }];
  const edits: Edit[] = [];
  let at = start;
  for (const { added, removed, value, count } of parts) {
    const last = edits.at(-1);
    if (!added && !removed) at += count;
    else {
      const end = removed ? at + count : at;
      const lines = added ? value : [];
      // A removal and its replacement come as two parts, in either order.
      if (last?.end === at)
        edits[edits.length - 1] = { ...last, end, lines: [...last.lines, ...lines] };
      else edits.push({ start: at, end, lines });
      at = end;
    }
  }
  return edits;
}

function sharedEnds(before: readonly string[], after: readonly string[]) {
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && before[start] === after[start]) start += 1;
  let tail = 0;
  while (tail < shortest - start && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return { start, tail };
}

function joinRegions(ours: readonly Edit[], theirs: readonly Edit[]): Region[] {
  const all = [
    ...ours.map((edit) => ({ side: 'ours' as const, edit })),
    ...theirs.map((edit) => ({ side: 'theirs' as const, edit })),
  ].sort((left, right) => left.edit.start - right.edit.start || left.edit.end - right.edit.end);
  const regions: Region[] = [];
  for (const { side, edit } of all) {
    let region = regions.at(-1);
    if (!region || edit.start > region.end) {
      region = { start: edit.start, end: edit.end, ours: [], theirs: [] };
      regions.push(region);
    }
    region.end = Math.max(region.end, edit.end);
    region[side].push(edit);
  }
  return regions;
}

/** One side's text of a region. */
function applyEdits(
  lines: readonly string[],
  { start, end }: Region,
  edits: readonly Edit[],
): string {
  const parts: string[] = [];
  let at = start;
  for (const edit of edits) {
    parts.push(lines.slice(at, edit.start).join(''), edit.lines.join(''));
    at = edit.end;
  }
  return parts.join('') + lines.slice(at, end).join('');
}
