// Finds the repository of a command, and gives the command a draft of its own, so that it takes
// effect as a whole or not at all. Follows `.git` files and `commondir`, which isomorphic-git
// doesn't.
import { SdkError, hasCode } from '../../core/errors.ts';
import { basename, dirname, isInside, joinPath, resolvePath } from '../../core/path.ts';
import { Draft } from '../draft/draft.ts';
import { FetchedContents } from '../draft/fetched-contents.ts';
import type { ViewFiles, WorkspaceView } from '../draft/view.ts';
import type { AccessGate } from '../files/access.ts';
import type { LocalFileSystem } from '../files/file-system.ts';
import { createLocalFileSystem } from '../files/local-file-system.ts';
import type { ContentSource } from '../state/content-source.ts';
import { joinTrees } from '../tree/join-trees.ts';
import { nodeAt, type FileContent, type TreeNode } from '../tree/tree.ts';
import { gitCacheOf, type GitCache } from './git-cache.ts';
import type { GitPerson, GitProgress, GitRunOptions } from './git.ts';
import { openObjects, type ObjectStore } from './objects/open-objects.ts';

/** Options of a host for all repositories. */
export interface GitOptions {
  /** Where the search for a repository begins. @defaultValue the view's working directory */
  readonly directory?: string;
  /** The author of commits if the repository's config has none. */
  readonly author?: GitPerson;
  /** Minutes from local time to UTC. @defaultValue that of the realm */
  readonly timezoneOffset?: number;
}

/** The files of one command: a draft over the view's, which is applied if the command succeeds. */
export interface GitRun {
  readonly options: GitOptions;
  readonly draft: Draft;
  /** The view's own rules, for everything outside of git's directory. */
  readonly gate: AccessGate;
  readonly contents: ContentSource;
  readonly cache: GitCache;
  /**
   * The draft's files, including git's directories, without rules that ask before writing there.
   */
  readonly files: LocalFileSystem;
  /** An absolute path: where the search for a repository begins. */
  readonly directory: string;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Throws `aborted` after the command's signal was aborted. Called regularly during long work. */
  checkAborted(): void;
  progress(progress: GitProgress): void;
}

/** One repository from one work tree, while one command runs. */
export interface Repository extends GitRun {
  /** The real path of the work tree. */
  readonly root: string;
  /** Where this work tree's HEAD and index are: `/x/.git` or `/x/.git/worktrees/y`. */
  readonly gitDirectory: string;
  /**
   * Where the shared objects, branches and config are. The same directory unless there are several
   * work trees.
   */
  readonly commonDirectory: string;
  readonly objects: ObjectStore;
}

/** What commands work on: the files of a view. */
export type GitView = Pick<WorkspaceView, 'files' | 'seq'>;

/**
 * Runs one command on a draft of its own. Its changes are passed to the view if it succeeds. A
 * command that throws has changed nothing. @throws SdkError `ECONFLICT` if the same path was
 * changed in the view meanwhile.
 */
export async function runGit<Result>(
  view: GitView,
  options: GitOptions,
  command: GitRunOptions,
  work: (run: GitRun) => Promise<Result>,
): Promise<Result> {
  const { scope, contents, era } = view.files;
  const { signal, onProgress } = command;
  const held = new FetchedContents(contents);
  for (;;) {
    const draft = new Draft(scope.draft.base, view.seq, scope.draft.root);
    const run: GitRun = {
      options,
      draft,
      gate: scope.gate,
      contents,
      cache: gitCacheOf(era),
      files: createLocalFileSystem({ ...scope, draft, gate: toGitGate(scope.gate) }, held),
      directory: resolvePath(scope.cwd, options.directory ?? '.'),
      now: () => scope.now(),
      checkAborted() {
        if (signal?.aborted) throw new SdkError('aborted', 'The git command was cancelled.');
      },
      progress: (progress) => onProgress?.(progress),
    };
    run.checkAborted();
    try {
      const result = await work(run);
      run.checkAborted();
      handOver(draft, scope);
      return result;
    } catch (error) {
      // A pack is read synchronously but may be in a bucket. The command runs again after the pack
      // was fetched.
      if (!held.isAbsent) throw error;
      await held.bring();
    }
  }
}

/** Runs {@link runGit} in the repository to which its directory belongs. @throws SdkError `ENOENT` */
export function runInRepository<Result>(
  view: GitView,
  options: GitOptions,
  command: GitRunOptions,
  work: (repository: Repository) => Promise<Result>,
): Promise<Result> {
  return runGit(view, options, command, (run) => work(openRepository(run)));
}

function handOver(draft: Draft, scope: ViewFiles['scope']): void {
  if (draft.root === draft.start) return;
  if (scope.draft.root === draft.start) {
    scope.draft.reset(draft.root);
    return;
  }
  const joined = joinTrees(draft.start, draft.root, scope.draft.root);
  if (joined.type === 'conflict') {
    throw new SdkError(
      'ECONFLICT',
      `While git ran, something else changed ${joined.paths.slice(0, 5).join(', ')}. Nothing was done; run the command again.`,
      { data: { paths: joined.paths } },
    );
  }
  scope.draft.reset(joined.root);
}

/** Opens the repository of the run's directory, searching upwards. @throws SdkError `ENOENT` */
export function openRepository(run: GitRun, directory: string = run.directory): Repository {
  for (let at = directory; ; at = dirname(at)) {
    const found = findIn(run, at);
    if (found) {
      requireShown(run, found);
      return withObjects({ ...run, ...found });
    }
    if (at === '/') break;
  }
  throw new SdkError(
    'ENOENT',
    `${directory} is in no git repository. Make one with git.init(), or name another directory: git.at('app'), or the option directory of createGit.`,
    { data: { path: directory } },
  );
}

/**
 * Security: git reads its own directory whatever the rules say. Code may name any directory, and a cell may write
 * a `.git` that leads to any other. So a repository that a rule hides as a whole isn't opened by its name or from
 * elsewhere. A further work tree is judged by the first one's place, as rules about `.git` don't stop git.
 *
 * @throws SdkError `EACCES`
 */
function requireShown({ options, gate }: GitRun, places: Places): void {
  const { root, gitDirectory, commonDirectory } = places;
  if (options.directory === undefined && gitDirectory === joinPath(root, '.git')) return;
  const isFirst = gitDirectory === commonDirectory;
  const path = joinPath(isFirst ? gitDirectory : dirname(commonDirectory), 'HEAD');
  gate.requireRead(path, { syscall: 'open', path });
}

/** Opens a repository whose directories are known: a new one, or another work tree. */
export function withObjects(
  repository: GitRun & Pick<Repository, 'root' | 'gitDirectory' | 'commonDirectory'>,
): Repository {
  const { files, commonDirectory } = repository;
  return {
    ...repository,
    gate: judgeAsInFirst(repository),
    objects: openObjects(files.sync, commonDirectory),
  };
}

/**
 * Security: a rule that hides a path in the first work tree hides it in all of them. Otherwise a
 * new work tree would reveal the file under another path.
 */
function judgeAsInFirst({
  gate,
  root,
  commonDirectory,
}: Pick<Repository, 'gate' | 'root' | 'commonDirectory'>): AccessGate {
  const first = dirname(commonDirectory);
  if (gate.isUniform || first === root) return gate;
  const inFirst = (path: string) =>
    isInside(root, path) ? joinPath(first, path.slice(root.length + 1)) : path;
  const isReachable = (path: string) => {
    try {
      gate.requireVisible(path, { syscall: 'lstat', path });
      return true;
    } catch {
      return false;
    }
  };
  return {
    ...gate,
    readKey: `${gate.readKey} ${root} as ${first}`,
    isAbsent: (path) => gate.isAbsent(path) || gate.isAbsent(inFirst(path)),
    mayRead(path) {
      if (!gate.mayRead(path)) return false;
      const other = inFirst(path);
      return !isReachable(other) || gate.mayRead(other);
    },
  };
}

interface Places {
  readonly root: string;
  readonly gitDirectory: string;
  readonly commonDirectory: string;
}

function findIn(run: GitRun, directory: string): Places | undefined {
  const { sync } = run.files;
  const path = joinPath(directory, '.git');
  if (!sync.existsSync(path)) return undefined;
  const root = sync.realpathSync(directory);
  const gitDirectory = sync.statSync(path).isDirectory()
    ? sync.realpathSync(path)
    : readGitFile(run, path);
  if (!sync.existsSync(joinPath(gitDirectory, 'HEAD'))) return undefined;
  return { root, gitDirectory, commonDirectory: commonDirectoryOf(run, gitDirectory) };
}

/** Returns the directory to which a `.git` file refers. */
export function readGitFile(run: GitRun, path: string): string {
  const { sync } = run.files;
  const text = sync.readFileSync(path, 'utf8');
  const target = /^gitdir: (.+)/u.exec(text)?.[1]?.trim();
  if (target === undefined) {
    throw new SdkError('EIO', `${path} is a file, and doesn't say where its repository is.`, {
      data: { path },
    });
  }
  const directory = resolvePath(dirname(path), target);
  if (!sync.existsSync(directory)) {
    throw new SdkError(
      'ENOENT',
      `${path} leads to ${directory}, where nothing is. Was the repository moved? Write the new place into that file.`,
      { data: { path, target: directory } },
    );
  }
  const real = sync.realpathSync(directory);
  // Security: anybody may write this file, so it must not give git access to other places.
  if (!isGitPath(real)) {
    throw new SdkError(
      'permission-denied',
      `${path} leads to ${real}, which is in no .git directory. It isn't followed; use the repository itself.`,
      { data: { path, target: real } },
    );
  }
  return real;
}

function commonDirectoryOf(run: GitRun, gitDirectory: string): string {
  const { sync } = run.files;
  const path = joinPath(gitDirectory, 'commondir');
  if (!sync.existsSync(path)) return gitDirectory;
  const common = sync.realpathSync(
    resolvePath(gitDirectory, sync.readFileSync(path, 'utf8').trim()),
  );
  if (isGitPath(common)) return common;
  throw new SdkError(
    'permission-denied',
    `${path} leads to ${common}, which is in no .git directory. It isn't followed.`,
    { data: { path, target: common } },
  );
}

/** True if the path is a `.git` directory or inside one. */
function isGitPath(path: string): boolean {
  return path.split('/').includes('.git');
}

/**
 * The gate for git's own reads and writes. Inside a `.git`, git may access what it needs, whatever
 * rules say about those paths. Whether the command may run is decided by what it does. The gate
 * opens nothing outside of the view's roots, and nothing that is read-only.
 */
function toGitGate(gate: AccessGate): AccessGate {
  return {
    isUniform: gate.isUniform,
    hasReadRules: gate.hasReadRules,
    readKey: `git ${gate.readKey}`,
    isAbsent: (path) => !isGitPath(path) && gate.isAbsent(path),
    mayRead: (path) => isGitPath(path) || gate.mayRead(path),
    requireKnown: (path, call) =>
      isGitPath(path) ? gate.requireVisible(path, call) : gate.requireKnown(path, call),
    requireVisible: (path, call) => gate.requireVisible(path, call),
    requireRead: (path, call) =>
      isGitPath(path) ? gate.requireVisible(path, call) : gate.requireRead(path, call),
    requireWrite: (path, call) => requireGitWrite(gate, path, () => gate.requireWrite(path, call)),
    requireDirectory: (path, call) =>
      requireGitWrite(gate, path, () => gate.requireDirectory(path, call)),
  };
}

function requireGitWrite(gate: AccessGate, path: string, require: () => void): void {
  try {
    require();
  } catch (error) {
    const isRule = hasCode(error, 'EACCES');
    if (!isRule || !isGitPath(path)) throw error;
    gate.requireVisible(path, { syscall: 'open', path });
  }
}

/** Returns the absolute path for a path relative to the work tree's root. */
export function absolutePath({ root }: Pick<Repository, 'root'>, path: string): string {
  return root === '/' ? `/${path}` : `${root}/${path}`;
}

/** Returns the node at an absolute real path of the command's draft. */
export function nodeIn({ draft }: Pick<GitRun, 'draft'>, path: string): TreeNode | undefined {
  return nodeAt(draft.root, path);
}

/** Returns the bytes of contents of the draft and of the workspace, in one request. */
export async function readContents(
  { contents }: Pick<GitRun, 'contents'>,
  wanted: readonly FileContent[],
): Promise<Uint8Array[]> {
  const ids = wanted.filter((content) => typeof content === 'number');
  const read = await contents.readMany(ids);
  let at = -1;
  return wanted.map((content) => {
    if (typeof content !== 'number') return content;
    at += 1;
    const bytes = read[at];
    if (!bytes) throw new TypeError('A ContentSource answered with fewer contents than asked for.');
    return bytes;
  });
}

/** Converts a caller's path to one relative to the work tree's root. Empty for the root. */
export function toRepositoryPath(repository: Repository, path: string): string {
  const { root, files } = repository;
  const absolute = resolvePath(root, path);
  const within = isInside(root, absolute) ? absolute : resolveAbove(files, absolute);
  if (!isInside(root, within)) {
    throw new SdkError('invalid-input', `${path} is outside the work tree ${root}.`, {
      data: { path, root },
    });
  }
  return within.slice(root === '/' ? 1 : root.length + 1);
}

/** Resolves links in an absolute path's directory. */
function resolveAbove(files: LocalFileSystem, path: string): string {
  const parent = dirname(path);
  if (!files.sync.existsSync(parent)) return path;
  return joinPath(files.sync.realpathSync(parent), basename(path));
}
