// Follows renames in a merge by the rules of git's `ort`. An edit on one side follows the file to
// where the other side moved it. A new file follows its renamed directory. merge-trees.ts calls it
// between comparing the sides and merging the paths.
import { compareNames } from '../tree/path-order.ts';
import { isSame } from './checkout.ts';
import { mayShow } from './difference.ts';
import { DirectoryCounts, GoneDirectories, type Side } from './directory-renames.ts';
import type { GitTreeEntry } from './git.ts';
import { mergeContent, type Markers, type Stages } from './merge-content.ts';
import { isFile } from './object-codec.ts';
import {
  followDirectories,
  type DirectoryRenames,
  type FollowedDirectories,
} from './merge-directories.ts';
import type { MergeInput, MergePaths } from './merge-paths.ts';
import { findRenames } from './renames.ts';
import type { Repository } from './repository.ts';
import type { EntryPair } from './trees.ts';

interface Rename {
  readonly from: string;
  readonly to: string;
  readonly side: Side;
}

// 7 000: git's default (merge.renameLimit).
const renameLimit = 7000;

/**
 * Joins the stages of a file at its old and new path. With `directories`, new files follow renamed
 * directories. Returns paths whose place isn't clear: they are conflicts that no stage shows.
 */
export function followRenames(
  repository: Repository,
  input: MergeInput,
  markers: Markers,
  directories: DirectoryRenames,
): readonly string[] {
  const { trees, paths, differences } = input;
  const gone = new GoneDirectories(repository, trees, differences);
  const [ours, theirs] = [new DirectoryCounts(gone, 1), new DirectoryCounts(gone, 2)];
  const found = [
    ...listRenames(repository, paths, differences.ours, ours),
    ...listRenames(repository, paths, differences.theirs, theirs),
  ];
  const none: FollowedDirectories = { place: (_side, path) => path, unclear: [] };
  const renamed = { ours: ours.list(), theirs: theirs.list() };
  const followed =
    directories === 'false'
      ? none
      : followDirectories(repository, input, renamed, directories === 'conflict');
  const renames = found
    .map((rename) => ({ ...rename, to: followed.place(rename.side, rename.to) }))
    .sort((left, right) => compareNames(left.from, right.from) || left.side - right.side);
  for (let at = 0; at < renames.length; at += 1) {
    const [rename, next] = [renames[at], renames[at + 1]];
    if (!rename) break;
    if (next?.from !== rename.from) followOne(repository, paths, rename, markers);
    else {
      followBoth(repository, paths, rename, next, markers);
      at += 1;
    }
  }
  return followed.unclear;
}

/**
 * Security: content never moves between a path that the view's rules hide and one that they don't.
 */
function listRenames(
  repository: Repository,
  paths: MergePaths,
  pairs: readonly EntryPair[],
  directories: DirectoryCounts,
): Rename[] {
  const { side } = directories;
  const isForDirectory = (path: string) => {
    const stages = paths.get(path)?.stages;
    return stages !== undefined && isSame(stages[0], stages[otherSide(side)]);
  };
  // A file that the other side hasn't changed needs no rename: it is removed here and exists at its
  // new path. It still helps to find where its directory went.
  const isWanted = (path: string) => !isForDirectory(path) || directories.isInside(path);
  const shown = pairs.filter(({ path }) => mayShow(repository, path));
  if (!shown.some(({ path, before, after }) => before && !after && isWanted(path))) return [];
  const read = (_path: string, { oid }: GitTreeEntry) => repository.objects.readAs(oid, 'blob');
  const found = findRenames(shown, {
    readBefore: read,
    readAfter: read,
    leavesEmpty: true,
    limit: renameLimit,
    isWanted,
    directories,
    isForDirectory,
  });
  return found.flatMap(({ path, renamedFrom }) =>
    renamedFrom === undefined ? [] : [{ from: renamedFrom, to: path, side }],
  );
}

function otherSide(side: Side): Side {
  return side === 1 ? 2 : 1;
}

function followOne(
  repository: Repository,
  paths: MergePaths,
  { from, to, side }: Rename,
  markers: Markers,
): void {
  const [old, fresh] = [paths.get(from), paths.get(to)];
  if (!old || !fresh) return;
  const other = otherSide(side);
  const [base, changed, moved] = [old.stages[0], old.stages[other], fresh.stages[side]];
  if (!base || !moved) return;
  const isOtherType = changed !== null && isFile(changed) !== isFile(moved);
  // If the old path has a file of another type, that is a new file, and the other side moved the
  // old one as well.
  const isTaken = fresh.stages[other] !== null && !isOtherType;
  if (isTaken && changed) {
    // The other side has another file at the new path, which conflicts with the renamed one.
    const stages: Stages<GitTreeEntry> =
      side === 1 ? [base, moved, changed] : [base, changed, moved];
    const names: Stages<string> = side === 1 ? [from, to, from] : [from, from, to];
    fresh.stages[side] = mergeContent(repository, stages, names, markers, {
      path: from,
      isNested: true,
    }).entry;
  } else if (isTaken) fresh.isDisputed = true;
  else {
    fresh.stages[0] = base;
    fresh.names[0] = from;
    if (isOtherType) old.stages[0] = null;
    else if (changed) {
      fresh.stages[other] = changed;
      fresh.names[other] = from;
    } else fresh.isDisputed = true;
  }
  if (!isOtherType) old.isGone = true;
}

/** Handles a file that both sides have renamed. */
function followBoth(
  repository: Repository,
  paths: MergePaths,
  ours: Rename,
  theirs: Rename,
  markers: Markers,
): void {
  const old = paths.get(ours.from);
  const [our, their] = [paths.get(ours.to), paths.get(theirs.to)];
  const [base, ourEntry, theirEntry] = [old?.stages[0], our?.stages[1], their?.stages[2]];
  if (!old || !our || !their || !base || !ourEntry || !theirEntry) return;
  if (our === their) {
    our.stages[0] = base;
    old.isGone = true;
    return;
  }
  const names: Stages<string> = [ours.from, ours.to, theirs.to];
  const { entry, isClean } = mergeContent(
    repository,
    [base, ourEntry, theirEntry],
    names,
    markers,
    { path: ours.from, isNested: true },
  );
  our.stages[1] = entry;
  // Content that can't be merged by lines stays at each path as its side has it.
  const isOurs = !isClean && isSame(entry, ourEntry);
  their.stages[2] = isOurs ? theirEntry : entry;
  for (const path of [old, our, their]) path.isDisputed = true;
}
