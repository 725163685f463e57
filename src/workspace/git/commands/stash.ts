// `git stash`: stores index and files as two commits under `refs/stash`, and applies them again.
import { SdkError } from '../../../core/errors.ts';
import { checkout } from '../checkout.ts';
import { diffTreeWithStaged, mayShow } from '../difference.ts';
import type { GitMergeResult, GitStash, Oid } from '../git.ts';
import type { IndexEntry } from '../index-file.ts';
import { mergeTrees } from '../merge-trees.ts';
import { signMove, signNow } from '../people.ts';
import {
  branchName,
  deleteRef,
  readCommit,
  readHead,
  readLog,
  readRef,
  writeLog,
  writeRef,
  zeroOid,
} from '../refs.ts';
import type { Repository } from '../repository.ts';
import { absolutePath, nodeIn } from '../repository.ts';
import { readStaged, Staged, writeStaged } from '../staged.ts';
import { diffTreeOids, emptyTree, writeTrees } from '../trees.ts';
import { scanWorkTree } from '../work-tree.ts';
import { firstLine, refuseConflicts, writeCommit } from './commit.ts';
import { forgetOperation, headTree, resetFiles, stageAsWritten, stageFiles } from './staging.ts';

const ref = 'refs/stash';

/** `git stash push`. Returns null if there is nothing to stash. */
export async function pushStash(
  repository: Repository,
  { message, untracked = false }: { readonly message?: string; readonly untracked?: boolean },
): Promise<GitStash | null> {
  const head = readHead(repository);
  if (head.oid === null) {
    throw new SdkError('bad-usage', 'There is no commit yet that a stash could stand on.');
  }
  const last = readCommit(repository, head.oid);
  const staged = readStaged(repository);
  refuseConflicts(repository, staged);
  const again = writtenAgain(repository, staged, last.tree);
  const tracked = await stageFiles(repository, staged, [''], { force: false, update: true });
  const full = await stageAsWritten(repository, tracked, [...again]);
  const extra = untracked ? await stageUntracked(repository, staged, again) : undefined;
  const index = writeTrees(repository, [...staged.paths.values()], last.tree);
  const files = writeTrees(repository, [...full.paths.values()], last.tree);
  if (index === last.tree && files === last.tree && !extra) return null;
  const branch = branchName(head.ref) ?? '(no branch)';
  const where = `${branch}: ${repository.objects.shorten(head.oid)} ${firstLine(`${last.message}\n`)}`;
  const who = signNow(repository);
  const write = (tree: Oid, parents: readonly Oid[], text: string) =>
    writeCommit(repository, { tree, parents, author: who, committer: who, message: text });
  const parents = [head.oid, write(index, [head.oid], `index on ${where}\n`)];
  if (extra) {
    const tree = writeTrees(repository, [...extra.paths.values()], emptyTree);
    parents.push(write(tree, [], `untracked files on ${where}\n`));
  }
  const text = message === undefined ? `WIP on ${where}` : `On ${branch}: ${message}`;
  const oid = write(files, parents, `${text}\n`);
  // The log must be kept, because all stashes but the newest are only in it.
  writeRef(repository, ref, oid, { who, why: text });
  await resetFiles(repository, staged, last.tree);
  // The files are HEAD's again, so a later commit isn't a merge.
  forgetOperation(repository);
  if (extra) removeFiles(repository, [...extra.paths.keys()]);
  return { index: 0, oid, message: text };
}

/**
 * Returns files that were removed from the index but still exist. The reset overwrites them,
 * because HEAD has their paths. So the stash keeps them as tracked files, as git does.
 */
function writtenAgain(repository: Repository, staged: Staged, tree: Oid): Set<string> {
  const paths = diffTreeWithStaged(repository, tree, staged)
    .filter(({ path, after }) => {
      const node = after ? undefined : nodeIn(repository, absolutePath(repository, path));
      return node !== undefined && node.kind !== 'directory' && mayShow(repository, path);
    })
    .map(({ path }) => path);
  return new Set(paths);
}

async function stageUntracked(
  repository: Repository,
  staged: Staged,
  again: ReadonlySet<string>,
): Promise<Staged | undefined> {
  const { untracked } = await scanWorkTree(repository, staged, { untracked: 'files' });
  const paths = untracked.filter((path) => !path.endsWith('/') && !again.has(path));
  if (paths.length === 0) return undefined;
  const all = await stageFiles(repository, staged, paths, { force: false, update: false });
  const wanted = new Set(paths);
  return new Staged(all.entries.filter(({ path }) => wanted.has(path)));
}

function removeFiles(repository: Repository, paths: readonly string[]): void {
  const { sync } = repository.files;
  for (const path of paths) {
    sync.rmSync(absolutePath(repository, path));
    for (let at = path.lastIndexOf('/'); at !== -1; at = path.lastIndexOf('/', at - 1)) {
      const directory = absolutePath(repository, path.slice(0, at));
      if (sync.readdirSync(directory).length > 0) break;
      sync.rmdirSync(directory);
    }
  }
}

/** `git stash list`. */
export function listStashes(repository: Repository): GitStash[] {
  return readLog(repository, ref)
    .toReversed()
    .map(({ after, message }, index) => ({ index, oid: after, message }));
}

function stashAt(repository: Repository, index: number): GitStash {
  const found = listStashes(repository)[index];
  if (found) return found;
  throw new SdkError(
    'invalid-input',
    `There is no stash ${index}. git.stash.list() shows those there are.`,
    {
      data: { index },
    },
  );
}

/** `git stash apply`: changes the files. The index keeps what was staged before. */
export async function applyStash(repository: Repository, index: number): Promise<GitMergeResult> {
  const { oid } = stashAt(repository, index);
  const stash = readCommit(repository, oid);
  const [start, , extra] = stash.parents;
  if (start === undefined)
    throw new SdkError('EIO', `Stash ${index} is damaged: it stands on no commit.`);
  const before = readStaged(repository);
  refuseConflicts(repository, before);
  const trees = {
    base: readCommit(repository, start).tree,
    ours: writeTrees(repository, [...before.paths.values()], headTree(repository)),
    theirs: stash.tree,
  };
  const labels = {
    base: 'Stash base',
    ours: 'Updated upstream',
    theirs: 'Stashed changes',
  };
  const { changes, conflicts, unclear } = mergeTrees(repository, trees, labels);
  const added =
    extra === undefined
      ? []
      : diffTreeOids(repository, emptyTree, readCommit(repository, extra).tree);
  const written = await checkout(repository, before, changes, { command: 'stash apply' });
  const untracked = await checkout(repository, written, added, { command: 'stash apply' });
  const entries = new Map<string, readonly IndexEntry[]>(added.map(({ path }) => [path, []]));
  if (conflicts.size > 0 || unclear.length > 0) {
    await writeStaged(repository, untracked.with(new Map([...entries, ...conflicts])));
    return { type: 'conflict', paths: [...conflicts.keys(), ...unclear] };
  }
  // A new file stays staged, as in git, because it could be lost as an untracked one.
  const fresh = changes.map(({ path }) => path).filter((path) => !before.paths.has(path));
  const isBeside = (path: string) =>
    !fresh.some((its) => its.startsWith(`${path}/`) || path.startsWith(`${its}/`));
  for (const { path } of changes) {
    const own = before.paths.get(path);
    // An index can't have both a file and an entry below it.
    if (own && isBeside(path)) entries.set(path, [own]);
  }
  await writeStaged(repository, untracked.with(entries));
  return { type: 'merged', oid };
}

/** `git stash pop`. */
export async function popStash(repository: Repository, index: number): Promise<GitMergeResult> {
  const result = await applyStash(repository, index);
  if (result.type !== 'conflict') dropStash(repository, index);
  return result;
}

/** `git stash drop`. */
export function dropStash(repository: Repository, index: number): void {
  stashAt(repository, index);
  const lines = readLog(repository, ref);
  const kept = lines.toSpliced(lines.length - 1 - index, 1);
  // Each line's old id is the new id of the line before it.
  const joined = kept.map((line, at) => {
    const before = kept[at - 1]?.after ?? zeroOid;
    return { ...line, before, text: before + line.text.slice(40) };
  });
  const newest = joined.at(-1);
  if (!newest) {
    deleteRef(repository, ref);
    return;
  }
  if (readRef(repository, ref) !== newest.after) {
    writeRef(repository, ref, newest.after, { who: signMove(repository), why: newest.message });
  }
  writeLog(repository, ref, joined);
}
