// The hunks between two texts, for Edit's and Write's outputs, permission questions and views. The
// cost is bounded, so a huge file can't delay the call that changed it.
import { countLines } from '../core/text/count-lines.ts';
import { structuredPatch } from 'diff';
import type { FileChange, PatchHunk } from '../core/change-set.ts';
import { countChanges } from '../core/count-changes.ts';
import { createNumbering, diffLines, type LineChange } from './diff-lines.ts';
import { decodeText, isBinary } from './encoding.ts';
import { splitLines } from '../core/text/split-lines.ts';

const contextLines = 3;

// The search for the fewest lines takes time by lines × edits. Past 1000 edits the texts are aligned by rare lines. A
// difference of 200 000 lines is one replacement at once.
const maxEdits = 1000;
const maxDiffLines = 200_000;

/**
 * The hunks of a unified diff with 3 lines of context; none for equal texts. If the texts differ too much for the
 * time limit, one hunk replaces everything that differs.
 *
 * A missing line end at the end of the file appears as a changed line, not as a marker.
 */
export function createHunks(before: string, after: string): PatchHunk[] {
  if (before === after) return [];
  const window = differingWindow(before, after);
  const isSmall = countLines(window.before) + countLines(window.after) <= maxDiffLines;
  const patch = isSmall
    ? structuredPatch('', '', window.before, window.after, undefined, undefined, {
        context: contextLines,
        maxEditLength: maxEdits,
      })
    : undefined;
  if (!patch) return isSmall ? hunksByRareLines(window) : [replacementHunk(window)];
  return patch.hunks.map((hunk) => ({
    oldStart: hunk.oldStart + window.linesBefore,
    oldLines: hunk.oldLines,
    newStart: hunk.newStart + window.linesBefore,
    newLines: hunk.newLines,
    lines: hunk.lines.filter((line) => !line.startsWith('\\')),
  }));
}

/** A file's change as a person reviews it. Null: there is no file on that side. */
export function toFileChange(
  path: string,
  before: Uint8Array | null,
  after: Uint8Array | null,
): FileChange {
  const type = before === null ? 'create' : after === null ? 'delete' : 'update';
  const isText = !(before && isBinary(before)) && !(after && isBinary(after));
  const structuredPatch = isText ? createHunks(textOf(before), textOf(after)) : [];
  return { path, type, ...countChanges(structuredPatch), structuredPatch };
}

function textOf(bytes: Uint8Array | null): string {
  return bytes ? decodeText(bytes).text : '';
}

interface DifferingWindow {
  /** Whole lines: the difference, and its context. */
  readonly before: string;
  readonly after: string;
  /** The number of the file's lines before the window. */
  readonly linesBefore: number;
}

/**
 * Cuts off the common parts at the ends of both texts, so that the diff sees only the difference.
 */
function differingWindow(before: string, after: string): DifferingWindow {
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  let tail = 0;
  while (
    tail < shortest - start &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  ) {
    tail += 1;
  }
  start = lineStart(before, start);
  for (let line = 0; line < contextLines && start > 0; line += 1) {
    start = lineStart(before, start - 1);
  }
  // One line more than the context: the difference may end inside a line.
  let end = before.length - tail;
  for (let line = 0; line <= contextLines && end < before.length; line += 1) {
    const lineEnd = before.indexOf('\n', end);
    end = lineEnd === -1 ? before.length : lineEnd + 1;
  }
  const endAfter = after.length - (before.length - end);
  return {
    before: before.slice(start, end),
    after: after.slice(start, endAfter),
    linesBefore: countLines(before.slice(0, start)),
  };
}

/** The beginning of the line that `at` is in. */
function lineStart(text: string, at: number): number {
  return at <= 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

function replacementHunk(window: DifferingWindow): PatchHunk {
  const old = splitPlain(window.before);
  const fresh = splitPlain(window.after);
  return {
    oldStart: window.linesBefore + 1,
    oldLines: old.length,
    newStart: window.linesBefore + 1,
    newLines: fresh.length,
    lines: [...old.map((line) => `-${line}`), ...fresh.map((line) => `+${line}`)],
  };
}

/** Finds separate hunks also for many changes, such as those of a renamed name in a large file. */
function hunksByRareLines({ before, after, linesBefore }: DifferingWindow): PatchHunk[] {
  const old = splitPlain(before);
  const fresh = splitPlain(after);
  const toNumbers = createNumbering();
  const groups: LineChange[][] = [];
  for (const change of diffLines(toNumbers(splitLines(before)), toNumbers(splitLines(after)))) {
    const group = groups.at(-1);
    const end = group?.at(-1)?.before.end;
    if (group && end !== undefined && change.before.start - end <= 2 * contextLines) {
      group.push(change);
    } else groups.push([change]);
  }
  return groups.flatMap((group) => {
    const [first, last] = [group[0], group.at(-1)];
    if (!first || !last) return [];
    const lead = Math.min(contextLines, first.before.start);
    const [start, freshStart] = [first.before.start - lead, first.after.start - lead];
    const lines: string[] = [];
    let at = start;
    const keepUntil = (end: number) => {
      for (; at < Math.min(end, old.length); at += 1) lines.push(` ${old[at]}`);
    };
    for (const change of group) {
      keepUntil(change.before.start);
      for (; at < change.before.end; at += 1) lines.push(`-${old[at]}`);
      for (let line = change.after.start; line < change.after.end; line += 1) {
        lines.push(`+${fresh[line]}`);
      }
    }
    keepUntil(at + contextLines);
    const added = lines.filter((line) => line.startsWith('+')).length;
    const removed = lines.filter((line) => line.startsWith('-')).length;
    return {
      oldStart: linesBefore + start + 1,
      oldLines: lines.length - added,
      newStart: linesBefore + freshStart + 1,
      newLines: lines.length - removed,
      lines,
    };
  });
}

/** The lines without their ends. */
function splitPlain(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}
