// Converts a committed tree to plain data and back, for messages between realms.
import type { PlainNode } from '../feed/feed.ts';
import { PersistentMap } from './persistent-map.ts';
import type { DirectoryNode, TreeNode } from './tree.ts';

/** Converts a committed node with everything below it. Inverse: {@link fromPlainNode}. */
export function toPlainNode(node: TreeNode): PlainNode {
  switch (node.kind) {
    case 'file': {
      const { content, size, mode, mtimeMs, version } = node;
      if (typeof content !== 'number') throw new TypeError('Only committed files can be sent.');
      return ['f', content, size, mode, mtimeMs, version];
    }
    case 'directory': {
      // In the map's own order, which depends on the names alone.
      const entries: (readonly [string, PlainNode])[] = [];
      node.entries.forEach((name, child) => entries.push([name, toPlainNode(child)]));
      return ['d', entries, node.mode, node.mtimeMs, node.version];
    }
    case 'symlink':
      return ['l', node.target, node.mtimeMs, node.version];
  }
}

/** Same as {@link fromPlainNode}. @throws TypeError if the outermost node isn't a directory */
export function fromPlainTree(plain: PlainNode): DirectoryNode {
  const root = fromPlainNode(plain);
  if (root.kind !== 'directory') throw new TypeError('A tree begins with a directory.');
  return root;
}

/**
 * Creates a node with everything below it. Inverse: {@link toPlainNode}.
 * Reads tuples by index, because destructuring takes three times as long in cold code, and at
 * opening the code is always cold.
 */
export function fromPlainNode(plain: PlainNode): TreeNode {
  switch (plain[0]) {
    case 'f':
      return {
        kind: 'file',
        content: plain[1],
        size: plain[2],
        mode: plain[3],
        mtimeMs: plain[4],
        version: plain[5],
      };
    case 'd':
      return {
        kind: 'directory',
        entries: PersistentMap.from(
          plain[1].map((entry) => [entry[0], fromPlainNode(entry[1])] as const),
        ),
        mode: plain[2],
        mtimeMs: plain[3],
        version: plain[4],
      };
    case 'l': {
      const [, target, mtimeMs, version] = plain;
      return { kind: 'symlink', target, mtimeMs, version };
    }
  }
}
