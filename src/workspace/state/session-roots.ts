// The sessions' own files as views show them: each session root is grafted at `/session/<id>` onto
// the tree of a view. Committed trees never have it, and so neither do hashes, diffs and rewinds.
import { getOrMake } from '../../core/get-or-make.ts';
import { sessionOfRoot, sessionsDirectory } from '../../core/session-path.ts';
import { PersistentMap } from '../tree/persistent-map.ts';
import {
  defaultDirectoryMode,
  nodeAt,
  withNode,
  type DirectoryNode,
  type TreeNode,
} from '../tree/tree.ts';
import { rootOf, type NamedRoot, type WorkspaceState } from './state.ts';

type Roots = WorkspaceState['roots'];

/** By the roots of a state: as long as they are the same, so are the trees that show them. */
const shown = new WeakMap<Roots, WeakMap<DirectoryNode, DirectoryNode>>();

/**
 * The tree of that id as a view shows it. A session's own root is shown without the sessions. Throws
 * as {@link rootOf} does.
 */
export function shownRootOf(state: WorkspaceState, id: string): DirectoryNode {
  const root = rootOf(state, id);
  return state.roots.get(id)?.kind === 'session' ? root : withSessions(state.roots, root);
}

/**
 * The tree with the sessions' files. What it has of its own at {@link sessionsDirectory}, from before
 * sessions had roots, stays below them; a session's root hides the directory of the same name.
 */
export function withSessions(roots: Roots, root: DirectoryNode): DirectoryNode {
  const grafts = getOrMake(shown, roots, () => new WeakMap<DirectoryNode, DirectoryNode>());
  return getOrMake(grafts, root, () => graft([...roots.values()], root));
}

function graft(roots: readonly NamedRoot[], root: DirectoryNode): DirectoryNode {
  const sessions = roots.filter(({ kind }) => kind === 'session');
  const [first] = sessions;
  if (!first) return root;
  const own = nodeAt(root, sessionsDirectory);
  let entries = own?.kind === 'directory' ? own.entries : PersistentMap.empty<TreeNode>();
  for (const session of sessions) {
    entries = entries.set(sessionOfRoot(session.id) ?? session.id, session.root);
  }
  const { createdMs: mtimeMs, baseSeq: version } = first;
  const attributes =
    own?.kind === 'directory' ? own : { mode: defaultDirectoryMode, mtimeMs, version };
  return withNode(root, sessionsDirectory, { ...attributes, kind: 'directory', entries });
}
