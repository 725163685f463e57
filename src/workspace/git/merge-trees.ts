// Three-way merge of trees by the rules of git's `ort`. Changes of one side are taken, changes of
// both are merged by lines, and renames are followed. Used by merges, picks, reverts and stashes.
import { SdkError } from '../../core/errors.ts';
import type { MarkerLabels } from '../../text/merge-with-markers.ts';
import { compareNames } from '../tree/path-order.ts';
import { isSame } from './checkout.ts';
import { mayShow } from './difference.ts';
import type { GitTreeEntry } from './git.ts';
import {
  isSameKind,
  mergeContent,
  readMarkers,
  type Markers,
  type Stages,
} from './merge-content.ts';
import { readDirectoryRenames } from './merge-directories.ts';
import type { MergedTrees, MergePath } from './merge-paths.ts';
import { followRenames } from './merge-renames.ts';
import { plainEntry } from './staged.ts';
import type { IndexEntry } from './index-file.ts';
import { isFile, treeModes } from './object-codec.ts';
import type { Repository } from './repository.ts';
import { diffTreeOids, entryAt, type EntryPair } from './trees.ts';

export interface TreeMerge {
  /** Changes from ours to the result, or to a file's content during a conflict. Ordered by path. */
  readonly changes: readonly EntryPair[];
  /** The stages of each path in conflict, ordered by path. */
  readonly conflicts: ReadonlyMap<string, readonly IndexEntry[]>;
  /**
   * Files and directories whose new place is unclear. They stay, and are conflicts that aren't in
   * the index.
   */
  readonly unclear: readonly string[];
}

/**
 * Merges `theirs` into `ours`. Writes blobs of merged files, but no tree. `isBase` is true if the
 * result is the base of another merge; files then don't follow directories.
 *
 * @throws SdkError `permission-denied` if a file that the view may not read would have to be moved
 * out of the way
 */
export function mergeTrees(
  repository: Repository,
  trees: MergedTrees,
  labels: MarkerLabels,
  isBase = false,
): TreeMerge {
  const ours = diffTreeOids(repository, trees.base, trees.ours);
  const theirs = diffTreeOids(repository, trees.base, trees.theirs);
  const paths = joinPaths(ours, theirs);
  const before = new Map([...paths].map(([path, { stages }]) => [path, stages[1]]));
  const markers = readMarkers(repository, trees.ours, labels);
  const directories = isBase ? 'false' : readDirectoryRenames(repository);
  const input = { trees, paths, differences: { ours, theirs } };
  const unclear = followRenames(repository, input, markers, directories);
  const merge = new PathMerge(repository, trees, paths, markers);
  // Last path first, so that a directory's entries are settled before a file of the directory's
  // name.
  for (const path of [...paths.keys()].sort(compareNames).toReversed()) merge.settle(path);
  const changes: EntryPair[] = [];
  const conflicts = new Map<string, readonly IndexEntry[]>();
  const settled = [...merge.settled].sort(([left], [right]) => compareNames(left, right));
  for (const [path, { after, stages }] of settled) {
    const own = before.get(path) ?? null;
    if (!isSame(own, after)) changes.push({ path, before: own, after });
    if (stages) conflicts.set(path, toIndexEntries(path, stages));
  }
  return { changes, conflicts, unclear };
}

/** Returns every path that differs between the base and the two sides. */
function joinPaths(
  ours: readonly EntryPair[],
  theirs: readonly EntryPair[],
): Map<string, MergePath> {
  const paths = new Map<string, MergePath>();
  const add = (path: string, stages: Stages) => {
    const [base, our, their] = stages;
    const areSame = (one: GitTreeEntry | null, other: GitTreeEntry | null) =>
      one !== null && isSame(one, other);
    const same = areSame(base, our)
      ? 'base-ours'
      : areSame(base, their)
        ? 'base-theirs'
        : areSame(our, their)
          ? 'sides'
          : null;
    paths.set(path, { stages, names: [path, path, path], same, isDisputed: false, isGone: false });
  };
  const ofOurs = new Map(ours.map((pair) => [pair.path, pair]));
  for (const { path, before, after } of theirs) {
    const own = ofOurs.get(path);
    add(path, [before, own ? own.after : before, after]);
  }
  for (const { path, before, after } of ours) {
    if (!paths.has(path)) add(path, [before, after, before]);
  }
  return paths;
}

/** The result for a path: its file, and its stages if it is in conflict. */
interface Settled {
  readonly after: GitTreeEntry | null;
  readonly stages?: Stages;
}

/** Merges path by path after renames were followed. */
class PathMerge {
  readonly settled = new Map<string, Settled>();
  readonly #repository: Repository;
  readonly #trees: MergedTrees;
  readonly #paths: ReadonlyMap<string, MergePath>;
  readonly #markers: Markers;
  /** Directories that have entries in the result. */
  readonly #directories = new Set<string>();

  constructor(
    repository: Repository,
    trees: MergedTrees,
    paths: ReadonlyMap<string, MergePath>,
    markers: Markers,
  ) {
    this.#repository = repository;
    this.#trees = trees;
    this.#paths = paths;
    this.#markers = markers;
  }

  settle(path: string): void {
    const merged = this.#paths.get(path);
    if (!merged || merged.isGone) {
      this.#put(path, { after: null });
      return;
    }
    const [, ours, theirs] = merged.stages;
    const isBlocked = this.#directories.has(path);
    if (!isBlocked && ours && theirs && merged.same === null && !isSameKind(ours, theirs)) {
      this.#settleTypes(path, merged.stages, { ours, theirs });
      return;
    }
    const settled = this.#merge(path, merged, isBlocked);
    if (!isBlocked) this.#put(path, settled);
    else {
      // The directory stays, and the file gets a new name.
      this.#put(path, { after: null });
      if (settled.after) this.#put(this.#placeBeside(path, this.#sideOfFile(path)), settled);
    }
  }

  #put(path: string, settled: Settled): void {
    this.settled.set(path, settled);
    if (!settled.after) return;
    for (let at = path.lastIndexOf('/'); at !== -1; at = path.lastIndexOf('/', at - 1)) {
      const directory = path.slice(0, at);
      if (this.#directories.has(directory)) return;
      this.#directories.add(directory);
    }
  }

  /** `isBlocked` is true if the path can't be kept, which alone is a conflict. */
  #merge(
    path: string,
    { stages, names, same, isDisputed }: MergePath,
    isBlocked: boolean,
  ): Settled {
    const [base, ours, theirs] = stages;
    const asWanted = (after: GitTreeEntry | null, isClean: boolean, its = stages): Settled =>
      isClean ? { after } : { after, stages: its };
    const isOpen = isDisputed || isBlocked;
    if (same !== null) {
      const after = same === 'base-ours' ? theirs : ours;
      return asWanted(after, after === null || !isOpen);
    }
    if (ours && theirs) {
      const { entry, isClean } = mergeContent(
        this.#repository,
        [base, ours, theirs] as Stages<GitTreeEntry>,
        names,
        this.#markers,
        { path },
      );
      if (isClean && isBlocked) {
        const isOfOurs = this.#sideOfFile(path) === 'ours';
        return asWanted(entry, false, isOfOurs ? [null, entry, null] : [null, null, entry]);
      }
      return asWanted(entry, isClean && !isOpen);
    }
    // One side removed what the other changed. The changed file stays, for a person to decide.
    if (base) return asWanted(ours ?? theirs, !ours && !theirs && !isDisputed);
    return asWanted(ours ?? theirs, !isOpen);
  }

  /** Two different types, such as a file and a link: one gets a new name. */
  #settleTypes(
    path: string,
    [base]: Stages,
    { ours, theirs }: { readonly ours: GitTreeEntry; readonly theirs: GitTreeEntry },
  ): void {
    const ofKind = (entry: GitTreeEntry) => (base && isSameKind(base, entry) ? base : null);
    const movesOurs = isFile(ours) || !isFile(theirs);
    const movesTheirs = !isFile(ours);
    if (movesOurs && movesTheirs) this.#put(path, { after: null });
    const ourPlace = movesOurs ? this.#placeBeside(path, 'ours') : path;
    this.#put(ourPlace, { after: ours, stages: [ofKind(ours), ours, null] });
    const theirPlace = movesTheirs ? this.#placeBeside(path, 'theirs') : path;
    this.#put(theirPlace, { after: theirs, stages: [ofKind(theirs), null, theirs] });
  }

  #sideOfFile(path: string): 'ours' | 'theirs' {
    const node = entryAt(this.#repository, this.#trees.ours, path);
    return node?.mode === treeModes.directory ? 'theirs' : 'ours';
  }

  /** Security: the new path may not be hidden by rules, so a hidden file never moves there. */
  #placeBeside(path: string, side: 'ours' | 'theirs'): string {
    if (!mayShow(this.#repository, path)) {
      throw new SdkError(
        'permission-denied',
        "In this merge a file would have to move that rules keep from being read. A person whom they don't hold must make it.",
      );
    }
    // eslint-disable-next-line no-control-regex -- a commit's first line may hold anything, and becomes a name
    const name = `${path}~${this.#markers[side].replaceAll(/[/\\\u0000-\u001f\u007f]/gu, '_')}`;
    let place = name;
    for (let number = 0; this.#isTaken(place); number += 1) place = `${name}_${number}`;
    return place;
  }

  #isTaken(path: string): boolean {
    if (this.#paths.has(path) || this.settled.has(path)) return true;
    return entryAt(this.#repository, this.#trees.ours, path) !== undefined;
  }
}

function toIndexEntries(path: string, stages: Stages): IndexEntry[] {
  return stages.flatMap((entry, at) => (entry ? [plainEntry({ path, ...entry }, at + 1)] : []));
}
