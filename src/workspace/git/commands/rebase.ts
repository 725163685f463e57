// `git rebase`: applies a branch's own commits again on top of another commit. Only trees are
// merged; the files change once, at the end or at a conflict. The state that it stores is git's
// own, so that git can continue it and the other way round.
import { SdkError } from '../../../core/errors.ts';
import { toFileChange } from '../../../text/patch.ts';
import { checkout } from '../checkout.ts';
import { diffTreeWithStaged } from '../difference.ts';
import type { GitCommit, GitRebaseOptions, GitRebaseResult, Oid } from '../git.ts';
import { Commits, isAncestor, mergeBases, walkCommits } from '../history.ts';
import { mergeTrees } from '../merge-trees.ts';
import { formatTime, treeModes } from '../object-codec.ts';
import { signMove, signNow } from '../people.ts';
import { readCommit, readHead, resolveCommit, writeHead, writeRef } from '../refs.ts';
import type { Repository } from '../repository.ts';
import { readStaged, writeStaged } from '../staged.ts';
import { diffTreeOids, emptyTree, writeTrees, type EntryPair } from '../trees.ts';
import { scanWorkTree } from '../work-tree.ts';
import {
  firstLine,
  readMark,
  refuseConflicts,
  refuseHooks,
  writeCommit,
  writtenMessage,
} from './commit.ts';
import {
  changeTree,
  cutOff,
  mark,
  nameSides,
  requireClean,
  restoreTree,
  withConflicts,
} from './merging.ts';
import { forgetOperation, rebaseDirectory, rememberOrigin } from './staging.ts';

/** The content of git's `head-name` file if HEAD wasn't on a branch. */
const detached = 'detached HEAD';

/** A rebase in progress, as stored in git's `rebase-merge`. */
interface Rebase {
  /** The full name of the branch, or {@link detached}. */
  readonly headName: string;
  readonly onto: Oid;
  /** The branch's commit before the rebase. */
  readonly origin: Oid;
  /** Lines of the todo list, which people read. */
  readonly done: readonly string[];
  readonly todo: readonly Oid[];
}

/** `git rebase <upstream>`, with `--onto`. */
export async function rebase(
  repository: Repository,
  upstream: string,
  { onto: place, noVerify = false }: GitRebaseOptions,
): Promise<GitRebaseResult> {
  if (!noVerify) refuseHooks(repository, ['pre-rebase']);
  const head = requireClean(repository, 'rebase');
  await refuseUnstaged(repository, 'Commit or stash them before a rebase.');
  const base = resolveCommit(repository, upstream);
  const onto = place === undefined ? base : resolveCommit(repository, place);
  const commits = new Commits(repository);
  if (isOnTop(commits, { head: head.oid, base: base.oid, onto: onto.oid })) {
    return { type: 'up-to-date' };
  }
  const todo = listOwn(repository, commits, base.oid, head.oid);
  const { ref } = readHead(repository);
  rememberOrigin(repository);
  moveDetached(repository, onto.oid, `rebase (start): checkout ${place ?? upstream}`);
  const rebasing = { headName: ref ?? detached, onto: onto.oid, origin: head.oid, done: [], todo };
  return replayAll(repository, commits, rebasing, head.tree);
}

/** `git rebase --continue`, and `--skip`. */
export async function continueRebase(
  repository: Repository,
  skip: boolean,
): Promise<GitRebaseResult> {
  const rebasing = readRebase(repository);
  if (skip) await restoreTree(repository, headOf(repository).tree, 'skip');
  else {
    refuseConflicts(repository, readStaged(repository));
    await refuseUnstaged(repository, 'git.add the files, or restore them, before it goes on.');
    await commitResolved(repository);
  }
  forgetOperation(repository);
  return replayAll(repository, new Commits(repository), rebasing, headOf(repository).tree);
}

/** `git rebase --abort`: restores the branch, its files and the index. Other changes stay. */
export async function abortRebase(repository: Repository): Promise<void> {
  const { headName, origin } = readPlaces(repository);
  await restoreTree(repository, readCommit(repository, origin).tree, 'abort');
  const back = headName === detached ? { oid: origin } : { ref: headName };
  const where = headName === detached ? origin : headName;
  const why = `rebase (abort): returning to ${where}`;
  writeHead(repository, back, { who: signMove(repository), why });
  forgetOperation(repository);
  forgetRebase(repository);
}

/** True if nothing would change, because the commits already are on `onto` in sequence. */
function isOnTop(
  commits: Commits,
  { head, base, onto }: { readonly head: Oid; readonly base: Oid; readonly onto: Oid },
): boolean {
  for (const other of new Set([onto, base])) {
    const bases = mergeBases(commits, other, head);
    if (bases.length !== 1 || bases[0] !== onto) return false;
  }
  for (let at = head; at !== onto;) {
    const { parents } = commits.get(at);
    const [parent] = parents;
    if (parent === undefined || parents.length > 1) return false;
    at = parent;
  }
  return true;
}

/**
 * Returns the commits in `head` but not in `base`, oldest first, in the order of `git rev-list
 * --topo-order`. Leaves out merges, and commits whose changes `base` already has.
 */
function listOwn(repository: Repository, commits: Commits, base: Oid, head: Oid): Oid[] {
  const own = onlyIn(commits, head, base);
  for (const oid of own) requireParent(repository, commits, oid);
  const known = knownChanges(repository, commits, onlyIn(commits, base, head), own);
  return sortByParents(commits, own, head).filter((oid) => {
    if (commits.get(oid).parents.length > 1) return false;
    return known.size === 0 || !known.has(describeChanges(repository, commits, oid));
  });
}

function onlyIn(commits: Commits, from: Oid, without: Oid): ReadonlySet<Oid> {
  const others = new Set([...walkCommits(commits, [without])].map(({ oid }) => oid));
  const follow = ({ parents }: GitCommit) => parents.filter((parent) => !others.has(parent));
  const found = others.has(from) ? [] : [...walkCommits(commits, [from], follow)];
  return new Set(found.map(({ oid }) => oid));
}

function requireParent(repository: Repository, commits: Commits, oid: Oid): void {
  const isCut = commits.get(oid).parents.length < readCommit(repository, oid).parents.length;
  if (isCut) throw cutOff(oid);
}

/** Same as git's `sort_in_topological_order` in graph order, but starting at the other end. */
function sortByParents(commits: Commits, own: ReadonlySet<Oid>, head: Oid): Oid[] {
  const children = new Map<Oid, number>();
  for (const oid of own) {
    for (const parent of commits.get(oid).parents) {
      children.set(parent, (children.get(parent) ?? 0) + 1);
    }
  }
  const sorted: Oid[] = [];
  const waiting = own.has(head) ? [head] : [];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    sorted.push(at);
    for (const parent of commits.get(at).parents) {
      const left = (children.get(parent) ?? 0) - 1;
      children.set(parent, left);
      if (left === 0 && own.has(parent)) waiting.push(parent);
    }
  }
  return sorted.toReversed();
}

/**
 * Returns the changes of commits in `base`, as far as they touch the same paths as one of this
 * branch's commits.
 */
function knownChanges(
  repository: Repository,
  commits: Commits,
  others: ReadonlySet<Oid>,
  own: ReadonlySet<Oid>,
): ReadonlySet<string> {
  const pathsOf = (oid: Oid) =>
    changesOf(repository, commits, oid)
      .map(({ path }) => path)
      .join('\0');
  const single = (oid: Oid) => commits.get(oid).parents.length <= 1;
  const paths = new Set([...own].filter(single).map(pathsOf));
  const alike = [...others].filter((oid) => single(oid) && paths.has(pathsOf(oid)));
  return new Set(alike.map((oid) => describeChanges(repository, commits, oid)));
}

function changesOf(repository: Repository, commits: Commits, oid: Oid): EntryPair[] {
  const { tree, parents } = commits.get(oid);
  const [parent] = parents;
  const before = parent === undefined ? emptyTree : commits.get(parent).tree;
  return diffTreeOids(repository, before, tree);
}

/**
 * Returns the input of git's patch id: the changed lines with context, without blanks and line
 * numbers.
 */
function describeChanges(repository: Repository, commits: Commits, oid: Oid): string {
  const read = (entry: EntryPair['before']) =>
    entry && entry.mode !== treeModes.submodule
      ? repository.objects.readAs(entry.oid, 'blob')
      : null;
  return changesOf(repository, commits, oid)
    .map(({ path, before, after }) => {
      const { type, structuredPatch } = toFileChange(path, read(before), read(after));
      const lines = structuredPatch.flatMap((hunk) => hunk.lines);
      const contents = lines.length === 0 ? [before?.oid, after?.oid] : lines.map(withoutBlanks);
      const mode = type === 'update' ? '' : (before ?? after)?.mode;
      return [path, type, mode, ...contents].join('\n');
    })
    .join('\0');
}

const withoutBlanks = (line: string) => line.replaceAll(/\s/gu, '');

/** `from` is the tree of index and files. HEAD is where the next commit is added. */
async function replayAll(
  repository: Repository,
  commits: Commits,
  rebasing: Rebase,
  from: Oid,
): Promise<GitRebaseResult> {
  const left = [...rebasing.todo];
  const done = [...rebasing.done];
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    repository.checkAborted();
    const total = done.length + left.length + 1;
    repository.progress({ phase: 'rebasing', done: done.length, total });
    const commit = commits.get(next);
    const head = headOf(repository);
    done.push(toLine(commit));
    if (commit.parents[0] === head.oid) {
      moveDetached(repository, next, `rebase (pick): ${firstLine(`${commit.message}\n`)}`);
      continue;
    }
    const [parent] = commit.parents;
    const base = parent === undefined ? emptyTree : commits.get(parent).tree;
    const names = nameSides(repository, commit, parent);
    const { changes, conflicts, unclear } = mergeTrees(
      repository,
      { base, ours: head.tree, theirs: commit.tree },
      { base: names.parent, ours: 'HEAD', theirs: names.commit },
    );
    const disputed = [...conflicts.keys(), ...unclear];
    if (disputed.length > 0) {
      const moved = await moveFiles(repository, from, head.tree);
      const staged = await checkout(repository, moved, changes, { command: 'rebase' });
      await writeStaged(repository, staged.with(conflicts));
      mark(repository, 'REBASE_HEAD', next);
      mark(repository, 'MERGE_MSG', withConflicts(commit.message, [...conflicts.keys()]));
      writeRebase(repository, { ...rebasing, done, todo: left }, commit);
      return { type: 'conflict', paths: disputed, commit: next, remaining: left.length };
    }
    const tree = changeTree(repository, head.tree, changes);
    // The base already has the commit's changes. A commit that is empty itself is kept.
    if (tree === head.tree && commit.tree !== base) continue;
    pick(repository, commit, tree, `rebase (pick): ${firstLine(`${commit.message}\n`)}`);
  }
  return finish(repository, commits, rebasing, from);
}

function pick(repository: Repository, commit: GitCommit, tree: Oid, why: string): void {
  const oid = writeCommit(repository, {
    tree,
    parents: [headOf(repository).oid],
    author: commit.author,
    committer: signNow(repository),
    message: commit.message,
  });
  moveDetached(repository, oid, why);
}

async function finish(
  repository: Repository,
  commits: Commits,
  { headName, onto, origin }: Rebase,
  from: Oid,
): Promise<GitRebaseResult> {
  const { oid, tree } = headOf(repository);
  await writeStaged(repository, await moveFiles(repository, from, tree));
  if (headName !== detached) {
    const who = signMove(repository);
    const why = `rebase (finish): ${headName} onto ${onto}`;
    writeRef(repository, headName, oid, { who, why });
    const returning = `rebase (finish): returning to ${headName}`;
    writeHead(repository, { ref: headName }, { who, why: returning });
  }
  forgetRebase(repository);
  return { type: isAncestor(commits, origin, oid) ? 'fast-forward' : 'rebased', oid };
}

/**
 * Commits the resolved conflict with the original commit's data. If it is committed already, or
 * nothing is left to commit, the rebase continues.
 */
async function commitResolved(repository: Repository): Promise<void> {
  const staged = readStaged(repository);
  const head = headOf(repository);
  const changes = diffTreeWithStaged(repository, head.tree, staged);
  if (changes.length === 0) return;
  const stopped = readMark(repository, 'REBASE_HEAD');
  if (stopped === undefined || readMark(repository, 'MERGE_MSG') === undefined) {
    throw new SdkError(
      'bad-usage',
      'Changes are staged that belong to no commit of the rebase. Commit them first, by git.commit(…).',
      { data: { paths: changes.map(({ path }) => path) } },
    );
  }
  const message = `${writtenMessage(repository).trimEnd()}\n`;
  const entries = [...staged.paths.values()].filter(({ isIntentToAdd }) => !isIntentToAdd);
  const tree = writeTrees(repository, entries, head.tree);
  const commit = { ...readCommit(repository, stopped), message };
  pick(repository, commit, tree, `rebase (continue): ${firstLine(message)}`);
}

/**
 * Changes index and files from one tree to another. Returns the index, which the caller must write.
 */
async function moveFiles(repository: Repository, from: Oid, to: Oid) {
  const changes = diffTreeOids(repository, from, to);
  return checkout(repository, readStaged(repository), changes, { command: 'rebase' });
}

function moveDetached(repository: Repository, oid: Oid, why: string): void {
  writeHead(repository, { oid }, { who: signMove(repository), why });
}

function headOf(repository: Repository): GitCommit {
  const { oid } = readHead(repository);
  if (oid === null) throw new SdkError('bad-usage', 'There is no commit yet to rebase.');
  return readCommit(repository, oid);
}

/** Formats a commit as a line of the todo list. */
function toLine({ oid, message }: GitCommit): string {
  return `pick ${oid} ${firstLine(`${message}\n`)}`;
}

/**
 * Refuses like git: the operations `--abort` and `--skip` would reset files that were changed
 * otherwise.
 */
async function refuseUnstaged(repository: Repository, advice: string): Promise<void> {
  const { changed } = await scanWorkTree(repository, readStaged(repository), { untracked: 'none' });
  if (changed.size === 0) return;
  const paths = [...changed.keys()];
  throw new SdkError(
    'bad-usage',
    `Changes aren't staged: ${paths.slice(0, 5).join(', ')}. ${advice}`,
    { data: { paths } },
  );
}

/** @throws SdkError `bad-usage` if no rebase is in progress */
function readPlaces(repository: Repository): Pick<Rebase, 'headName' | 'onto' | 'origin'> {
  if (!repository.files.sync.existsSync(rebaseDirectory(repository))) {
    throw new SdkError('bad-usage', 'No rebase is going on.');
  }
  const read = (name: string) => (readState(repository, name) ?? '').trim();
  return { headName: read('head-name'), onto: read('onto'), origin: read('orig-head') };
}

/** Git's options that aren't supported. Each is a file beside the todo list, which may be empty. */
const unknownOptions = [
  ...['keep_redundant_commits', 'signoff', 'strategy', 'strategy_opts', 'gpg_sign_opt'],
  ...['cdate_is_adate', 'ignore_date', 'update-refs'],
];

/**
 * @throws SdkError `unsupported-environment` for commands other than `pick`, and for unsupported
 * options
 */
function readRebase(repository: Repository): Rebase {
  const places = readPlaces(repository);
  const option = unknownOptions.find((name) => readState(repository, name) !== undefined);
  if (option !== undefined) throw beganElsewhere(`an option that isn't known here: ${option}`);
  const lines = (name: string) =>
    (readState(repository, name) ?? '').split('\n').filter((line) => line !== '');
  const todo = lines('git-rebase-todo')
    .filter((line) => !line.startsWith('#') && line !== 'noop')
    .map((line) => {
      const [command = '', revision = ''] = line.split(' ');
      if (command === 'pick' || command === 'p') return resolveCommit(repository, revision).oid;
      throw beganElsewhere(`a command that isn't known here: ${command.slice(0, 20)}`);
    });
  return { ...places, done: lines('done'), todo };
}

function beganElsewhere(what: string): SdkError {
  return new SdkError(
    'unsupported-environment',
    `This rebase was begun elsewhere, and has ${what}. Go on there, or call git.abort().`,
    { data: { what } },
  );
}

function readState(repository: Repository, name: string): string | undefined {
  const { sync } = repository.files;
  const path = `${rebaseDirectory(repository)}/${name}`;
  return sync.existsSync(path) ? sync.readFileSync(path, 'utf8') : undefined;
}

/**
 * Writes only what git needs to continue, because a person is shown each file when a cell rebases.
 */
function writeRebase(
  repository: Repository,
  { headName, onto, origin, done, todo }: Rebase,
  { author, message }: GitCommit,
): void {
  const { sync } = repository.files;
  const directory = rebaseDirectory(repository);
  sync.mkdirSync(directory, { recursive: true });
  const list = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const files = {
    'head-name': `${headName}\n`,
    onto: `${onto}\n`,
    'orig-head': `${origin}\n`,
    interactive: '',
    drop_redundant_commits: '',
    done: list(done),
    'git-rebase-todo': list(todo.map((oid) => toLine(readCommit(repository, oid)))),
    message,
    'author-script': [
      `GIT_AUTHOR_NAME=${quote(author.name)}`,
      `GIT_AUTHOR_EMAIL=${quote(author.email)}`,
      `GIT_AUTHOR_DATE=${quote(`@${formatTime(author)}`)}`,
      '',
    ].join('\n'),
  };
  for (const [name, text] of Object.entries(files))
    sync.writeFileSync(`${directory}/${name}`, text);
}

function forgetRebase(repository: Repository): void {
  const { sync } = repository.files;
  keepAutostash(repository);
  const paths = [rebaseDirectory(repository), `${repository.gitDirectory}/REBASE_HEAD`];
  for (const path of paths) if (sync.existsSync(path)) sync.rmSync(path, { recursive: true });
}

/**
 * Stores what `git rebase --autostash` has put aside as the newest stash, because nothing else
 * refers to it. Git does the same if it can't apply it.
 */
function keepAutostash(repository: Repository): void {
  const oid = readState(repository, 'autostash')?.trim();
  if (oid === undefined || oid === '') return;
  writeRef(repository, 'refs/stash', oid, { who: signMove(repository), why: 'autostash' });
}
