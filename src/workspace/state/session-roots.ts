// The sessions' own files as views show them: each session root is grafted at `/session/<id>` onto
// the tree of a view. Committed trees never have it, and so neither do hashes, diffs and rewinds.
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

/** What views show of the roots of one state. As long as they are the same, so are the trees. */
interface Shown {
  /** What stands at {@link sessionsDirectory}; undefined where no session has a root. */
  readonly directory: DirectoryNode | undefined;
  /** The roots by the trees from which they are made. */
  readonly trees: WeakMap<DirectoryNode, DirectoryNode>;
}

const shown = new WeakMap<Roots, Shown>();

/**
 * The tree of that id as a view shows it. A session's own root is shown without the sessions. Throws
 * as {@link rootOf} does.
 */
export function shownRootOf(state: WorkspaceState, id: string): DirectoryNode {
  const root = rootOf(state, id);
  return state.roots.get(id)?.kind === 'session' ? root : withSessions(state.roots, root);
}

/**
 * The tree with the sessions' files. What it has of its own at {@link sessionsDirectory}, from
 * before sessions had roots, stays below them. A session's root hides the directory of the same
 * name.
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
