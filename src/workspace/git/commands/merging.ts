// `git merge`, `cherry-pick` and `revert`, and aborting them after conflicts. rebase.ts uses the
// same functions.
import { SdkError } from '../../../core/errors.ts';
import type { MarkerLabels } from '../../../text/merge-with-markers.ts';
import { checkFastForward } from '../check-word.ts';
import { checkout } from '../checkout.ts';
import { diffTreeWithStaged } from '../difference.ts';
import type { GitCommit, GitMergeOptions, GitMergeResult, GitTreeEntry, Oid } from '../git.ts';
import { Commits, isAncestor, mergeBases } from '../history.ts';
import { mergeTrees } from '../merge-trees.ts';
import { parseTag } from '../object-codec.ts';
import { signNow } from '../people.ts';
import { branchName, readCommit, readHead, readRef, resolveCommit } from '../refs.ts';
import type { Repository } from '../repository.ts';
import { plainEntry, readStaged, Staged, writeStaged } from '../staged.ts';
import { diffTreeOids, emptyTree, flattenTree, writeTrees, type EntryPair } from '../trees.ts';
import { cleanMessage, firstLine, refuseConflicts, writeCommit } from './commit.ts';
import {
  forgetOperation,
  headTree,
  moveHead,
  operationOf,
  rememberOrigin,
  unfinished,
} from './staging.ts';

/** `git merge`. */
export async function merge(
  repository: Repository,
  ref: string,
  { fastForward = 'allow', message }: GitMergeOptions,
): Promise<GitMergeResult> {
  checkFastForward('merge', fastForward);
  const head = requireClean(repository, 'merge');
  const theirs = resolveCommit(repository, ref);
  const commits = new Commits(repository);
  if (isAncestor(commits, theirs.oid, head.oid)) return { type: 'up-to-date' };
  const isBehind = isAncestor(commits, head.oid, theirs.oid);
  if (isBehind && fastForward !== 'never') {
    await moveFiles(repository, head.tree, theirs.tree, 'merge');
    rememberOrigin(repository);
    moveHead(repository, theirs.oid, `merge ${ref}: Fast-forward`);
    return { type: 'fast-forward', oid: theirs.oid };
  }
  if (fastForward === 'only') {
    throw new SdkError(
      'bad-usage',
      `${ref} and this branch have both gone on, so it can't be moved forward. Leave out \`fastForward: 'only'\` to merge.`,
      { data: { ref } },
    );
  }
  const bases = mergeBases(commits, head.oid, theirs.oid);
  if (bases.length === 0) {
    throw new SdkError(
      'bad-usage',
      `${ref} and this branch have no commit in common, as far as they are here. Fetch more of a shallow clone; unrelated histories aren't merged.`,
      { data: { ref } },
    );
  }
  const result = await mergeInto(repository, {
    base: baseTree(repository, commits, bases),
    theirs: theirs.tree,
    labels: { base: nameBases(repository, bases), theirs: ref },
    command: 'merge',
  });
  const text = cleanMessage(message ?? mergeMessage(repository, ref));
  rememberOrigin(repository);
  if (result.disputed.length > 0) {
    mark(repository, 'MERGE_HEAD', theirs.oid);
    mark(repository, 'MERGE_MODE', fastForward === 'never' ? 'no-ff' : '');
    mark(repository, 'MERGE_MSG', withConflicts(text, result.conflicts));
    return { type: 'conflict', paths: result.disputed };
  }
  const committer = signNow(repository);
  const parents = [head.oid, theirs.oid];
  const merged = { tree: result.tree, parents, author: committer, committer, message: text };
  const oid = writeCommit(repository, merged);
  moveHead(repository, oid, `merge ${ref}: Merge made by the 'ort' strategy.`);
  return { type: 'merged', oid };
}

/**
 * Returns the tree of the merge base. Histories that were merged crosswise have several bases. As
 * in git, these are merged first; otherwise reverted changes could reappear. @throws SdkError
 * `bad-usage` if that has conflicts
 */
function baseTree(repository: Repository, commits: Commits, bases: readonly Oid[]): Oid {
  const trees = new Set(bases.map((oid) => readCommit(repository, oid).tree));
  const [ours, theirs] = trees;
  if (ours === undefined) return emptyTree;
  if (theirs === undefined) return ours;
  const [one, other] = bases;
  if (bases.length === 2 && one !== undefined && other !== undefined) {
    const base = baseTree(repository, commits, mergeBases(commits, one, other));
    const labels = {
      base: nameBases(repository, bases),
      ours: 'Temporary merge branch 1',
      theirs: 'Temporary merge branch 2',
    };
    const { changes, conflicts } = mergeTrees(repository, { base, ours, theirs }, labels, true);
    if (conflicts.size === 0) return changeTree(repository, ours, changes);
  }
  throw new SdkError(
    'bad-usage',
    'These branches were merged crosswise, and where they met last is itself in conflict. Cherry-pick the commits onto this branch, one by one.',
    { data: { bases } },
  );
}

/** Returns git's name for the base in conflict markers. */
function nameBases({ objects }: Repository, [base, ...more]: readonly Oid[]): string {
  return base === undefined || more.length > 0 ? 'merged common ancestors' : objects.shorten(base);
}

/** Returns `tree` with the changes of a merge. */
export function changeTree(repository: Repository, tree: Oid, changes: readonly EntryPair[]): Oid {
  const before = new Staged(flattenTree(repository, tree).map((entry) => plainEntry(entry)));
  const after = before.with(
    new Map(
      changes.map((change) => [
        change.path,
        change.after ? [plainEntry({ path: change.path, ...change.after })] : [],
      ]),
    ),
  );
  return writeTrees(repository, [...after.paths.values()], tree);
}

function mergeMessage(repository: Repository, ref: string): string {
  const name = branchName(readHead(repository).ref) ?? 'HEAD';
  const into = name === 'main' || name === 'master' ? '' : ` into ${name}`;
  if (readRef(repository, `refs/heads/${ref}`) !== undefined) return `Merge branch '${ref}'${into}`;
  if (readRef(repository, `refs/remotes/${ref}`) !== undefined) {
    return `Merge remote-tracking branch '${ref}'${into}`;
  }
  const tag = readRef(repository, `refs/tags/${ref}`);
  if (tag === undefined) return `Merge commit '${ref}'${into}`;
  const { type, bytes } = repository.objects.read(tag);
  // The tag's own message without its signature.
  const told = type === 'tag' ? parseTag(bytes).message.split(/^-----BEGIN /mu)[0] : '';
  return `Merge tag '${ref}'${into}\n\n${told}`;
}

/** `git cherry-pick` of one commit. */
export async function cherryPick(repository: Repository, ref: string): Promise<GitMergeResult> {
  const picked = resolveCommit(repository, ref);
  const { message, author } = picked;
  return replay(repository, picked, {
    command: 'cherry-pick',
    mark: 'CHERRY_PICK_HEAD',
    base: (before) => before,
    theirs: () => picked.tree,
    labels: ({ commit, parent }) => ({ base: parent, theirs: commit }),
    message,
    author,
  });
}

/** `git revert` of one commit. */
export async function revert(repository: Repository, ref: string): Promise<GitMergeResult> {
  const reverted = resolveCommit(repository, ref);
  const subject = firstLine(`${reverted.message}\n`);
  return replay(repository, reverted, {
    command: 'revert',
    mark: 'REVERT_HEAD',
    base: () => reverted.tree,
    theirs: (before) => before,
    labels: ({ commit, parent }) => ({ base: commit, theirs: parent }),
    message: `Revert "${subject}"\n\nThis reverts commit ${reverted.oid}.\n`,
  });
}

interface Replay {
  readonly command: 'cherry-pick' | 'revert';
  readonly mark: string;
  readonly base: (parentTree: Oid) => Oid;
  readonly theirs: (parentTree: Oid) => Oid;
  /**
   * Returns the names of the sides for conflict markers, from those of the commit and its parent.
   */
  readonly labels: (names: { readonly commit: string; readonly parent: string }) => MergeLabels;
  readonly message: string;
  readonly author?: GitCommit['author'];
}

async function replay(
  repository: Repository,
  commit: GitCommit,
  { command, mark: name, base, theirs, labels, message, author }: Replay,
): Promise<GitMergeResult> {
  const head = requireClean(repository, command);
  if (commit.parents.length > 1) {
    throw new SdkError(
      'bad-usage',
      `${commit.oid} is a merge: a ${command} would have to know which side to take. Name the commits of that side one by one.`,
      { data: { oid: commit.oid } },
    );
  }
  const parent = new Commits(repository).get(commit.oid).parents[0];
  if (parent === undefined && commit.parents.length > 0) {
    throw cutOff(commit.oid);
  }
  const before = parent === undefined ? emptyTree : readCommit(repository, parent).tree;
  const result = await mergeInto(repository, {
    base: base(before),
    theirs: theirs(before),
    labels: labels(nameSides(repository, commit, parent)),
    command,
  });
  if (result.disputed.length > 0) {
    mark(repository, name, commit.oid);
    mark(repository, 'MERGE_MSG', withConflicts(message, result.conflicts));
    return { type: 'conflict', paths: result.disputed };
  }
  if (result.tree === head.tree) return { type: 'up-to-date' };
  const committer = signNow(repository);
  const parents = [head.oid];
  const oid = writeCommit(repository, {
    tree: result.tree,
    parents,
    author: author ?? committer,
    committer,
    message,
  });
  moveHead(repository, oid, `${command}: ${firstLine(`${message}\n`)}`);
  return { type: 'merged', oid };
}

/** Returns git's names of a commit and its parent for conflict markers. */
export function nameSides(
  { objects }: Repository,
  { oid, message }: GitCommit,
  parent: Oid | undefined,
): { readonly commit: string; readonly parent: string } {
  const commit = `${objects.shorten(oid)} (${firstLine(`${message}\n`)})`;
  return { commit, parent: parent === undefined ? '(empty tree)' : `parent of ${commit}` };
}

/** The error for a commit whose parent isn't in this repository. */
export function cutOff(oid: Oid): SdkError {
  return new SdkError(
    'bad-usage',
    `${oid} is where this shallow clone ends: what it changed isn't known. Fetch more first.`,
    { data: { oid } },
  );
}

/**
 * Returns HEAD's commit if nothing is staged and no operation is pending. @throws SdkError
 * `bad-usage`
 */
export function requireClean(repository: Repository, command: string): GitCommit {
  const { oid } = readHead(repository);
  if (oid === null) {
    throw new SdkError(
      'bad-usage',
      `There is no commit yet, so there is nothing to ${command} into.`,
    );
  }
  const operation = operationOf(repository);
  if (operation !== null) throw unfinished(operation);
  const head = readCommit(repository, oid);
  const staged = readStaged(repository);
  refuseConflicts(repository, staged);
  const changes = diffTreeWithStaged(repository, head.tree, staged);
  if (changes.length === 0) return head;
  const paths = changes.map(({ path }) => path);
  throw new SdkError(
    'bad-usage',
    `Changes are staged that aren't committed: ${paths.slice(0, 5).join(', ')}. Commit or stash them before a ${command}.`,
    { data: { paths } },
  );
}

/** Moves index and files from one tree to another. */
async function moveFiles(
  repository: Repository,
  from: Oid,
  to: Oid,
  command: string,
): Promise<void> {
  const staged = readStaged(repository);
  const changes = diffTreeOids(repository, from, to);
  const next = await checkout(repository, staged, changes, { command });
  await writeStaged(repository, next);
}

/** The names of the base and the other side in conflict markers. This side is HEAD. */
type MergeLabels = Omit<MarkerLabels, 'ours'>;

interface MergeInto {
  readonly base: Oid;
  readonly theirs: Oid;
  readonly labels: MergeLabels;
  readonly command: string;
}

interface Merged {
  readonly tree: Oid;
  /** The paths that are in conflict in the index. */
  readonly conflicts: readonly string[];
  /** These paths, and files whose place after a rename is unclear. */
  readonly disputed: readonly string[];
}

/** Merges into index and files. The resulting tree is the merged one if there are no conflicts. */
async function mergeInto(
  repository: Repository,
  { base, theirs, labels, command }: MergeInto,
): Promise<Merged> {
  const ours = headTree(repository);
  const { changes, conflicts, unclear } = mergeTrees(
    repository,
    { base, ours, theirs },
    { ...labels, ours: 'HEAD' },
  );
  const staged = await checkout(repository, readStaged(repository), changes, { command });
  const next = staged.with(conflicts);
  await writeStaged(repository, next);
  const tree = conflicts.size > 0 ? ours : writeTrees(repository, [...next.paths.values()], ours);
  const paths = [...conflicts.keys()];
  return { tree, conflicts: paths, disputed: [...paths, ...unclear] };
}

/**
 * `git merge --abort` and the like: files that the merge touched return to HEAD, other changes
 * stay.
 *
 * @throws SdkError `bad-usage` if no merge is in progress, also after a stash with conflicts. Has
 * `data.paths` if a file that wasn't in conflict was changed since.
 */
export async function abort(repository: Repository): Promise<void> {
  if (operationOf(repository) === null) {
    refuseConflicts(repository, readStaged(repository));
    throw new SdkError('bad-usage', 'No merge, rebase, cherry-pick or revert is going on.');
  }
  await restoreTree(repository, headTree(repository), 'abort');
  forgetOperation(repository);
}

/** Changes index and files to a tree. Refused if a file that isn't in conflict was changed. */
export async function restoreTree(
  repository: Repository,
  tree: Oid,
  command: string,
): Promise<void> {
  const staged = readStaged(repository);
  const paths = new Set([
    ...diffTreeWithStaged(repository, tree, staged).map(({ path }) => path),
    ...staged.conflicts.keys(),
  ]);
  const head = repository.cache.flatTree(tree, () => flattenTree(repository, tree));
  const changes: EntryPair[] = [...paths].sort().map((path) => ({
    path,
    // The entry that the merge left there. For a path in conflict that isn't known.
    before: toEntry(staged.paths.get(path)),
    after: toEntry(head.get(path)),
  }));
  const inConflict = new Set(staged.conflicts.keys());
  const clean = staged.with(new Map([...inConflict].map((path) => [path, []])));
  const next = await checkout(repository, clean, changes, {
    overwrites: inConflict,
    command,
    advice: 'Move these files elsewhere, or remove them, first.',
  });
  await writeStaged(repository, next);
}

function toEntry(entry: GitTreeEntry | undefined): GitTreeEntry | null {
  return entry ? { mode: entry.mode, oid: entry.oid } : null;
}

export function mark({ files, gitDirectory }: Repository, name: string, text: string): void {
  files.sync.writeFileSync(
    `${gitDirectory}/${name}`,
    text === '' || text.endsWith('\n') ? text : `${text}\n`,
  );
}

/** Adds the list of conflicts to a message, as git does for the person who edits it. */
export function withConflicts(message: string, paths: readonly string[]): string {
  if (paths.length === 0) return message;
  return `${message}\n# Conflicts:\n${paths.map((path) => `#\t${path}\n`).join('')}`;
}
