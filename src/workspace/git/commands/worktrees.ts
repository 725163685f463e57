// `git worktree`: additional work trees of a repository, in git's layout.
import { SdkError } from '../../../core/errors.ts';
import {
  basename,
  dirname,
  isInside,
  joinPath,
  relativePath,
  resolvePath,
} from '../../../core/path.ts';
import { checkout } from '../checkout.ts';
import { diffTreeWithStaged } from '../difference.ts';
import type { GitWorktree, Oid } from '../git.ts';
import { signMove } from '../people.ts';
import { checkRefName } from '../ref-names.ts';
import {
  branchName,
  readCommit,
  readHead,
  readRef,
  resolveCommit,
  writeHead,
  writeRef,
} from '../refs.ts';
import { readGitFile, withObjects, type Repository } from '../repository.ts';
import { readStaged, Staged, writeStaged } from '../staged.ts';
import { diffTreeOids, emptyTree } from '../trees.ts';
import { scanWorkTree } from '../work-tree.ts';
import { rebaseDirectory } from './staging.ts';

export interface AddWorktreeOptions {
  readonly branch?: string;
  readonly from?: string;
  readonly detach?: boolean;
}

/** `git worktree add`. */
export async function addWorktree(
  repository: Repository,
  path: string,
  options: AddWorktreeOptions,
): Promise<GitWorktree> {
  const { sync } = repository.files;
  const root = resolvePath(repository.root, path);
  if (sync.existsSync(root) && sync.readdirSync(root).length > 0) {
    throw new SdkError(
      'EEXIST',
      `${root} is there already and isn't empty. Take another directory.`,
      {
        data: { path: root },
      },
    );
  }
  const head = headOf(repository, basename(root), options);
  sync.mkdirSync(root, { recursive: true });
  const real = sync.realpathSync(root);
  const gitDirectory = freeDirectory(repository, basename(real));
  sync.mkdirSync(gitDirectory, { recursive: true });
  sync.writeFileSync(`${gitDirectory}/commondir`, '../..\n');
  sync.writeFileSync(`${gitDirectory}/gitdir`, `${real}/.git\n`);
  // A relative path stays valid if both directories are exported together.
  sync.writeFileSync(`${real}/.git`, `gitdir: ${relativePath(real, gitDirectory)}\n`);
  const places = { root: real, gitDirectory, commonDirectory: repository.commonDirectory };
  const tree = withObjects({ ...repository, ...places });
  const move = { who: signMove(repository), why: '' };
  if (head.ref === null) writeHead(tree, { oid: head.oid }, move);
  else {
    if (readRef(repository, head.ref) === undefined) {
      writeRef(tree, head.ref, head.oid, {
        ...move,
        why: `branch: Created from ${options.from ?? 'HEAD'}`,
      });
    }
    writeHead(tree, { ref: head.ref }, move);
  }
  const changes = diffTreeOids(tree, emptyTree, readCommit(tree, head.oid).tree);
  await writeStaged(
    tree,
    await checkout(tree, new Staged([]), changes, { command: 'worktree add' }),
  );
  return { path: real, head: head.oid, branch: branchName(head.ref) };
}

function headOf(
  repository: Repository,
  name: string,
  { branch = name, from, detach = false }: AddWorktreeOptions,
): { readonly ref: string | null; readonly oid: Oid } {
  if (detach) return { ref: null, oid: resolveCommit(repository, from ?? 'HEAD').oid };
  checkRefName(branch, 'branch');
  const ref = `refs/heads/${branch}`;
  const oid = readRef(repository, ref);
  if (oid === undefined) return { ref, oid: resolveCommit(repository, from ?? 'HEAD').oid };
  const other = worktreeOn(repository, ref);
  if (other !== undefined || from !== undefined) {
    throw new SdkError(
      'bad-usage',
      other === undefined
        ? `There is a branch ${branch} already: leave out \`from\`, or take another name.`
        : `Branch ${branch} is checked out in ${other}. Take another one.`,
      { data: { branch } },
    );
  }
  return { ref, oid };
}

function freeDirectory({ files, commonDirectory }: Repository, name: string): string {
  // As git does, a number is appended to a name that is taken.
  const plain = name.replaceAll(/[^\w.-]/gu, '-').replace(/^\.+/u, '') || 'worktree';
  for (let count = 0; ; count += 1) {
    const path = `${commonDirectory}/worktrees/${plain}${count === 0 ? '' : count}`;
    if (!files.sync.existsSync(path)) return path;
  }
}

/** `git worktree list`: the main one first. */
export function listWorktrees(repository: Repository): GitWorktree[] {
  return worktreesOf(repository).map(({ tree }) => {
    const head = readHead(tree);
    return { path: tree.root, head: head.oid, branch: branchName(head.ref) };
  });
}

/** Returns the work tree in which the branch is checked out or rebased. */
export function worktreeOn(repository: Repository, ref: string): string | undefined {
  const isOn = (tree: Repository) => readHead(tree).ref === ref || rebasedRef(tree) === ref;
  return worktreesOf(repository).find(({ tree }) => isOn(tree))?.tree.root;
}

function rebasedRef(tree: Repository): string | undefined {
  const path = `${rebaseDirectory(tree)}/head-name`;
  const { sync } = tree.files;
  return sync.existsSync(path) ? sync.readFileSync(path, 'utf8').trim() : undefined;
}

interface Linked {
  readonly tree: Repository;
  readonly isMain: boolean;
}

function worktreesOf(repository: Repository): Linked[] {
  const { commonDirectory, files } = repository;
  const main = { ...repository, root: dirname(commonDirectory), gitDirectory: commonDirectory };
  const directory = `${commonDirectory}/worktrees`;
  const names = files.sync.existsSync(directory) ? files.sync.readdirSync(directory) : [];
  const linked = names.flatMap((name) => {
    const gitDirectory = `${directory}/${name}`;
    const file = `${gitDirectory}/gitdir`;
    if (!files.sync.existsSync(file) || !files.sync.existsSync(`${gitDirectory}/HEAD`)) return [];
    const place = resolvePath(gitDirectory, files.sync.readFileSync(file, 'utf8').trim());
    return [{ tree: { ...repository, root: dirname(place), gitDirectory }, isMain: false }];
  });
  return [{ tree: main, isMain: true }, ...linked];
}

/** `git worktree remove`. */
export async function removeWorktree(
  repository: Repository,
  path: string,
  force: boolean,
): Promise<void> {
  const root = resolvePath(repository.root, path);
  const found = worktreesOf(repository).find(({ tree }) => tree.root === root);
  if (!found || found.isMain) {
    throw new SdkError(
      'invalid-input',
      found
        ? `${root} is the main work tree: it can't be removed.`
        : `${root} is no work tree of this repository.`,
      { data: { path: root } },
    );
  }
  const { tree } = found;
  const { sync } = repository.files;
  if (sync.existsSync(root)) {
    // Security: this file may name any path. A directory is only a work tree if it refers back.
    const gitFile = joinPath(root, '.git');
    const leadsBack =
      sync.existsSync(gitFile) && readGitFile(repository, gitFile) === tree.gitDirectory;
    if (!leadsBack || isInside(root, repository.commonDirectory)) {
      throw new SdkError(
        'permission-denied',
        `${root} doesn't lead back to this repository. It isn't removed.`,
        {
          data: { path: root },
        },
      );
    }
    if (!force) await refuseChanges(tree);
    sync.rmSync(root, { recursive: true });
  }
  sync.rmSync(tree.gitDirectory, { recursive: true });
  const directory = dirname(tree.gitDirectory);
  if (sync.readdirSync(directory).length === 0) sync.rmdirSync(directory);
}

async function refuseChanges(tree: Repository): Promise<void> {
  const staged = readStaged(tree);
  const scan = await scanWorkTree(tree, staged, { untracked: 'directories' });
  const oid = readHead(tree).oid;
  const before = oid === null ? emptyTree : readCommit(tree, oid).tree;
  const changes = [
    ...scan.changed.keys(),
    ...scan.untracked,
    ...staged.conflicts.keys(),
    ...diffTreeWithStaged(tree, before, staged).map((pair) => pair.path),
  ];
  if (changes.length === 0) return;
  throw new SdkError(
    'bad-usage',
    `${tree.root} holds changes that aren't committed: ${changes.slice(0, 5).join(', ')}. Commit them there, or give \`force: true\` to lose them.`,
    { data: { paths: changes } },
  );
}
