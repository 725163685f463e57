// Differences between commits, the index and the files, with patches: for `git diff`, `show`, and
// the index part of `status`.
import { toFileChange } from '../../text/patch.ts';
import { compareNames } from '../tree/path-order.ts';
import type { GitFileDiff, GitTreeEntry, Oid } from './git.ts';
import { treeModes } from './object-codec.ts';
import { absolutePath, nodeIn, type Repository } from './repository.ts';
import { findRenames, type ReadSide, type RenamedPair } from './renames.ts';
import { modeOf, type Staged } from './staged.ts';
import { flattenTree, type EntryPair } from './trees.ts';
import { hashFiles, knownOid, scanWorkTree } from './work-tree.ts';

/** Compares a tree with the index. Paths in conflict have no entry on the index's side. */
export function diffTreeWithStaged(repository: Repository, tree: Oid, staged: Staged): EntryPair[] {
  if (repository.cache.treeOf(staged) === tree) return [];
  const pairs: EntryPair[] = [];
  let shared = 0;
  const old = repository.cache.flatTree(tree, () => flattenTree(repository, tree));
  for (const { path, mode, oid } of old.values()) {
    const own = staged.paths.get(path);
    if (own) shared += 1;
    if (own && own.oid === oid && own.mode === mode) continue;
    if (!own && staged.conflicts.has(path)) continue;
    const after = own ? { mode: own.mode, oid: own.oid } : null;
    pairs.push({ path, before: { mode, oid }, after });
  }
  if (shared < staged.paths.size) {
    for (const { path, mode, oid } of staged.paths.values()) {
      if (!old.has(path)) pairs.push({ path, before: null, after: { mode, oid } });
    }
  }
  if (pairs.length === 0 && staged.conflicts.size === 0) repository.cache.setTreeOf(staged, tree);
  return pairs.sort((left, right) => compareNames(left.path, right.path));
}

/** Compares the index with the files, without untracked ones. */
export async function diffStagedWithFiles(
  repository: Repository,
  staged: Staged,
  matches: (path: string) => boolean,
): Promise<EntryPair[]> {
  const { changed } = await scanWorkTree(repository, staged, { untracked: 'none', matches });
  const nodes = [...changed.keys()].map((path) =>
    nodeIn(repository, absolutePath(repository, path)),
  );
  await hashFiles(
    repository,
    nodes.filter((node) => node?.kind === 'file'),
  );
  return [...changed.keys()].map((path) => {
    const own = staged.paths.get(path);
    const before = own ? { mode: own.mode, oid: own.oid } : null;
    return { path, before, after: fileEntry(repository, path) };
  });
}

/** Compares a tree with the tracked files, as git diffs against a commit. */
export async function diffTreeWithFiles(
  repository: Repository,
  tree: Oid,
  staged: Staged,
  matches: (path: string) => boolean,
): Promise<EntryPair[]> {
  const pairs = new Map(
    diffTreeWithStaged(repository, tree, staged).map((pair) => [pair.path, pair]),
  );
  for (const { path, before, after } of await diffStagedWithFiles(repository, staged, matches)) {
    const old = pairs.get(path)?.before ?? (pairs.has(path) ? null : before);
    pairs.set(path, { path, before: old, after });
  }
  return [...pairs.values()]
    .filter(({ before, after }) => before?.oid !== after?.oid || before?.mode !== after?.mode)
    .sort((left, right) => compareNames(left.path, right.path));
}

/** Returns the entry of the work tree's file. Its content must have been hashed. */
export function fileEntry(repository: Repository, path: string): GitTreeEntry | null {
  const node = nodeIn(repository, absolutePath(repository, path));
  if (!node || node.kind === 'directory') return null;
  return { mode: modeOf(node), oid: knownOid(repository, node) ?? '' };
}

/**
 * Compares a tree with the index and detects renames. Paths hidden by the view's rules are left
 * out.
 */
export function diffTreeWithRenames(
  repository: Repository,
  tree: Oid,
  staged: Staged,
): RenamedPair[] {
  const read: ReadSide = (_path, entry) => bytesOf(repository, entry);
  const pairs = diffTreeWithStaged(repository, tree, staged);
  return findRenames(
    pairs.filter(({ path }) => mayShow(repository, path)),
    { readBefore: read, readAfter: read },
  );
}

/**
 * Returns the differences with patches and renames. Paths hidden by the view's rules are left out,
 * because their bytes are also in the object store.
 */
export function describeDiff(
  repository: Repository,
  pairs: readonly EntryPair[],
  options: { readonly matches?: (path: string) => boolean; readonly afterIsFiles?: boolean } = {},
): GitFileDiff[] {
  const { matches, afterIsFiles = false } = options;
  const readBefore: ReadSide = (_path, entry) => bytesOf(repository, entry);
  const readAfter: ReadSide = afterIsFiles ? (path) => fileBytes(repository, path) : readBefore;
  const shown = pairs.filter(
    ({ path }) => mayShow(repository, path) && (!matches || matches(path)),
  );
  return findRenames(shown, { readBefore, readAfter }).map(
    ({ path, before, after, renamedFrom }) => ({
      ...toFileChange(path, before && readBefore(path, before), after && readAfter(path, after)),
      before,
      after,
      ...(renamedFrom !== undefined && { renamedFrom }),
    }),
  );
}

/** True if the view may read the path in either state. */
export function mayShow(repository: Repository, path: string): boolean {
  return repository.gate.isUniform || repository.gate.mayRead(absolutePath(repository, path));
}

/** Returns the bytes of a file. For a submodule, returns the line that git shows. */
function bytesOf({ objects }: Repository, { mode, oid }: GitTreeEntry): Uint8Array {
  if (mode === treeModes.submodule) return encoder.encode(`Subproject commit ${oid}\n`);
  return objects.readAs(oid, 'blob');
}

const encoder = new TextEncoder();

function fileBytes(repository: Repository, path: string): Uint8Array {
  const absolute = absolutePath(repository, path);
  const node = nodeIn(repository, absolute);
  if (node?.kind === 'symlink') return encoder.encode(node.target);
  return repository.files.sync.viewFileSync(absolute);
}

/**
 * Creates a test for paths that equal one of these or are below one. Left out: every path matches.
 * An empty path is the root.
 */
export function pathMatcher(paths: readonly string[] | undefined): (path: string) => boolean {
  if (!paths || paths.includes('')) return () => true;
  const wanted = new Set(paths);
  return (path) => {
    if (wanted.has(path)) return true;
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      if (wanted.has(path.slice(0, at))) return true;
    }
    return false;
  };
}
