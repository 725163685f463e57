// `git commit`: trees of the index, a commit object, and the branch that moves to it.
import { SdkError } from '../../../core/errors.ts';
import { resolvePath } from '../../../core/path.ts';
import { readConfig } from '../config.ts';
import { diffTreeWithStaged } from '../difference.ts';
import type { GitCommit, GitCommitOptions, GitCommitResult, GitOperation, Oid } from '../git.ts';
import { serializeCommit } from '../object-codec.ts';
import { signCommit, signNow } from '../people.ts';
import { branchName, readCommit, readHead } from '../refs.ts';
import type { Repository } from '../repository.ts';
import { readStaged, writeStaged, type Staged } from '../staged.ts';
import { diffTreeOids, emptyTree, writeTrees } from '../trees.ts';
import { forgetOperation, moveHead, operationOf, stageFiles } from './staging.ts';

/** `git commit`. */
export async function commit(
  repository: Repository,
  options: GitCommitOptions,
): Promise<GitCommitResult> {
  const { all = false, amend = false, allowEmpty = false, author } = options;
  if (options.noVerify !== true) refuseHooks(repository, commitHooks);
  const message = cleanMessage(options.message ?? writtenMessage(repository));
  const head = readHead(repository);
  const last = head.oid === null ? undefined : readCommit(repository, head.oid);
  const operation = operationOf(repository);
  if (amend && (!last || operation !== null)) {
    throw new SdkError(
      'bad-usage',
      last ? `A ${operation} is going on: it can't amend.` : 'There is no commit yet to amend.',
    );
  }
  let staged = readStaged(repository);
  if (all) staged = await stageFiles(repository, staged, [''], { force: false, update: true });
  refuseConflicts(repository, staged);
  const before = amend ? parentTree(repository, last) : (last?.tree ?? emptyTree);
  const isEmpty = diffTreeWithStaged(repository, before, staged).length === 0;
  if (isEmpty && !allowEmpty && !amend && operation !== 'merge') {
    throw new SdkError(
      'bad-usage',
      "Nothing is staged that the last commit doesn't have. Call git.add(…) first, or give `all: true`; `allowEmpty: true` commits all the same.",
    );
  }
  // Entries of `add -N` aren't added yet.
  const entries = [...staged.paths.values()].filter(({ isIntentToAdd }) => !isIntentToAdd);
  const tree = writeTrees(repository, entries, last?.tree ?? emptyTree);
  repository.cache.setTreeOf(staged, tree);
  const committer = signCommit(repository, author);
  const picked = pickedOid(repository, operation);
  const first = picked === undefined ? undefined : readCommit(repository, picked).author;
  const oid = writeCommit(repository, {
    tree,
    parents: amend ? (last?.parents ?? []) : parentsOf(repository, head.oid),
    author: author ? signNow(repository, author) : ((amend ? last?.author : first) ?? committer),
    committer,
    message,
  });
  await writeStaged(repository, staged);
  forgetOperation(repository);
  moveHead(repository, oid, `${reflogWord(amend, operation, last)}: ${firstLine(message)}`);
  const files = diffTreeOids(repository, before, tree).length;
  return { oid, branch: branchName(head.ref), files, message };
}

/** Writes a commit object. */
export function writeCommit(
  { objects }: Pick<Repository, 'objects'>,
  commit: Omit<GitCommit, 'oid'>,
): Oid {
  return objects.write('commit', serializeCommit(commit));
}

/**
 * Cleans a message as `git commit -m` does: no trailing blanks, no empty lines at both ends, and
 * one between paragraphs. @throws SdkError `bad-usage` if the result is empty
 */
export function cleanMessage(message: string): string {
  const lines = message
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line, at, all) => line !== '' || (at > 0 && all[at - 1] !== ''));
  const text = lines.join('\n').replace(/^\n+|\n+$/gu, '');
  if (text !== '' && !text.includes('\0')) return `${text}\n`;
  throw new SdkError('bad-usage', 'A commit needs a message: give `message`.');
}

export function firstLine(message: string): string {
  return message.slice(0, message.indexOf('\n'));
}

/** @throws SdkError `bad-usage` with `data.paths` */
export function refuseConflicts(repository: Repository, staged: Staged): void {
  if (staged.conflicts.size === 0) return;
  const paths = [...staged.conflicts.keys()];
  // Conflicts of a stash belong to no operation, and there is no other copy of what was staged
  // beside them.
  const back =
    operationOf(repository) === null
      ? 'git.restore(paths, { staged: true, worktree: true }) takes them from HEAD'
      : 'git.abort() goes back';
  throw new SdkError(
    'bad-usage',
    `${paths.slice(0, 5).join(', ')} ${paths.length === 1 ? 'is' : 'are'} in conflict. Resolve, then git.add the files; ${back} instead.`,
    { data: { paths } },
  );
}

function parentTree(repository: Repository, last: GitCommit | undefined): Oid {
  const parent = last?.parents[0];
  return parent === undefined ? emptyTree : readCommit(repository, parent).tree;
}

/** Hooks that would run before a commit and may refuse it. */
const commitHooks = ['pre-commit', 'prepare-commit-msg', 'commit-msg'];

/** Hooks can't run here. Continuing silently would skip a check that the project wants. */
export function refuseHooks(repository: Repository, hooks: readonly string[]): void {
  const { files, commonDirectory, root } = repository;
  const place = readConfig(repository, 'core.hooksPath');
  const directory = place === undefined ? `${commonDirectory}/hooks` : resolvePath(root, place);
  const found = hooks.filter((name) => files.sync.existsSync(`${directory}/${name}`));
  if (found.length === 0) return;
  throw new SdkError(
    'unsupported-environment',
    `The repository has hooks (${found.join(', ')}), and hooks don't run here. Do what they check yourself, then give \`noVerify: true\`.`,
    { data: { hooks: found, directory } },
  );
}

/** Returns the commit that is applied again and whose author is kept. */
function pickedOid(repository: Repository, operation: GitOperation | null): Oid | undefined {
  if (operation !== 'rebase') return readMark(repository, 'CHERRY_PICK_HEAD');
  // Without a message, the commit was already created.
  const waits = readMark(repository, 'MERGE_MSG') !== undefined;
  return waits ? readMark(repository, 'REBASE_HEAD') : undefined;
}

/**
 * Returns the message that an operation has left for its commit, without the list of conflicts. Its
 * own lines may also begin with `#`.
 */
export function writtenMessage(repository: Repository): string {
  const written = readMark(repository, 'MERGE_MSG') ?? '';
  return written.replace(/(?:^|\n)# Conflicts:(?:\n#\t[^\n]*)+$/u, '');
}

/** Returns HEAD, and the merged commits of a merge. */
function parentsOf(repository: Repository, head: Oid | null): Oid[] {
  const { files, gitDirectory } = repository;
  const path = `${gitDirectory}/MERGE_HEAD`;
  const others = files.sync.existsSync(path)
    ? files.sync.readFileSync(path, 'utf8').split('\n').filter(Boolean)
    : [];
  return [...(head === null ? [] : [head]), ...others];
}

/** Returns the content of one of the files that an operation leaves. */
export function readMark({ files, gitDirectory }: Repository, name: string): string | undefined {
  const path = `${gitDirectory}/${name}`;
  return files.sync.existsSync(path) ? files.sync.readFileSync(path, 'utf8').trim() : undefined;
}

function reflogWord(amend: boolean, operation: string | null, last: GitCommit | undefined): string {
  if (amend) return 'commit (amend)';
  if (operation !== null) return `commit (${operation})`;
  return last ? 'commit' : 'commit (initial)';
}
