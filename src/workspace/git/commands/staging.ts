// `init`, `status`, `add`, `restore` and `reset`, which compare files, index and last commit.
import { SdkError } from '../../../core/errors.ts';
import { compareNames } from '../../tree/path-order.ts';
import { checkWord } from '../check-word.ts';
import { checkout } from '../checkout.ts';
import {
  diffTreeWithRenames,
  diffTreeWithStaged,
  fileEntry,
  mayShow,
  pathMatcher,
} from '../difference.ts';
import type {
  GitAddOptions,
  GitFileStatus,
  GitOperation,
  GitResetOptions,
  GitRestoreOptions,
  GitStatus,
  GitStatusCode,
  GitTreeEntry,
  Oid,
} from '../git.ts';
import { refuseFiltered } from '../filters.ts';
import type { IndexEntry } from '../index-file.ts';
import { signMove } from '../people.ts';
import { checkRefName } from '../ref-names.ts';
import {
  branchName,
  readCommit,
  readHead,
  resolveCommit,
  resolveTree,
  writeHead,
  writeRef,
} from '../refs.ts';
import {
  absolutePath,
  nodeIn,
  openRepository,
  readContents,
  toRepositoryPath,
  withObjects,
  type GitRun,
  type Repository,
} from '../repository.ts';
import { plainEntry, readStaged, toStagedEntry, writeStaged, Staged } from '../staged.ts';
import { emptyTree, flattenTree, type EntryPair } from '../trees.ts';
import { knownOid, scanWorkTree } from '../work-tree.ts';

/** `git init`. An existing repository isn't changed. */
export async function init(run: GitRun, branch: string): Promise<{ gitDirectory: string }> {
  checkRefName(branch, 'branch');
  const { sync } = run.files;
  const root = run.directory;
  sync.mkdirSync(root, { recursive: true });
  if (sync.existsSync(`${root === '/' ? '' : root}/.git`)) {
    return { gitDirectory: openRepository(run, root).gitDirectory };
  }
  const gitDirectory = `${root === '/' ? '' : sync.realpathSync(root)}/.git`;
  for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info']) {
    sync.mkdirSync(`${gitDirectory}/${name}`, { recursive: true });
  }
  sync.writeFileSync(
    `${gitDirectory}/config`,
    '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n',
  );
  const places = { root: sync.realpathSync(root), gitDirectory, commonDirectory: gitDirectory };
  writeHead(withObjects({ ...run, ...places }), { ref: `refs/heads/${branch}` });
  return { gitDirectory };
}

/** Returns HEAD's commit, or null before the first one. */
function headCommit(repository: Repository): Oid | null {
  return readHead(repository).oid;
}

/** Returns HEAD's tree, or the empty tree before the first commit. */
export function headTree(repository: Repository): Oid {
  const oid = headCommit(repository);
  return oid === null ? emptyTree : readCommit(repository, oid).tree;
}

/** Where git keeps the state of a rebase. */
export function rebaseDirectory({ gitDirectory }: Pick<Repository, 'gitDirectory'>): string {
  return `${gitDirectory}/rebase-merge`;
}

/** Returns the operation that waits for conflicts to be resolved. */
export function operationOf({ files, gitDirectory }: Repository): GitOperation | null {
  const has = (name: string) => files.sync.existsSync(`${gitDirectory}/${name}`);
  if (files.sync.existsSync(rebaseDirectory({ gitDirectory }))) return 'rebase';
  if (has('MERGE_HEAD')) return 'merge';
  if (has('CHERRY_PICK_HEAD')) return 'cherry-pick';
  return has('REVERT_HEAD') ? 'revert' : null;
}

/** The error of a command that can't run during the operation. */
export function unfinished(operation: GitOperation): SdkError {
  const end = operation === 'rebase' ? 'git.continue()' : 'git.commit(…)';
  return new SdkError('bad-usage', `A ${operation} isn't finished: ${end} or git.abort() first.`, {
    data: { operation },
  });
}

/** `git status`. */
export async function status(repository: Repository, ignored: boolean): Promise<GitStatus> {
  const staged = readStaged(repository);
  const head = readHead(repository);
  const scan = await scanWorkTree(repository, staged, { untracked: 'directories', ignored });
  const files = new Map<string, GitFileStatus>();
  const pairs = diffTreeWithRenames(repository, headTree(repository), staged);
  for (const { path, before, after, renamedFrom } of pairs) {
    const index = renamedFrom === undefined ? changeCode(before, after) : 'R';
    const moved = renamedFrom === undefined ? {} : { renamedFrom };
    files.set(path, { path, index, worktree: ' ', ...moved });
  }
  for (const [path, worktree] of scan.changed) {
    files.set(path, { path, index: ' ', ...files.get(path), worktree });
  }
  for (const [path, stages] of staged.conflicts) {
    if (mayShow(repository, path)) files.set(path, { path, ...conflictCodes(stages) });
  }
  const listed = [...files.values()].sort((left, right) => compareNames(left.path, right.path));
  for (const path of scan.untracked) {
    // A file that was removed from the index may still exist. Git reports both.
    listed.push({ path, index: '?', worktree: '?' });
  }
  for (const path of scan.ignored) listed.push({ path, index: '!', worktree: '!' });
  return {
    branch: branchName(head.ref),
    head: head.oid,
    operation: operationOf(repository),
    files: listed,
  };
}

function changeCode(before: GitTreeEntry | null, after: GitTreeEntry | null): GitStatusCode {
  if (!before) return 'A';
  if (!after) return 'D';
  return before.mode >> 12 === after.mode >> 12 ? 'M' : 'T';
}

/**
 * Derives the codes from the stages that exist: base, ours, theirs. Same as git's `wt-status.c`.
 */
function conflictCodes(stages: readonly IndexEntry[]) {
  const has = (stage: number) => stages.some((entry) => entry.stage === stage);
  const table: Readonly<Record<string, readonly [GitStatusCode, GitStatusCode]>> = {
    '100': ['D', 'D'],
    '010': ['A', 'U'],
    '110': ['U', 'D'],
    '001': ['U', 'A'],
    '101': ['D', 'U'],
    '011': ['A', 'A'],
    '111': ['U', 'U'],
  };
  const key = [1, 2, 3].map((stage) => (has(stage) ? '1' : '0')).join('');
  const [index, worktree] = table[key] ?? ['U', 'U'];
  return { index, worktree };
}

/** `git add`. */
export async function add(
  repository: Repository,
  paths: string | readonly string[],
  { force = false, update = false }: GitAddOptions,
): Promise<void> {
  const wanted = toList(paths).map((path) => toRepositoryPath(repository, path));
  const staged = await stageFiles(repository, readStaged(repository), wanted, { force, update });
  await writeStaged(repository, staged);
}

interface StageOptions {
  readonly force: boolean;
  readonly update: boolean;
}

/** Returns the index with the current files below these paths. */
export async function stageFiles(
  repository: Repository,
  staged: Staged,
  wanted: readonly string[],
  { force, update }: StageOptions,
): Promise<Staged> {
  const matches = pathMatcher(wanted);
  const scan = await scanWorkTree(repository, staged, {
    untracked: update ? 'none' : 'files',
    ignored: force || !update,
    matches,
  });
  const forced = force ? listIgnored(repository, scan.ignored, matches) : [];
  if (!force) refuseIgnored(wanted, scan.ignored);
  const conflicts = [...staged.conflicts.keys()].filter(matches);
  const found = [
    ...[...scan.changed.keys()],
    ...scan.untracked.filter((path) => !path.endsWith('/')),
    ...forced,
    ...conflicts.filter((path) => mayShow(repository, path)),
  ];
  refuseMissing(repository, staged, wanted, [...found, ...scan.untracked]);
  for (const path of scan.untracked) {
    if (path.endsWith('/') && wanted.includes(path.slice(0, -1))) throw nestedRepository(path);
  }
  return stageAsWritten(repository, staged, found);
}

/**
 * Returns the index with the current files at these paths. A path without a file is removed. Ignore
 * rules don't apply.
 */
export async function stageAsWritten(
  repository: Repository,
  staged: Staged,
  paths: readonly string[],
): Promise<Staged> {
  await refuseFiltered(repository, paths);
  return staged.with(await writeBlobs(repository, paths));
}

/** Writes the files' bytes as blobs and returns their entries. A path without a file has none. */
async function writeBlobs(
  repository: Repository,
  paths: readonly string[],
): Promise<Map<string, readonly IndexEntry[]>> {
  const entries = new Map<string, readonly IndexEntry[]>();
  let done = 0;
  for (const path of paths) {
    const node = nodeIn(repository, absolutePath(repository, path));
    if (!node || node.kind === 'directory') entries.set(path, []);
    else {
      const [bytes = new Uint8Array()] =
        node.kind === 'symlink'
          ? [new TextEncoder().encode(node.target)]
          : await readContents(repository, [node.content]);
      const known = knownOid(repository, node);
      const oid =
        known !== undefined && repository.objects.has(known)
          ? known
          : repository.objects.write('blob', bytes);
      if (node.kind === 'file') repository.cache.setOid(node.content, oid);
      entries.set(path, [toStagedEntry(path, oid, node)]);
    }
    done += 1;
    if (done % 500 !== 0) continue;
    repository.checkAborted();
    repository.progress({ phase: 'adding files', done, total: paths.length });
  }
  return entries;
}

function listIgnored(
  repository: Repository,
  ignored: readonly string[],
  matches: (path: string) => boolean,
): string[] {
  return ignored.flatMap((path) => {
    if (!path.endsWith('/')) return [path];
    const directory = absolutePath(repository, path.slice(0, -1));
    const names = repository.files.sync.readdirSync(directory, {
      recursive: true,
      withFileTypes: true,
    });
    const prefix = absolutePath(repository, '').length;
    return names
      .filter((entry) => !entry.isDirectory())
      .map((entry) => `${entry.parentPath}/${entry.name}`.slice(prefix))
      .filter((own) => !own.split('/').includes('.git') && matches(own));
  });
}

function refuseIgnored(wanted: readonly string[], ignored: readonly string[]): void {
  const refused = wanted.filter(
    (path) =>
      path !== '' &&
      ignored.some((own) => own === path || own === `${path}/` || `${path}/`.startsWith(own)),
  );
  if (refused.length === 0) return;
  throw new SdkError(
    'bad-usage',
    `An ignore rule leaves out ${refused.join(', ')}. Give \`force: true\` to add it all the same.`,
    { data: { paths: refused } },
  );
}

function refuseMissing(
  repository: Repository,
  staged: Staged,
  wanted: readonly string[],
  found: readonly string[],
): void {
  const missing = wanted.filter(
    (path) =>
      path !== '' &&
      !staged.has(path) &&
      !found.some((own) => own === path || own.startsWith(`${path}/`)) &&
      nodeIn(repository, absolutePath(repository, path)) === undefined,
  );
  if (missing.length === 0) return;
  throw new SdkError('ENOENT', `There is no file ${missing.join(', ')}, and git tracks none.`, {
    data: { paths: missing },
  });
}

function nestedRepository(path: string): SdkError {
  return new SdkError(
    'unsupported-environment',
    `${path} is a repository of its own, and submodules aren't made here. Leave it out by a line in .gitignore.`,
    { data: { path } },
  );
}

export function toList(paths: string | readonly string[]): readonly string[] {
  return typeof paths === 'string' ? [paths] : paths;
}

/** `git restore`. */
export async function restore(
  repository: Repository,
  paths: string | readonly string[],
  { source, staged: isStaged = false, worktree = !isStaged }: GitRestoreOptions,
): Promise<void> {
  const wanted = toList(paths).map((path) => toRepositoryPath(repository, path));
  const matches = pathMatcher(wanted);
  const staged = readStaged(repository);
  const tree = source === undefined ? undefined : resolveTree(repository, source);
  let restored = staged;
  if (isStaged) {
    restored = unstage(repository, staged, tree ?? headTree(repository), matches);
  }
  refuseUnknown(repository, staged, restored, tree, wanted);
  if (worktree) {
    if (tree === undefined) refuseUnmerged(repository, restored, matches);
    const changes = await changesToFiles(repository, restored, tree, matches);
    const written = await checkout(repository, restored, changes, {
      overwrites: true,
      command: 'restore',
    });
    // Restores from a commit into the files only, so the index doesn't change.
    if (isStaged || tree === undefined) restored = written;
  }
  await writeStaged(repository, restored);
}

function refuseUnknown(
  repository: Repository,
  staged: Staged,
  restored: Staged,
  tree: Oid | undefined,
  wanted: readonly string[],
): void {
  const inTree = tree === undefined ? [] : flattenTree(repository, tree).map(({ path }) => path);
  const unknown = wanted.filter(
    (path) =>
      path !== '' &&
      !staged.has(path) &&
      !restored.has(path) &&
      !inTree.some((own) => own === path || own.startsWith(`${path}/`)),
  );
  if (unknown.length === 0) return;
  throw new SdkError('ENOENT', `Git tracks no file ${unknown.join(', ')}.`, {
    data: { paths: unknown },
  });
}

/** A path in conflict has no single version in the index. */
function refuseUnmerged(
  repository: Repository,
  staged: Staged,
  matches: (path: string) => boolean,
): void {
  const paths = [...staged.conflicts.keys()].filter(
    (path) => matches(path) && mayShow(repository, path),
  );
  if (paths.length === 0) return;
  throw new SdkError(
    'bad-usage',
    `${paths.slice(0, 5).join(', ')} ${paths.length === 1 ? 'is' : 'are'} in conflict, so there is no staged version to restore. Give \`staged: true, worktree: true\` to take HEAD's.`,
    { data: { paths } },
  );
}

/** Returns the index with the tree's entries for the matching paths. */
function unstage(
  repository: Repository,
  staged: Staged,
  tree: Oid,
  matches: (path: string) => boolean,
): Staged {
  const entries = new Map<string, readonly IndexEntry[]>();
  for (const path of staged.conflicts.keys()) if (matches(path)) entries.set(path, []);
  const old = repository.cache.flatTree(tree, () => flattenTree(repository, tree));
  for (const { path, before } of diffTreeWithStaged(repository, tree, staged)) {
    if (matches(path)) entries.set(path, before ? [plainEntry({ path, ...before })] : []);
  }
  for (const path of entries.keys()) {
    const entry = old.get(path);
    if (entry) entries.set(path, [plainEntry(entry)]);
  }
  return staged.with(entries);
}

/** Returns the changes that bring the matching files to the state of a tree or of the index. */
async function changesToFiles(
  repository: Repository,
  staged: Staged,
  tree: Oid | undefined,
  matches: (path: string) => boolean,
): Promise<EntryPair[]> {
  if (tree === undefined) {
    const { changed } = await scanWorkTree(repository, staged, { untracked: 'none', matches });
    return [...changed.keys()].map((path) => {
      const own = staged.paths.get(path);
      return { path, before: null, after: own ? { mode: own.mode, oid: own.oid } : null };
    });
  }
  const wanted = repository.cache.flatTree(tree, () => flattenTree(repository, tree));
  const changes: EntryPair[] = [];
  for (const { path, mode, oid } of wanted.values()) {
    if (!matches(path)) continue;
    changes.push({ path, before: fileEntry(repository, path), after: { mode, oid } });
  }
  for (const path of staged.paths.keys()) {
    if (!matches(path) || wanted.has(path)) continue;
    changes.push({ path, before: fileEntry(repository, path), after: null });
  }
  return changes.sort((left, right) => compareNames(left.path, right.path));
}

/** `git reset`. */
export async function reset(
  repository: Repository,
  { to = 'HEAD', mode = 'mixed' }: GitResetOptions,
): Promise<void> {
  checkWord('mode of git.reset', mode, ['soft', 'mixed', 'hard']);
  const head = readHead(repository);
  if (head.oid === null && to === 'HEAD') {
    if (mode !== 'soft') await writeStaged(repository, new Staged([]));
    return;
  }
  const commit = resolveCommit(repository, to);
  const staged = readStaged(repository);
  if (mode === 'soft' && operationOf(repository) !== null) {
    throw new SdkError(
      'bad-usage',
      "A merge waits for its conflicts. git.abort() goes back to before it; a soft reset can't.",
    );
  }
  if (mode === 'mixed') {
    await writeStaged(
      repository,
      unstage(repository, staged, commit.tree, () => true),
    );
  }
  if (mode === 'hard') await resetFiles(repository, staged, commit.tree);
  if (mode !== 'soft') forgetOperation(repository);
  rememberOrigin(repository);
  moveHead(repository, commit.oid, `reset: moving to ${to}`);
}

/** Changes the index and all tracked files to a tree, whatever their state is. */
export async function resetFiles(repository: Repository, staged: Staged, tree: Oid): Promise<void> {
  const clean = unstage(repository, staged, tree, () => true);
  const removed = [...new Set([...staged.paths.keys(), ...staged.conflicts.keys()])]
    .filter((path) => !clean.paths.has(path))
    .map((path) => ({ path, before: fileEntry(repository, path), after: null }));
  const { changed } = await scanWorkTree(repository, clean, { untracked: 'none' });
  const changes: EntryPair[] = [...changed.keys()].map((path) => {
    const own = clean.paths.get(path);
    return { path, before: null, after: own ? { mode: own.mode, oid: own.oid } : null };
  });
  const all = [...removed, ...changes].sort((left, right) => compareNames(left.path, right.path));
  await writeStaged(
    repository,
    await checkout(repository, clean, all, { overwrites: true, command: 'reset' }),
  );
}

/** Moves HEAD's branch, or HEAD itself if it is detached. */
export function moveHead(repository: Repository, oid: Oid, why: string): void {
  const { ref } = readHead(repository);
  const move = { who: signMove(repository), why };
  if (ref === null) writeHead(repository, { oid }, move);
  else writeRef(repository, ref, oid, move);
}

/** Writes `ORIG_HEAD`: HEAD's commit before an operation that moves it far. */
export function rememberOrigin(repository: Repository): void {
  const oid = headCommit(repository);
  if (oid === null) return;
  repository.files.sync.writeFileSync(`${repository.gitDirectory}/ORIG_HEAD`, `${oid}\n`);
}

/** Removes the state of a merge, pick or revert. */
export function forgetOperation({ files, gitDirectory }: Repository): void {
  for (const name of [
    'MERGE_HEAD',
    'MERGE_MODE',
    'MERGE_MSG',
    'CHERRY_PICK_HEAD',
    'REVERT_HEAD',
    'AUTO_MERGE',
  ]) {
    if (files.sync.existsSync(`${gitDirectory}/${name}`)) {
      files.sync.rmSync(`${gitDirectory}/${name}`);
    }
  }
}
