// The three-way merge of a text as `git merge` does it, with markers around conflicts. The merges of git use it.
// merge-text.ts is the one for drafts: it reports where a merge failed, without markers.
import {
  createNumbering,
  diffLines,
  type LineChange,
  type LineNumbers,
  type LineSpan,
} from './diff-lines.ts';
import { splitLines } from '../core/text/split-lines.ts';

/** Git's `merge.conflictStyle`: with the base between the markers (`diff3`), without, or as short as both allow. */
export type ConflictStyle = 'merge' | 'diff3' | 'zdiff3';

/** The text after the markers: a branch, a commit. */
export interface MarkerLabels {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** How conflicts are marked. */
export interface MarkerStyle {
  readonly labels: MarkerLabels;
  /** The markers' length, in characters. */
  readonly length: number;
  readonly style: ConflictStyle;
  /** Lines of both sides instead of markers. @defaultValue false */
  readonly isUnion?: boolean;
}

interface Sides<Value> {
  readonly base: Value;
  readonly ours: Value;
  readonly theirs: Value;
}

interface Text {
  /** Lines with their ends. The last line may have none. */
  readonly lines: readonly string[];
  readonly numbers: LineNumbers;
}

/** A place where sides differ from the base. `same`: both came to the same lines. */
interface Hunk extends Sides<LineSpan> {
  readonly type: 'ours' | 'theirs' | 'same' | 'conflict';
}

// Git's own limit: conflicts with fewer lines between them are read more easily as one.
const minLinesBetween = 4;

/**
 * The merged text, and the number of marked conflicts in it. The markers' lines end as the lines
 * around them do.
 */
export function mergeWithMarkers(
  sides: Sides<string>,
  markers: MarkerStyle,
): { readonly text: string; readonly conflicts: number } {
  const texts = readTexts(sides);
  const hunks = narrow(texts, findHunks(texts), markers.style);
  const { ours, theirs } = texts;
  const parts: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    // Our lines, changed or not, are copied up to the next hunk of another kind.
    if (hunk.type === 'ours' || hunk.type === 'same') continue;
    parts.push(ours.lines.slice(at, hunk.ours.start).join(''));
    const lines =
      hunk.type === 'theirs' ? linesIn(theirs, hunk.theirs) : formatConflict(texts, hunk, markers);
    parts.push(lines.join(''));
    at = hunk.ours.end;
  }
  parts.push(ours.lines.slice(at).join(''));
  const conflicts = hunks.filter(({ type }) => type === 'conflict').length;
  return { text: parts.join(''), conflicts: markers.isUnion === true ? 0 : conflicts };
}

function readTexts({ base, ours, theirs }: Sides<string>): Sides<Text> {
  const toNumbers = createNumbering();
  const read = (text: string): Text => {
    const lines = splitLines(text);
    return { lines, numbers: toNumbers(lines) };
  };
  return { base: read(base), ours: read(ours), theirs: read(theirs) };
}

/** Changes of both sides that touch, with no line between them, are one hunk. */
function findHunks({ base, ours, theirs }: Sides<Text>): Hunk[] {
  const ourChanges = diffLines(base.numbers, ours.numbers);
  const theirChanges = diffLines(base.numbers, theirs.numbers);
  const hunks: Hunk[] = [];
  const ourSide = new Side(ourChanges);
  const theirSide = new Side(theirChanges);
  for (const span of joinSpans([...ourChanges, ...theirChanges])) {
    const [our, their] = [ourSide.take(span), theirSide.take(span)];
    const place = { base: span, ours: our.span, theirs: their.span };
    if (their.changes.length === 0) hunks.push({ type: 'ours', ...place });
    else if (our.changes.length === 0) hunks.push({ type: 'theirs', ...place });
    else {
      const isOneEach = our.changes.length === 1 && their.changes.length === 1;
      const isSame =
        isOneEach &&
        isSameSpan(our.changes[0]?.before, their.changes[0]?.before) &&
        hasSameLines({ ours, theirs }, place);
      // The same change on both sides doesn't separate the conflicts around it.
      if (!isSame) hunks.push({ type: 'conflict', ...place });
    }
  }
  return hunks;
}

/** Lines of the base that some change touches, in their order. */
function joinSpans(changes: readonly LineChange[]): LineSpan[] {
  const spans: { start: number; end: number }[] = [];
  const sorted = changes
    .map(({ before }) => before)
    .sort((left, right) => left.start - right.start || left.end - right.end);
  for (const { start, end } of sorted) {
    const last = spans.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else spans.push({ start, end });
  }
  return spans;
}

/** The changes of one side, taken in their order. */
class Side {
  readonly #changes: readonly LineChange[];
  #at = 0;
  /** The distance that a line has moved down from its place in the base. */
  #shift = 0;

  constructor(changes: readonly LineChange[]) {
    this.#changes = changes;
  }

  /** The side's lines for lines of the base. */
  take({ start, end }: LineSpan): {
    readonly span: LineSpan;
    readonly changes: readonly LineChange[];
  } {
    const from = start + this.#shift;
    const first = this.#at;
    for (
      let change = this.#changes[first];
      change && change.before.start <= end;
      change = this.#changes[this.#at]
    ) {
      this.#at += 1;
      this.#shift = change.after.end - change.before.end;
    }
    return {
      span: { start: from, end: end + this.#shift },
      changes: this.#changes.slice(first, this.#at),
    };
  }
}

/** Narrows each conflict to the lines that are in conflict, by the style. */
function narrow(texts: Sides<Text>, hunks: readonly Hunk[], style: ConflictStyle): Hunk[] {
  // With the base's lines shown, the whole of each side is needed.
  if (style === 'diff3') return [...hunks];
  if (style === 'zdiff3') {
    return hunks.map((hunk) => (hunk.type === 'conflict' ? trimEnds(texts, hunk) : hunk));
  }
  return joinNear(
    hunks.flatMap((hunk) => (hunk.type === 'conflict' ? splitConflict(texts, hunk) : [hunk])),
  );
}

/** Lines at the ends that both sides have. */
function trimEnds({ ours, theirs }: Pick<Sides<Text>, 'ours' | 'theirs'>, hunk: Hunk): Hunk {
  let { start, end } = hunk.ours;
  let { start: theirStart, end: theirEnd } = hunk.theirs;
  const isOpen = () => start < end && theirStart < theirEnd;
  while (isOpen() && ours.numbers[start] === theirs.numbers[theirStart]) {
    start += 1;
    theirStart += 1;
  }
  while (isOpen() && ours.numbers[end - 1] === theirs.numbers[theirEnd - 1]) {
    end -= 1;
    theirEnd -= 1;
  }
  return { ...hunk, ours: { start, end }, theirs: { start: theirStart, end: theirEnd } };
}

/** A conflict for each place where the sides differ. */
function splitConflict({ ours, theirs }: Pick<Sides<Text>, 'ours' | 'theirs'>, hunk: Hunk): Hunk[] {
  const { start, end } = hunk.ours;
  const { start: theirStart, end: theirEnd } = hunk.theirs;
  if (start === end || theirStart === theirEnd) return [hunk];
  const changes = diffLines(
    ours.numbers.subarray(start, end),
    theirs.numbers.subarray(theirStart, theirEnd),
  );
  if (changes.length === 0) return [{ ...hunk, type: 'same' }];
  return changes.map(({ before, after }) => ({
    ...hunk,
    ours: moveSpan(before, start),
    theirs: moveSpan(after, theirStart),
  }));
}

function joinNear(hunks: readonly Hunk[]): Hunk[] {
  const joined: Hunk[] = [];
  for (const hunk of hunks) {
    const last = joined.at(-1);
    const isNear =
      last?.type === 'conflict' &&
      hunk.type === 'conflict' &&
      hunk.ours.start - last.ours.end < minLinesBetween;
    if (!isNear) joined.push(hunk);
    else {
      joined[joined.length - 1] = {
        ...last,
        base: { start: last.base.start, end: hunk.base.end },
        ours: { start: last.ours.start, end: hunk.ours.end },
        theirs: { start: last.theirs.start, end: hunk.theirs.end },
      };
    }
  }
  return joined;
}

function formatConflict(
  texts: Sides<Text>,
  hunk: Hunk,
  { labels, length, style, isUnion }: MarkerStyle,
): string[] {
  const end = lineEndFor(texts, hunk);
  const marker = (sign: string, label?: string) =>
    sign.repeat(length) + (label === undefined ? '' : ` ${label}`) + end;
  const closed = (lines: readonly string[]) => {
    const text = lines.join('');
    return text === '' || text.endsWith('\n') ? text : text + end;
  };
  if (isUnion === true)
    return [closed(linesIn(texts.ours, hunk.ours)), ...linesIn(texts.theirs, hunk.theirs)];
  return [
    marker('<', labels.ours),
    closed(linesIn(texts.ours, hunk.ours)),
    ...(style === 'merge'
      ? []
      : [marker('|', labels.base), closed(linesIn(texts.base, hunk.base))]),
    marker('='),
    closed(linesIn(texts.theirs, hunk.theirs)),
    marker('>', labels.theirs),
  ];
}

/**
 * The line end of markers. It is a carriage return and a line feed if both sides have that before
 * the conflict, and the base's first line does.
 */
function lineEndFor({ base, ours, theirs }: Sides<Text>, hunk: Hunk): string {
  const before = (text: Text, { start }: LineSpan) => endOfLine(text, Math.max(0, start - 1));
  const isPlain =
    before(ours, hunk.ours) === '\n' ||
    before(theirs, hunk.theirs) === '\n' ||
    endOfLine(base, 0) !== '\r\n';
  return isPlain ? '\n' : '\r\n';
}

/**
 * The end of a line. If it is the last one and has none, that of the line before. Undefined if that
 * tells nothing either.
 */
function endOfLine(text: Text, at: number): '\n' | '\r\n' | undefined {
  const line = text.lines[at];
  if (line === undefined) return undefined;
  if (line.endsWith('\n')) return line.endsWith('\r\n') ? '\r\n' : '\n';
  return at === 0 ? undefined : endOfLine(text, at - 1);
}

function linesIn({ lines }: Text, { start, end }: LineSpan): readonly string[] {
  return lines.slice(start, end);
}

function hasSameLines(
  { ours, theirs }: Pick<Sides<Text>, 'ours' | 'theirs'>,
  hunk: Pick<Hunk, 'ours' | 'theirs'>,
): boolean {
  const [our, their] = [hunk.ours, hunk.theirs];
  if (our.end - our.start !== their.end - their.start) return false;
  const own = ours.numbers.subarray(our.start, our.end);
  return own.every((number, at) => number === theirs.numbers[their.start + at]);
}

function isSameSpan(left: LineSpan | undefined, right: LineSpan | undefined): boolean {
  return left?.start === right?.start && left?.end === right?.end;
}

function moveSpan({ start, end }: LineSpan, by: number): LineSpan {
  return { start: start + by, end: end + by };
}
