// The git steps of EnterWorktree and ExitWorktree: creating and removing an agent's work tree. Code
// of cells can't call them. git-runner.ts runs them.
import { worktreesFolder } from '../../../core/access/rule-place.ts';
import { SdkError } from '../../../core/errors.ts';
import type {
  DoomedWorktree,
  RemovedWorktree,
  StepWorktree,
  WantedWorktree,
} from '../../../core/git/git-steps.ts';
import { dirname, joinPath, resolvePath } from '../../../core/path.ts';
import { diffTreeWithStaged } from '../difference.ts';
import type { Oid } from '../git.ts';
import { Commits, walkCommits } from '../history.ts';
import { listRefs, peel, readHead, readRef } from '../refs.ts';
import { openRepository, type Repository } from '../repository.ts';
import { readStaged } from '../staged.ts';
import { scanWorkTree } from '../work-tree.ts';
import { deleteBranch } from './branches.ts';
import { headTree } from './staging.ts';
import { addWorktree, listWorktrees, removeWorktree } from './worktrees.ts';

/**
 * Git and searches ignore everything in this folder, because it doesn't belong to the surrounding
 * work tree.
 */
const ignoresAll = '*\n';

/** Creates a work tree of that name on a new branch, or finds the one at the path. */
export async function enterWorktree(
  repository: Repository,
  wanted: WantedWorktree,
): Promise<StepWorktree> {
  const first = dirname(repository.commonDirectory);
  if (repository.commonDirectory !== joinPath(first, '.git')) {
    throw new SdkError(
      'bad-usage',
      `${repository.root} is a submodule, or a repository whose directory stands elsewhere. Make a work tree of the repository around it.`,
    );
  }
  if ('path' in wanted) return findWorktree(repository, first, wanted.path);
  const { name, branch } = wanted;
  const { sync } = repository.files;
  const folder = joinPath(first, worktreesFolder);
  const path = joinPath(folder, name);
  if (readHead(repository).oid === null) {
    throw new SdkError(
      'bad-usage',
      `The repository ${first} has no commit yet, so there is nothing to make a work tree of. Commit something first.`,
    );
  }
  if (sync.existsSync(path)) {
    throw new SdkError(
      'EEXIST',
      `${path} is there already. Give \`path\` to work in it, or take another name.`,
      { data: { path } },
    );
  }
  if (readRef(repository, `refs/heads/${branch}`) !== undefined) {
    throw new SdkError(
      'EEXIST',
      `There is a branch ${branch} already. Take another name, or delete the branch first.`,
      { data: { branch } },
    );
  }
  sync.mkdirSync(folder, { recursive: true });
  const ignoreFile = joinPath(folder, '.gitignore');
  if (!sync.existsSync(ignoreFile)) sync.writeFileSync(ignoreFile, ignoresAll);
  const made = await addWorktree(repository, path, { branch });
  // Security: through a link the work tree would be at a path where rules don't expect one.
  if (made.path !== path) {
    throw new SdkError(
      'permission-denied',
      `${folder} is a link, or behind one. Make it a directory of its own.`,
      { data: { path: folder } },
    );
  }
  return { path, branch, of: first };
}

function findWorktree(repository: Repository, first: string, given: string): StepWorktree {
  const path = resolvePath(repository.directory, given);
  const known = listWorktrees(repository).filter((one) => one.path !== first);
  const found = known.find((one) => one.path === path);
  if (found && repository.files.sync.existsSync(joinPath(path, '.git'))) {
    return { path, ...(found.branch !== null && { branch: found.branch }), of: first };
  }
  const names = known.map((one) => one.path).join(', ');
  const others =
    names === '' ? 'There is none yet: give `name` to make one.' : `There is ${names}.`;
  throw new SdkError('invalid-input', `${path} is no further work tree of ${first}. ${others}`, {
    data: { path },
  });
}

/**
 * Removes the work tree and the branch that was created for it. Uncommitted files, and commits that
 * are on no other branch, are only dropped with `discard`.
 *
 * @throws SdkError `bad-usage` with the counts.
 */
export async function leaveWorktree(
  repository: Repository,
  { path, branch, discard }: DoomedWorktree,
): Promise<RemovedWorktree> {
  const { sync } = repository.files;
  const isListed = listWorktrees(repository).some((one) => one.path === path);
  const counts = sync.existsSync(joinPath(path, '.git'))
    ? await countWork(openRepository(repository, path), branch)
    : { files: 0, commits: countLost(repository, path, null, branch) };
  const { files, commits } = counts;
  if (files + commits > 0 && !discard) {
    throw new SdkError(
      'bad-usage',
      `The work tree ${path} holds ${describeWork(counts)}. Commit and merge what is to stay, leave with action "keep", or ask the user and then give discard_changes: true to lose it.`,
      { data: { path, files, commits } },
    );
  }
  if (isListed) await removeWorktree(repository, path, true);
  const isTaken = listWorktrees(repository).some((one) => one.branch === branch);
  if (branch !== undefined && !isTaken && readRef(repository, `refs/heads/${branch}`)) {
    deleteBranch(repository, branch, true);
  }
  removeEmptyFolder(repository, dirname(path));
  return counts;
}

/** Returns for example "2 files that aren't committed and 1 commit that is on no other branch". */
function describeWork({ files, commits }: RemovedWorktree): string {
  const ofFiles = `${files} ${files === 1 ? "file that isn't committed" : "files that aren't committed"}`;
  const ofCommits = `${commits} ${commits === 1 ? 'commit that is' : 'commits that are'} on no other branch`;
  if (files === 0) return ofCommits;
  return commits === 0 ? ofFiles : `${ofFiles} and ${ofCommits}`;
}

async function countWork(tree: Repository, branch: string | undefined): Promise<RemovedWorktree> {
  const staged = readStaged(tree);
  const scan = await scanWorkTree(tree, staged, { untracked: 'files' });
  const files = new Set([
    ...scan.changed.keys(),
    ...scan.untracked,
    ...staged.conflicts.keys(),
    ...diffTreeWithStaged(tree, headTree(tree), staged).map((pair) => pair.path),
  ]);
  const head = readHead(tree);
  const detached = head.ref === null ? head.oid : null;
  return { files: files.size, commits: countLost(tree, tree.root, detached, branch) };
}

/**
 * Counts commits that become unreachable when the branch is removed, also those of a detached HEAD.
 */
function countLost(
  repository: Repository,
  path: string,
  detached: Oid | null,
  branch: string | undefined,
): number {
  const own = `refs/heads/${branch ?? ''}`;
  const tip = branch === undefined ? undefined : readRef(repository, own);
  const doomed = [detached, tip].filter((oid) => oid !== undefined && oid !== null);
  if (doomed.length === 0) return 0;
  const others = [...listRefs(repository, 'refs/')]
    .filter(([ref]) => ref !== own)
    .map(([, oid]) => peel(repository, oid))
    .filter((oid) => repository.objects.read(oid).type === 'commit');
  const heads = listWorktrees(repository).flatMap((one) =>
    one.head === null || one.branch === branch || one.path === path ? [] : [one.head],
  );
  const commits = new Commits(repository);
  const kept = new Set<Oid>();
  for (const { oid } of walkCommits(commits, [...others, ...heads])) kept.add(oid);
  let lost = 0;
  for (const { oid } of walkCommits(commits, doomed)) if (!kept.has(oid)) lost += 1;
  return lost;
}

/** Removes the folder of work trees after the last one was removed. */
function removeEmptyFolder({ files: { sync } }: Repository, folder: string): void {
  const ignoreFile = joinPath(folder, '.gitignore');
  const isOurs =
    folder.endsWith(`/${worktreesFolder}`) &&
    sync.existsSync(ignoreFile) &&
    sync.readdirSync(folder).length === 1 &&
    sync.readFileSync(ignoreFile, 'utf8') === ignoresAll;
  if (isOurs) sync.rmSync(folder, { recursive: true });
}
