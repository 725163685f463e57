// `git log`, `show` and `diff`.
import { SdkError } from '../../../core/errors.ts';
import {
  describeDiff,
  diffStagedWithFiles,
  diffTreeWithFiles,
  diffTreeWithStaged,
  mayShow,
  pathMatcher,
} from '../difference.ts';
import type {
  GitCommit,
  GitDiffOptions,
  GitFileDiff,
  GitLogOptions,
  GitShow,
  Oid,
} from '../git.ts';
import { Commits, walkCommits } from '../history.ts';
import { listRefs, peel, readHead, resolveCommit, resolveTree } from '../refs.ts';
import { toRepositoryPath, type Repository } from '../repository.ts';
import { readStaged } from '../staged.ts';
import { diffTreeOids, emptyTree, entryAt } from '../trees.ts';
import { headTree, toList } from './staging.ts';
import { listWorktrees } from './worktrees.ts';

/** `git log`. With paths, the history is simplified as git does by default. */
export function log(repository: Repository, options: GitLogOptions): GitCommit[] {
  const { ref, all = false, maxCount = Infinity } = options;
  const paths = toPaths(repository, options.paths);
  const commits = new Commits(repository);
  const found: GitCommit[] = [];
  if (maxCount <= 0) return found;
  // The parent in which all paths are the same as in the commit. Changes of other parents had no
  // effect.
  let source: Oid | undefined;
  const follow = ({ parents }: GitCommit) => (source === undefined ? parents : [source]);
  for (const commit of walkCommits(commits, startsOf(repository, ref, all), follow)) {
    if (paths) {
      const isSame = (tree: Oid) => hasSame(repository, tree, commit.tree, paths);
      source = commit.parents.find((oid) => isSame(commits.get(oid).tree));
      if (source !== undefined) continue;
      if (commit.parents.length === 0 && isSame(emptyTree)) continue;
    }
    found.push(commit);
    if (found.length >= maxCount) break;
  }
  return found;
}

function toPaths(
  repository: Repository,
  given: string | readonly string[] | undefined,
): readonly string[] | undefined {
  if (given === undefined) return undefined;
  return toList(given).map((path) => toRepositoryPath(repository, path));
}

function startsOf(repository: Repository, ref: string | undefined, all: boolean): Oid[] {
  if (!all) {
    if (ref === undefined && readHead(repository).oid === null) return [];
    return [resolveCommit(repository, ref ?? 'HEAD').oid];
  }
  // In git's order, which decides between commits of the same second. Includes the HEADs of all
  // work trees.
  const named = [...listRefs(repository, 'refs/').values()].map((oid) => peel(repository, oid));
  const heads = [readHead(repository).oid, ...listWorktrees(repository).map(({ head }) => head)];
  const isCommit = (oid: Oid) => repository.objects.read(oid).type === 'commit';
  return [...new Set([...named, ...heads.filter((oid) => oid !== null)])].filter(isCommit);
}

/** True if both trees are the same at all these paths. */
function hasSame(repository: Repository, left: Oid, right: Oid, paths: readonly string[]): boolean {
  return paths.every((path) => {
    const [one, other] = [entryAt(repository, left, path), entryAt(repository, right, path)];
    return one?.oid === other?.oid && one?.mode === other?.mode;
  });
}

function firstParentTree(commits: Commits, commit: GitCommit): Oid {
  const parent = commits.get(commit.oid).parents[0];
  return parent === undefined ? emptyTree : commits.get(parent).tree;
}

/** `git show` of a commit. */
export function show(repository: Repository, ref: string): GitShow {
  const commit = resolveCommit(repository, ref);
  const before = firstParentTree(new Commits(repository), commit);
  const pairs = diffTreeOids(repository, before, commit.tree);
  return { ...commit, files: describeDiff(repository, pairs) };
}

/** Returns a file's bytes in a commit, or in the index if `ref` is empty. */
export function readFileAt(repository: Repository, ref: string, path: string): Uint8Array {
  const own = toRepositoryPath(repository, path);
  const entry =
    ref === ''
      ? readStaged(repository).paths.get(own)
      : entryAt(repository, resolveTree(repository, ref), own);
  const object = entry && mayShow(repository, own) ? repository.objects.read(entry.oid) : undefined;
  if (object?.type === 'blob') return object.bytes.slice();
  throw new SdkError(
    object ? 'EISDIR' : 'ENOENT',
    object
      ? `${path} is a directory in ${ref}.`
      : `${ref === '' ? 'The index' : ref} has no file ${path}.`,
    { data: { ref, path } },
  );
}

/** `git diff`. */
export async function diff(
  repository: Repository,
  options: GitDiffOptions,
): Promise<GitFileDiff[]> {
  const { from, to, staged: isStaged = false } = options;
  const paths = toPaths(repository, options.paths);
  const matches = pathMatcher(paths);
  const staged = readStaged(repository);
  if (to !== undefined) {
    if (isStaged) {
      throw new SdkError(
        'bad-usage',
        'A diff of two commits has no index in it: leave out `staged`.',
      );
    }
    const before = from === undefined ? headTree(repository) : resolveTree(repository, from);
    const pairs = diffTreeOids(repository, before, resolveTree(repository, to));
    return describeDiff(repository, pairs, { matches });
  }
  const before = from === undefined ? headTree(repository) : resolveTree(repository, from);
  if (isStaged) {
    return describeDiff(repository, diffTreeWithStaged(repository, before, staged), { matches });
  }
  const pairs =
    from === undefined
      ? await diffStagedWithFiles(repository, staged, matches)
      : await diffTreeWithFiles(repository, before, staged, matches);
  return describeDiff(repository, pairs, { matches, afterIsFiles: true });
}
