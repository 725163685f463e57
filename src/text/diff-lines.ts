// Finds changed lines as `git merge` does: by the histogram diff, which aligns the texts by their rare lines. Called
// by merge-with-markers.ts. Its cost is limited, so a huge file can't delay a merge.
import { diffArrays } from 'diff';

/** Lines from `start` up to `end`, without it. */
export interface LineSpan {
  readonly start: number;
  readonly end: number;
}

/** A change: the lines before, and the lines after. One of the two may be empty. */
export interface LineChange {
  readonly before: LineSpan;
  readonly after: LineSpan;
}

/** One number a line: equal lines have the same one. They begin at 0, and few are left out. */
export type LineNumbers = Int32Array;

/** Returns a function that numbers the lines of several texts, so that these can be compared. */
export function createNumbering(): (lines: readonly string[]) => LineNumbers {
  const known = new Map<string, number>();
  return (lines) =>
    Int32Array.from(lines, (line) => {
      const number = known.get(line) ?? known.size;
      known.set(line, number);
      return number;
    });
}

/** One mark for each line. 1: the line has no equal on the other side. */
type Marks = Uint8Array;

interface Range {
  readonly before: LineSpan;
  readonly after: LineSpan;
}

// Git's limit: more frequent lines are useless for the alignment.
const maxOccurrences = 64;
// Past this limit all lines that weren't compared yet count as changed. The hunks are then larger, but correct. 50
// million compared lines take about half a second.
const maxSteps = 50_000_000;
const maxEdits = 2000;

/** The changes in the order of the lines. Between two of them is at least one equal line. */
export function diffLines(before: LineNumbers, after: LineNumbers): LineChange[] {
  const histogram = new Histogram(before, after);
  histogram.compare();
  const { removed, added } = histogram;
  slideChanges(before, removed, added);
  slideChanges(after, added, removed);
  return listChanges(removed, added);
}

/** A range of lines that both sides have in common. */
interface Run {
  readonly before: number;
  readonly after: number;
  readonly length: number;
}

/**
 * Takes, among the runs of lines that both sides share, the one with the rarest line, and among equally rare ones the
 * longest. The parts before and after it are compared in the same way. This is JGit's `HistogramDiff`.
 */
class Histogram {
  readonly removed: Marks;
  readonly added: Marks;
  readonly #before: LineNumbers;
  readonly #after: LineNumbers;
  /** For each line in the current range: its first place, and the number of its places. */
  readonly #first: Int32Array;
  readonly #count: Int32Array;
  /** The next place of a line. -1: there is none. */
  readonly #next: Int32Array;
  #steps = 0;

  constructor(before: LineNumbers, after: LineNumbers) {
    this.#before = before;
    this.#after = after;
    this.removed = new Uint8Array(before.length);
    this.added = new Uint8Array(after.length);
    const end = Math.max(endOf(before), endOf(after));
    this.#first = new Int32Array(end);
    this.#count = new Int32Array(end);
    this.#next = new Int32Array(before.length);
  }

  compare(): void {
    const waiting: Range[] = [
      {
        before: { start: 0, end: this.#before.length },
        after: { start: 0, end: this.#after.length },
      },
    ];
    for (let range = waiting.pop(); range; range = waiting.pop()) {
      const { before, after } = range;
      const isComparable = before.start < before.end && after.start < after.end;
      const found = isComparable && this.#steps < maxSteps ? this.#findRun(range) : undefined;
      if (found === 'all-frequent') this.#compareShortest(range);
      else if (found) {
        waiting.push(
          {
            before: { start: before.start, end: found.before },
            after: { start: after.start, end: found.after },
          },
          {
            before: { start: found.before + found.length, end: before.end },
            after: { start: found.after + found.length, end: after.end },
          },
        );
      } else this.#mark(range);
    }
  }

  #mark({ before, after }: Range): void {
    this.removed.fill(1, before.start, before.end);
    this.added.fill(1, after.start, after.end);
  }

  /** Undefined if no line is the same. */
  #findRun({ before, after }: Range): Run | 'all-frequent' | undefined {
    this.#index(before);
    let best: Run | undefined;
    let longest = 1;
    let rarest = maxOccurrences + 1;
    let hasCommon = false;
    for (let at = after.start, next: number; at < after.end; at = next) {
      next = at + 1;
      const line = this.#after[at] ?? 0;
      const count = this.#count[line] ?? 0;
      if (count > 0) hasCommon = true;
      if (count === 0 || count > rarest) continue;
      for (let place = this.#first[line] ?? -1; place !== -1;) {
        const run = this.#widen({ before, after }, place, at, count);
        next = Math.max(next, run.after + run.length);
        if (run.length > longest || run.rarity < rarest) {
          best = run;
          longest = run.length;
          rarest = run.rarity;
        }
        const end = run.before + run.length;
        // A place within the run would give the same run again.
        do place = this.#next[place] ?? -1;
        while (place !== -1 && place < end);
      }
    }
    this.#forget(before);
    this.#steps += before.end - before.start + after.end - after.start;
    return hasCommon && rarest > maxOccurrences ? 'all-frequent' : best;
  }

  #index({ start, end }: LineSpan): void {
    for (let at = end - 1; at >= start; at -= 1) {
      const line = this.#before[at] ?? 0;
      const count = this.#count[line] ?? 0;
      this.#next[at] = count === 0 ? -1 : (this.#first[line] ?? -1);
      this.#first[line] = at;
      this.#count[line] = count + 1;
    }
  }

  #forget({ start, end }: LineSpan): void {
    for (let at = start; at < end; at += 1) this.#count[this.#before[at] ?? 0] = 0;
  }

  /** All equal lines around two equal ones, and the count of the rarest line among them. */
  #widen(
    { before, after }: Range,
    beforeAt: number,
    afterAt: number,
    count: number,
  ): Run & { readonly rarity: number } {
    let [start, fresh, rarity] = [beforeAt, afterAt, count];
    const take = (at: number) => {
      rarity = Math.min(rarity, this.#count[this.#before[at] ?? 0] ?? 0);
    };
    while (
      start > before.start &&
      fresh > after.start &&
      this.#before[start - 1] === this.#after[fresh - 1]
    ) {
      start -= 1;
      fresh -= 1;
      take(start);
    }
    let [end, freshEnd] = [beforeAt + 1, afterAt + 1];
    while (
      end < before.end &&
      freshEnd < after.end &&
      this.#before[end] === this.#after[freshEnd]
    ) {
      take(end);
      end += 1;
      freshEnd += 1;
    }
    this.#steps += end - start;
    return { before: start, after: fresh, length: end - start, rarity };
  }

  /** Compares by the fewest lines, as git does if a range has only frequent lines. */
  #compareShortest({ before, after }: Range): void {
    const old = [...this.#before.subarray(before.start, before.end)];
    const fresh = [...this.#after.subarray(after.start, after.end)];
    const parts = diffArrays(old, fresh, { maxEditLength: maxEdits });
    if (!parts) {
      this.#mark({ before, after });
      return;
    }
    let [at, freshAt] = [before.start, after.start];
    for (const { added, removed, count } of parts) {
      if (removed) this.removed.fill(1, at, at + count);
      if (added) this.added.fill(1, freshAt, freshAt + count);
      if (!added) at += count;
      if (!removed) freshAt += count;
    }
  }
}

function endOf(lines: LineNumbers): number {
  return lines.reduce((end, line) => Math.max(end, line + 1), 0);
}

/**
 * A group of changed lines can often be moved some lines up or down with the same meaning. It is moved as far down as
 * possible, or to changed lines of the other side. As in git, both groups are then one change.
 */
function slideChanges(lines: LineNumbers, marks: Marks, otherMarks: Marks): void {
  const group = new Group(marks);
  const other = new Group(otherMarks);
  do {
    if (group.start === group.end) continue;
    let size: number;
    let shared: number;
    let top: number;
    do {
      size = group.end - group.start;
      while (group.slideUp(lines)) other.goBack();
      top = group.end;
      shared = other.start < other.end ? group.end : -1;
      while (group.slideDown(lines)) {
        other.goOn();
        if (other.start < other.end) shared = group.end;
      }
      // The group has met another. Both continue as one.
    } while (size !== group.end - group.start);
    if (group.end === top || shared === -1) continue;
    while (other.start === other.end) {
      group.slideUp(lines);
      other.goBack();
    }
  } while (group.goOn() && other.goOn());
}

/**
 * A group of consecutive changed lines between two unchanged ones, or between one and an end of the text. It may be
 * empty. Both sides have equally many groups.
 */
class Group {
  start = 0;
  end = 0;
  readonly #marks: Marks;

  constructor(marks: Marks) {
    this.#marks = marks;
    this.#takeBelow();
  }

  /** Goes to the next group. False at the end. */
  goOn(): boolean {
    if (this.end === this.#marks.length) return false;
    this.start = this.end + 1;
    this.end = this.start;
    this.#takeBelow();
    return true;
  }

  /** Goes to the group before. */
  goBack(): void {
    if (this.start === 0) return;
    this.end = this.start - 1;
    this.start = this.end;
    this.#takeAbove();
  }

  /** Moves one line up, if the change is the same there. */
  slideUp(lines: LineNumbers): boolean {
    if (this.start === 0 || lines[this.start - 1] !== lines[this.end - 1]) return false;
    this.start -= 1;
    this.end -= 1;
    this.#marks[this.start] = 1;
    this.#marks[this.end] = 0;
    this.#takeAbove();
    return true;
  }

  /** Moves one line down, if the change is the same there. */
  slideDown(lines: LineNumbers): boolean {
    if (this.end === lines.length || lines[this.start] !== lines[this.end]) return false;
    this.#marks[this.start] = 0;
    this.#marks[this.end] = 1;
    this.start += 1;
    this.end += 1;
    this.#takeBelow();
    return true;
  }

  #takeAbove(): void {
    while (this.start > 0 && this.#marks[this.start - 1] === 1) this.start -= 1;
  }

  #takeBelow(): void {
    while (this.#marks[this.end] === 1) this.end += 1;
  }
}

function listChanges(removed: Marks, added: Marks): LineChange[] {
  const changes: LineChange[] = [];
  const [old, fresh] = [new Group(removed), new Group(added)];
  do {
    if (old.start === old.end && fresh.start === fresh.end) continue;
    const before = { start: old.start, end: old.end };
    changes.push({ before, after: { start: fresh.start, end: fresh.end } });
  } while (old.goOn() && fresh.goOn());
  return changes;
}
