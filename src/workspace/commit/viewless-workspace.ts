// A Workspace over a writer that opens no views. The FS worker serves it over a port, and so
// doesn't load the code of views.
import { onChangeEvent } from '../state/change-events.ts';
import { shownRootOf } from '../state/session-roots.ts';
import { mainRootId } from '../state/state.ts';
import { hashTree } from '../tree/tree-hash.ts';
import { nodeAt, versionAt } from '../tree/tree.ts';
import type { TreeNode } from '../tree/tree.ts';
import type { PathState, RootTree, Workspace } from '../workspace.ts';
import { createWriterFileSystem } from './writer-file-system.ts';
import type { WriterPort } from './writer-port.ts';
import { createWriterHistory } from './writer-history.ts';
import { createWriterRoots } from './writer-roots.ts';
import { createWriterStreams } from './writer-streams.ts';

/** Owns the writer: disposing of the workspace closes it. */
export function createViewlessWorkspace(writer: WriterPort): Workspace {
  const { fs, versions, lookUp } = createRootTree(writer, mainRootId);
  return {
    fs,
    roots: createWriterRoots(writer),
    streams: createWriterStreams(writer),
    history: createWriterHistory(writer),
    info: async () => writer.info(),
    seq: () => writer.seq,
    commit: (changeSet, options) => writer.commit(changeSet, options),
    versions,
    lookUp,
    at: (root) => createRootTree(writer, root),
    treeHash: () => hashTree(writer.root, writer.contents),
    onChange: (listener) => onChangeEvent(writer, listener),
    [Symbol.asyncDispose]: () => writer.close(),
  };
}

function createRootTree(writer: WriterPort, root: string): RootTree {
  return {
    fs: createWriterFileSystem(writer, root),
    async versions(paths) {
      const tree = shownRootOf(writer.state, root);
      return paths.map((path) => versionAt(tree, path));
    },
    async lookUp(paths) {
      const tree = shownRootOf(writer.state, root);
      return paths.map((path) => toPathState(nodeAt(tree, path)));
    },
  };
}

function toPathState(node: TreeNode | undefined): PathState | null {
  if (!node) return null;
  const { kind, version } = node;
  if (kind === 'directory') return { kind, version };
  if (kind === 'symlink') return { kind, version, target: node.target };
  // Only drafts have bytes in their nodes. This is the committed tree.
  if (typeof node.content !== 'number') throw new TypeError('A committed file without a content.');
  return { kind, version, size: node.size, contentId: node.content };
}
