// Keeps the line ends of a passage with both kinds when an edit changes some of its lines. Models always write `\n`,
// also in the lines around a change. Called by Edit. Pure.
import { createNumbering, diffLines, type LineNumbers } from './diff-lines.ts';
import {
  detectLineEnding,
  fromLineFeeds,
  hasMixedLineEndings,
  type LineEnding,
} from './line-endings.ts';
import { splitLines } from '../core/text/split-lines.ts';

/**
 * `fresh`, whose line ends are `\n`, with those of `replaced`. A line that both have keeps its own.
 * A changed line gets the end of the line that it replaces. All others get `usual`.
 */
export function keepLineEndings(replaced: string, fresh: string, usual: LineEnding): string {
  if (!hasMixedLineEndings(replaced)) return fromLineFeeds(fresh, usual);
  const old = splitLines(replaced);
  const lines = splitLines(fresh);
  const kept: string[] = [];
  let oldAt = 0;
  for (const { before, after } of diffLines(...numberLines(old, lines))) {
    kept.push(old.slice(oldAt, before.start).join(''));
    const places = old.slice(before.start, before.end);
    for (const [index, line] of lines.slice(after.start, after.end).entries()) {
      const place = places[Math.min(index, places.length - 1)];
      kept.push(fromLineFeeds(line, place?.endsWith('\n') ? detectLineEnding(place) : usual));
    }
    oldAt = before.end;
  }
  kept.push(old.slice(oldAt).join(''));
  return kept.join('');
}

/** Numbers lines. Lines that differ only by the kind of their end are equal. */
function numberLines(old: readonly string[], fresh: readonly string[]): [LineNumbers, LineNumbers] {
  const toNumbers = createNumbering();
  const plain = (line: string) => fromLineFeeds(line, '\n');
  return [toNumbers(old.map(plain)), toNumbers(fresh.map(plain))];
}
