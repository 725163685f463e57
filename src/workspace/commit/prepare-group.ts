// Prepares the parts of a commit that depend on the state at its turn: merges, git files, rewinds
// and contents to store again. The writer calls it between two groups, when no commit can
// intervene.
import type { ContentSource } from '../state/content-source.ts';
import { checkCommit, findRoot } from './check-commit.ts';
import { diffRoots } from '../tree/diff-roots.ts';
import { emptyRoot } from '../tree/tree.ts';
import { copySubtrees } from '../tree/copy-subtree.ts';
import { mergeChangeSet } from './merge-change-set.ts';
import { changesGit, mergeGitChanges } from './merge-git-changes.ts';
import type { PendingCommit } from './plan-group.ts';
import type { LiveContentIds } from './live-content-ids.ts';
import { mayHaveDeadContents, materializeContents } from './materialize-contents.ts';
import { planRewind } from './rewind.ts';
import { answerTo, mainRootId, rootOf, type WorkspaceState } from '../state/state.ts';

/** The state for which commits are prepared. */
export interface Ground {
  readonly state: WorkspaceState;
  readonly contents: ContentSource;
  /** The contents that the roots of `state` hold. */
  readonly liveIds: LiveContentIds;
}

/**
 * True if the commit must be the first of its group, because earlier commits must already be in the
 * state.
 */
export function needsPreparing(
  { changeSet, merge, root, rootChange }: PendingCommit,
  { state, liveIds }: Ground,
): boolean {
  if (merge === 'text' || rootChange?.type === 'merge' || rootChange?.type === 'rewind')
    return true;
  if (changesGit(changeSet)) return true;
  const target = root === mainRootId ? state.main : state.roots.get(root)?.root;
  // An earlier commit of the same group creates the root.
  return mayHaveDeadContents(target ?? emptyRoot, changeSet, liveIds);
}

/**
 * Returns the group with its first commit prepared. If that fails, the commit is rejected here and
 * left out.
 */
export async function prepareGroup(
  group: readonly PendingCommit[],
  ground: Ground,
): Promise<readonly PendingCommit[]> {
  const [first, ...rest] = group;
  if (!first || !needsPreparing(first, ground)) return group;
  try {
    return [await prepare(first, ground), ...rest];
  } catch (error) {
    first.reject(error);
    return rest;
  }
}

async function prepare(commit: PendingCommit, ground: Ground): Promise<PendingCommit> {
  const { state, contents } = ground;
  const { origin, root, rootChange } = commit;
  // A repeated commit is answered without preparing it.
  if (origin && answerTo(state, origin) !== undefined) return commit;
  checkCommit(state, commit);
  const target = rootOf(state, root);
  const setOf = (changes: ReturnType<typeof diffRoots>) => ({ baseSeq: state.seq, changes });
  if (rootChange?.type === 'merge') {
    const { base, root: branch } = findRoot(state, rootChange.id, 'branch');
    const changes = diffRoots(base, copySubtrees(base, branch, rootChange.paths));
    const ofGit = await mergeGitChanges(target, setOf(changes), { contents, base });
    return { ...commit, changeSet: await mergeChangeSet(target, ofGit, { contents, base }) };
  }
  if (rootChange?.type === 'rewind') {
    const checkpoint = findRoot(state, rootChange.id, 'checkpoint');
    const plan = planRewind({ ...state, checkpoint }, rootChange);
    return { ...commit, changeSet: setOf(diffRoots(target, plan.root)) };
  }
  const { changeSet, merge } = commit;
  const ofGit = changesGit(changeSet)
    ? await mergeGitChanges(target, changeSet, { contents })
    : changeSet;
  const merged = merge ? await mergeChangeSet(target, ofGit, { contents }) : ofGit;
  return { ...commit, changeSet: await materializeContents(merged, state, ground) };
}
