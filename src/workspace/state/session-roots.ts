// Shows the sessions' own files in views: each session root appears at `/session/<id>` of a view's
// tree. Committed trees don't contain it, so hashes, diffs and rewinds don't either.
import { getOrMake } from '../../core/values/get-or-make.ts';
import { sessionOfRoot, sessionsDirectory } from '../../core/session/session-path.ts';
import { PersistentMap } from '../tree/persistent-map.ts';
import {
  defaultDirectoryMode,
  nodeAt,
  withNode,
  type DirectoryNode,
  type TreeNode,
} from '../tree/tree.ts';
import { rootOf, type WorkspaceState } from './state.ts';

type Roots = WorkspaceState['roots'];

/** What views show of one state's roots. The same roots give the same trees. */
interface Shown {
  /** The node at {@link sessionsDirectory}, or undefined if no session has a root. */
  readonly directory: DirectoryNode | undefined;
  /** Cache: a root's tree → the tree that views show. */
  readonly trees: WeakMap<DirectoryNode, DirectoryNode>;
}

const shown = new WeakMap<Roots, Shown>();

/**
 * Returns the tree of that id as views show it. A session's own root doesn't show sessions. Throws
 * as {@link rootOf} does.
 */
export function shownRootOf(state: WorkspaceState, id: string): DirectoryNode {
  const root = rootOf(state, id);
  return state.roots.get(id)?.kind === 'session' ? root : withSessions(state.roots, root);
}

/**
 * Returns the tree with the sessions' files. Older files of the tree itself at {@link
 * sessionsDirectory} stay visible, unless a session's root has the same name.
 */
export function withSessions(roots: Roots, root: DirectoryNode): DirectoryNode {
  const { directory, trees } = getOrMake(shown, roots, () => ({
    directory: toDirectory(roots),
    trees: new WeakMap<DirectoryNode, DirectoryNode>(),
  }));
  return directory ? getOrMake(trees, root, () => graft(root, directory)) : root;
}

function toDirectory(roots: Roots): DirectoryNode | undefined {
  const sessions = [...roots.values()].filter(({ kind }) => kind === 'session');
  const [first] = sessions;
  if (!first) return undefined;
  return {
    kind: 'directory',
    entries: PersistentMap.from(
      sessions.map(({ id, root }): [string, TreeNode] => [sessionOfRoot(id) ?? id, root]),
    ),
    mode: defaultDirectoryMode,
    mtimeMs: first.createdMs,
    version: first.baseSeq,
  };
}

function graft(root: DirectoryNode, directory: DirectoryNode): DirectoryNode {
  const own = nodeAt(root, sessionsDirectory);
  if (own?.kind !== 'directory') return withNode(root, sessionsDirectory, directory);
  let { entries } = own;
  directory.entries.forEach((name, node) => {
    entries = entries.set(name, node);
  });
  return withNode(root, sessionsDirectory, { ...own, entries });
}
