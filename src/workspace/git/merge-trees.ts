// The three-way merge of trees: what one side changed is taken, what both changed is merged by lines.
// Merges, picks, reverts and stashes are all one of these. Renames aren't looked for.
import { decodeText, isBinary } from '../../text/encoding.ts';
import { mergeFile } from '../../text/merge-file.ts';
import { mergeWithMarkers, type MarkerLabels } from '../../text/merge-text.ts';
import { isSame } from './checkout.ts';
import type { GitTreeEntry, Oid } from './git.ts';
import { plainEntry } from './staged.ts';
import type { IndexEntry } from './index-file.ts';
import { treeModes } from './object-codec.ts';
import type { Repository } from './repository.ts';
import { diffTreeOids, emptyTree, entryAt, type EntryPair } from './trees.ts';

/** What a path is on the three sides; null for nothing. */
interface Sides {
  readonly base: GitTreeEntry | null;
  readonly ours: GitTreeEntry | null;
  readonly theirs: GitTreeEntry | null;
}

export interface TreeMerge {
  /** From ours to what is merged, or to what a file in conflict holds meanwhile. */
  readonly changes: readonly EntryPair[];
  /** The stages of each path in conflict. */
  readonly conflicts: ReadonlyMap<string, readonly IndexEntry[]>;
}

/** Merges `theirs` into `ours`. Writes the merged files' blobs, and no tree. */
export function mergeTrees(
  repository: Repository,
  trees: { readonly base: Oid; readonly ours: Oid; readonly theirs: Oid },
  labels: MarkerLabels,
): TreeMerge {
  const ofOurs = new Map(
    diffTreeOids(repository, trees.base, trees.ours).map((pair) => [pair.path, pair]),
  );
  const changes: EntryPair[] = [];
  const conflicts = new Map<string, readonly IndexEntry[]>();
  for (const { path, before: base, after: theirs } of diffTreeOids(
    repository,
    trees.base,
    trees.theirs,
  )) {
    const own = ofOurs.get(path);
    const ours = own ? own.after : base;
    if (isSame(ours, theirs)) continue;
    const sides = { base, ours, theirs };
    const merged = own ? mergeEntries(repository, sides, labels) : { after: theirs, isClean: true };
    if (!merged.isClean) conflicts.set(path, toStages(path, sides));
    if (!isSame(ours, merged.after)) changes.push({ path, before: ours, after: merged.after });
  }
  return withoutBlocked(repository, trees.ours, changes, conflicts);
}

interface MergedEntry {
  readonly after: GitTreeEntry | null;
  readonly isClean: boolean;
}

/** Both sides changed it, and not in the same way. */
function mergeEntries(repository: Repository, sides: Sides, labels: MarkerLabels): MergedEntry {
  const { base, ours, theirs } = sides;
  // One removed what the other changed: the changed file stays for a person to look at.
  if (!ours || !theirs) return { after: ours ?? theirs, isClean: false };
  if (!isFile(ours) || !isFile(theirs) || (base && !isFile(base))) {
    return { after: ours, isClean: false };
  }
  const mode = base && ours.mode === base.mode ? theirs.mode : ours.mode;
  const isModeClean = base !== null || ours.mode === theirs.mode;
  const read = (entry: GitTreeEntry | null) =>
    entry ? repository.objects.readAs(entry.oid, 'blob') : new Uint8Array();
  const [old, our, their] = [read(base), read(ours), read(theirs)];
  const merged = mergeFile(old, our, their);
  if (merged.type === 'clean') {
    const oid = repository.objects.write('blob', merged.bytes);
    return { after: { mode, oid }, isClean: isModeClean };
  }
  if ([old, our, their].some(isBinary)) return { after: { mode, oid: ours.oid }, isClean: false };
  const texts = { base: decode(old), ours: decode(our), theirs: decode(their) };
  const { text, regions } = mergeWithMarkers(texts, labels);
  // Without a place that differs the line ends alone do, which markers can't show.
  const oid = regions > 0 ? repository.objects.write('blob', encoder.encode(text)) : ours.oid;
  return { after: { mode, oid }, isClean: false };
}

const encoder = new TextEncoder();

function decode(bytes: Uint8Array): string {
  return decodeText(bytes).text;
}

function isFile({ mode }: GitTreeEntry): boolean {
  return mode === treeModes.file || mode === treeModes.executable;
}

function toStages(path: string, { base, ours, theirs }: Sides): IndexEntry[] {
  return [base, ours, theirs].flatMap((entry, at) =>
    entry ? [plainEntry({ path, ...entry }, at + 1)] : [],
  );
}

/**
 * A file can't be written where the other side has a directory of that name, nor below a file. Such a
 * path becomes a conflict, and keeps what ours has there.
 */
function withoutBlocked(
  repository: Repository,
  ours: Oid,
  changes: readonly EntryPair[],
  conflicts: Map<string, readonly IndexEntry[]>,
): TreeMerge {
  const going = new Set(changes.filter(({ after }) => !after).map(({ path }) => path));
  const holdsMore = (path: string): boolean => {
    const entry = entryAt(repository, ours, path);
    if (!entry) return false;
    if (entry.mode !== treeModes.directory) return !going.has(path);
    return diffTreeOids(repository, emptyTree, entry.oid).some(
      (pair) => !going.has(`${path}/${pair.path}`),
    );
  };
  const fresh = new Set(changes.filter(({ after }) => after).map(({ path }) => path));
  const isBlocked = (path: string): boolean => {
    for (let at = path.lastIndexOf('/'); at !== -1; at = path.lastIndexOf('/', at - 1)) {
      const directory = path.slice(0, at);
      const entry = entryAt(repository, ours, directory);
      const isOurFile = entry && entry.mode !== treeModes.directory && !going.has(directory);
      if (isOurFile || fresh.has(directory)) return true;
    }
    return entryAt(repository, ours, path)?.mode === treeModes.directory && holdsMore(path);
  };
  const kept = changes.filter(({ path, before, after }) => {
    if (!after || !isBlocked(path)) return true;
    if (!conflicts.has(path)) {
      conflicts.set(path, toStages(path, { base: null, ours: before, theirs: after }));
    }
    return false;
  });
  return { changes: kept, conflicts };
}
