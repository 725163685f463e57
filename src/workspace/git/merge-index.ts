// Three-way merge of git's index, path by path. The workspace's writer calls it if two commits have
// both changed an index.
import { decodeLatin1 } from '../../core/bytes/latin1.ts';
import { compareEntries, readIndex, writeIndex, type IndexEntry } from './index-file.ts';

/** `paths` are those that both sides changed in different ways, sorted. */
export type IndexMerge =
  | { readonly type: 'clean'; readonly bytes: Uint8Array }
  | { readonly type: 'conflict'; readonly paths: readonly string[] };

/** All stages of one path, which change together. */
type Stages = readonly IndexEntry[];

/**
 * Takes all changes of either side. The stat of the work tree isn't compared. Extensions are
 * dropped, because they are caches. Throws as `readIndex` does.
 */
export async function mergeIndex(
  base: Uint8Array | undefined,
  ours: Uint8Array,
  theirs: Uint8Array,
): Promise<IndexMerge> {
  const [old, our, their] = [base ? byPath(base) : new Map(), byPath(ours), byPath(theirs)];
  const merged = new Map<string, Stages>();
  const conflicts: string[] = [];
  for (const path of new Set([...our.keys(), ...their.keys()])) {
    const [before, mine, other] = [old.get(path), our.get(path), their.get(path)];
    const taken = isSame(mine, other) || isSame(before, other) ? mine : other;
    if (taken === other && !isSame(mine, other) && !isSame(before, mine))
      conflicts.push(nameOf(path));
    else if (taken) merged.set(path, taken);
  }
  for (const path of findFilesAboveFiles(merged)) conflicts.push(nameOf(path));
  if (conflicts.length > 0) return { type: 'conflict', paths: conflicts.toSorted() };
  const entries = [...merged.values()].flat().toSorted(compareEntries);
  return { type: 'clean', bytes: await writeIndex(entries) };
}

/** Keyed by the names' bytes, because names that aren't UTF-8 may decode to the same text. */
function byPath(bytes: Uint8Array): Map<string, Stages> {
  const stages = new Map<string, IndexEntry[]>();
  for (const entry of readIndex(bytes)) {
    const key = decodeLatin1(entry.name);
    const known = stages.get(key);
    if (known) known.push(entry);
    else stages.set(key, [entry]);
  }
  return stages;
}

function isSame(left: Stages | undefined, right: Stages | undefined): boolean {
  if (left?.length !== right?.length) return false;
  return !left || left.every((entry, at) => isSameEntry(entry, right?.[at]));
}

function isSameEntry(left: IndexEntry, right: IndexEntry | undefined): boolean {
  return (
    left.stage === right?.stage &&
    left.mode === right.mode &&
    left.oid === right.oid &&
    left.isAssumedValid === right.isAssumedValid &&
    left.skipsWorktree === right.skipsWorktree &&
    left.isIntentToAdd === right.isIntentToAdd
  );
}

/** A tree can't contain both a file `a` and a file `a/b`. */
function findFilesAboveFiles(merged: ReadonlyMap<string, Stages>): Set<string> {
  const found = new Set<string>();
  for (const path of merged.keys()) {
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
      const above = path.slice(0, end);
      if (merged.has(above)) found.add(above);
    }
  }
  return found;
}

function nameOf(key: string): string {
  return new TextDecoder().decode(Uint8Array.from(key, (byte) => byte.charCodeAt(0)));
}
