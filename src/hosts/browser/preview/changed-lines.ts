// What has changed from one list of a page to the next. A model that uses a page mostly wants to see what its
// click did, and not the whole page again.
import { createNumbering, diffLines, type LineSpan } from '../../../text/diff-lines.ts';

/**
 * New lines, each below those that it is in, and lines that are gone, each without what it held. Where a line has
 * taken the place of another of its role, only the new one is listed.
 */
export function toChangedLines(before: string, after: string): string {
  const [old, now] = [toLines(before), toLines(after)];
  const numbersOf = createNumbering();
  const changes = diffLines(numbersOf(old), numbersOf(now));
  const refs = new Set(now.map(refOf));
  const listed: string[] = [];
  // Up to here, the lines that the next one may be in are known.
  let at = 0;
  const around: string[] = [];
  let shown = 0;
  const enter = (line: string) => {
    const depth = depthOf(line);
    around.length = Math.min(around.length, depth);
    shown = Math.min(shown, depth);
    around[depth] = line;
  };
  const showAround = (depth: number) => {
    listed.push(...around.slice(shown, depth).filter((line) => line !== undefined));
    shown = Math.max(shown, depth);
  };
  for (const { before: gone, after: added } of changes) {
    for (; at < added.start; at += 1) enter(now[at] ?? '');
    const taken = slice(now, added);
    let goneDepth = Number.POSITIVE_INFINITY;
    for (const [index, line] of slice(old, gone).entries()) {
      const depth = depthOf(line);
      // What it held is gone with it.
      if (depth > goneDepth) continue;
      goneDepth = Number.POSITIVE_INFINITY;
      const ref = refOf(line);
      const isReplaced = headOf(line) === headOf(taken[index] ?? '');
      if (isReplaced || (ref !== undefined && refs.has(ref))) continue;
      goneDepth = depth;
      const within = Math.min(depth, around.length);
      showAround(within);
      listed.push(`${'  '.repeat(within)}- (gone) ${line.trimStart().slice(2)}`);
    }
    for (const line of taken) {
      enter(line);
      showAround(depthOf(line) + 1);
    }
    at = added.end;
  }
  return listed.length === 0 ? '- (Nothing has changed since the last list.)' : listed.join('\n');
}

const toLines = (tree: string) => (tree === '' ? [] : tree.split('\n'));
const slice = (lines: readonly string[], { start, end }: LineSpan) => lines.slice(start, end);
const depthOf = (line: string) => (line.length - line.trimStart().length) / 2;
/** Its depth and its role. */
const headOf = (line: string) => /^ *- [^ :]*/u.exec(line)?.[0];
const refOf = (line: string) => /\[ref=(e\d+)\]/u.exec(line)?.[1];
