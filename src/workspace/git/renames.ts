// Rename detection by git's rules, so that diffs show the same renames as git's. Called by
// difference.ts for diffs, and by merge-renames.ts for each side of a merge.
import { isBinary } from '../../text/encoding.ts';
import { basename } from '../../core/path.ts';
import type { DirectoryHints } from './directory-renames.ts';
import type { GitTreeEntry, Oid } from './git.ts';
import { isFile } from './object-codec.ts';
import type { EntryPair } from './trees.ts';

/** A pair of entries whose old path was another one. */
export interface RenamedPair extends EntryPair {
  /** Left out if the path is the same on both sides, or exists on one side only. */
  readonly renamedFrom?: string;
}

/** Reads the content of a file in one of the two states. */
export type ReadSide = (path: string, entry: GitTreeEntry) => Uint8Array;

/** How renames are looked for. */
export interface RenameSearch {
  readonly readBefore: ReadSide;
  readonly readAfter: ReadSide;
  /** Doesn't pair empty files, which are all equal. @defaultValue false */
  readonly leavesEmpty?: boolean;
  /** With more files than this on both sides, only exact renames are found. @defaultValue 1000 */
  readonly limit?: number;
  /** True if renames with changes are searched for this old path. @defaultValue all paths */
  readonly isWanted?: (path: string) => boolean;
  /** Renamed directories, which show where more files went. `isWanted` uses them. */
  readonly directories?: DirectoryHints;
  /** True if the old path only matters for its directory. */
  readonly isForDirectory?: (path: string) => boolean;
}

interface File {
  readonly path: string;
  readonly entry: GitTreeEntry;
}

/** A possible rename: an old file and a new one. */
interface Candidate {
  readonly from: File;
  readonly to: File;
  readonly score: number;
  readonly hasSameName: boolean;
}

// Git's thresholds: half of the bytes must be the same. Three quarters are enough to stop if the
// name matches as well.
const fullScore = 60_000;
const minScore = fullScore / 2;
const minScoreOfName = (fullScore * 3) / 4;
// 4: git's number of candidates that are kept for each new file.
const maxCandidates = 4;
// 1 000: git's default (diff.renameLimit).
const defaultLimit = 1000;
const emptyBlob: Oid = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';

/**
 * Returns the pairs in path order. A removed and an added file that are a rename become one pair.
 */
export function findRenames(pairs: readonly EntryPair[], search: RenameSearch): RenamedPair[] {
  const { readBefore, readAfter, leavesEmpty = false, limit = defaultLimit } = search;
  const { isWanted, directories, isForDirectory } = search;
  const counts = ({ oid }: GitTreeEntry) => !leavesEmpty || oid !== emptyBlob;
  const gone = pairs.flatMap(({ path, before, after }): File[] =>
    before && !after && counts(before) ? [{ path, entry: before }] : [],
  );
  const fresh = pairs.flatMap(({ path, before, after }): File[] =>
    after && !before && counts(after) ? [{ path, entry: after }] : [],
  );
  if (gone.length === 0 || fresh.length === 0) return [...pairs];
  const origins = new Map<File, File>();
  const taken = new Set<File>();
  const pair = (from: File, to: File) => {
    origins.set(to, from);
    taken.add(from);
    directories?.add(from.path, to.path);
  };
  const left = () => ({
    from: gone.filter((file) => !taken.has(file)),
    to: fresh.filter((file) => !origins.has(file)),
  });

  pairSame(gone, fresh, taken, pair);
  const spans = new Map<File, Spans>();
  const measure = (from: File, to: File, least: number) => {
    if (!isFile(from.entry) || !isFile(to.entry)) return 0;
    const old = getSpans(spans, from, readBefore);
    return similarity(old, getSpans(spans, to, readAfter), least);
  };
  for (const { from, to } of matchNames(left(), directories)) {
    if (isWanted?.(from.path) === false || origins.has(to)) continue;
    if (measure(from, to, minScoreOfName) >= minScoreOfName) pair(from, to);
  }
  const { from: all, to } = left();
  const wanted = isWanted ? all.filter(({ path }) => isWanted(path)) : all;
  const isOpen = directories?.settle(wanted.map(({ path }) => path));
  const from = isOpen
    ? wanted.filter(({ path }) => isForDirectory?.(path) !== true || isOpen(path))
    : wanted;
  if (from.length * to.length <= limit ** 2) {
    for (const one of weigh(from, to, measure)) {
      if (!taken.has(one.from) && !origins.has(one.to)) pair(one.from, one.to);
    }
  }

  const moved = new Set([...taken].map(({ path }) => path));
  const sources = new Map([...origins].map(([file, origin]) => [file.path, origin]));
  return pairs.flatMap((own): RenamedPair[] => {
    if (!own.after && moved.has(own.path)) return [];
    const origin = own.before ? undefined : sources.get(own.path);
    return [origin ? { ...own, before: origin.entry, renamedFrom: origin.path } : own];
  });
}

/** Pairs files with equal content, preferring equal names. */
function pairSame(
  gone: readonly File[],
  fresh: readonly File[],
  taken: ReadonlySet<File>,
  pair: (from: File, to: File) => void,
): void {
  const byId = new Map<string, File[]>();
  for (const file of gone) {
    const same = byId.get(file.entry.oid);
    if (same) same.push(file);
    else byId.set(file.entry.oid, [file]);
  }
  for (const to of fresh) {
    const open = (byId.get(to.entry.oid) ?? []).filter(
      (from) => !taken.has(from) && isSameKind(from.entry, to.entry),
    );
    const from = open.find(({ path }) => basename(path) === basename(to.path)) ?? open[0];
    if (from) pair(from, to);
  }
}

function isSameKind(one: GitTreeEntry, other: GitTreeEntry): boolean {
  return one.mode === other.mode || (isFile(one) && isFile(other));
}

/**
 * Pairs a removed and an added file whose name is unique. If several have the name, uses where
 * their directory went.
 */
function matchNames(
  { from, to }: { readonly from: readonly File[]; readonly to: readonly File[] },
  directories: DirectoryHints | undefined,
) {
  const [old, fresh] = [byOnlyName(from), byOnlyName(to)];
  const byPath = new Map(to.map((file) => [file.path, file]));
  return from.flatMap((file) => {
    const name = basename(file.path);
    const only = old.get(name) === null ? null : fresh.get(name);
    if (only !== null) return only ? [{ from: file, to: only }] : [];
    const guess = directories?.guess(file.path);
    const guessed = fresh.has(name) && guess !== undefined ? byPath.get(guess) : undefined;
    return guessed ? [{ from: file, to: guessed }] : [];
  });
}

/** Maps each name to its file, or to null if several files have it. */
function byOnlyName(files: readonly File[]): Map<string, File | null> {
  const found = new Map<string, File | null>();
  for (const file of files) {
    const name = basename(file.path);
    found.set(name, found.has(name) ? null : file);
  }
  return found;
}

/** Returns the best candidates of all new files, best first. */
function weigh(
  from: readonly File[],
  to: readonly File[],
  measure: (from: File, to: File, least: number) => number,
): Candidate[] {
  const compare = (one: Candidate, other: Candidate) =>
    other.score - one.score || Number(other.hasSameName) - Number(one.hasSameName);
  return to
    .flatMap((fresh) => {
      const best: Candidate[] = [];
      for (const old of from) {
        const hasSameName = basename(old.path) === basename(fresh.path);
        const next = { from: old, to: fresh, score: measure(old, fresh, minScore), hasSameName };
        if (best.length < maxCandidates) best.push(next);
        else {
          // Replaces the worst candidate as git does, because this decides between similar files.
          const worst = best.reduce((one, other) => (compare(other, one) > 0 ? other : one));
          if (compare(worst, next) > 0) best[best.indexOf(worst)] = next;
        }
      }
      return best.filter(({ score }) => score >= minScore);
    })
    .sort(compare);
}

/** Hash of a line, or of a piece of a long line → the number of bytes with that hash. */
interface Spans {
  readonly size: number;
  readonly bytes: ReadonlyMap<number, number>;
}

function getSpans(known: Map<File, Spans>, file: File, read: ReadSide): Spans {
  let spans = known.get(file);
  if (!spans) known.set(file, (spans = toSpans(read(file.path, file.entry))));
  return spans;
}

const maxSpan = 64;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

function toSpans(content: Uint8Array): Spans {
  const isText = !isBinary(content);
  const bytes = new Map<number, number>();
  let [length, low, high] = [0, 0, 0];
  const end = () => {
    // 107 927: git's value.
    const hash = ((low + Math.imul(high, 0x61)) >>> 0) % 107_927;
    bytes.set(hash, (bytes.get(hash) ?? 0) + length);
    [length, low, high] = [0, 0, 0];
  };
  for (let at = 0; at < content.length; at += 1) {
    const byte = content[at] ?? 0;
    if (isText && byte === carriageReturn && content[at + 1] === lineFeed) continue;
    const before = low;
    low = ((((low << 7) ^ (high >>> 25)) >>> 0) + byte) >>> 0;
    high = ((high << 7) ^ (before >>> 25)) >>> 0;
    length += 1;
    if (length === maxSpan || byte === lineFeed) end();
  }
  if (length > 0) end();
  return { size: content.length, bytes };
}

/**
 * Returns how much of the larger file is in the other one. Returns 0 if their sizes alone show that
 * it is less than `least`.
 */
function similarity(old: Spans, fresh: Spans, least: number): number {
  const larger = Math.max(old.size, fresh.size);
  const difference = larger - Math.min(old.size, fresh.size);
  if (fresh.size === 0 || difference * fullScore > larger * (fullScore - least)) return 0;
  let common = 0;
  for (const [hash, count] of old.bytes) common += Math.min(count, fresh.bytes.get(hash) ?? 0);
  return Math.floor((common * fullScore) / larger);
}
