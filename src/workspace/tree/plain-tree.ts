// Converts a committed tree to plain data and back, for messages between realms.
import type { PlainNode } from '../feed/feed.ts';
import { PersistentMap } from './persistent-map.ts';
import type { DirectoryNode, TreeNode } from './tree.ts';

/** A node with all below it, committed. Inverse: {@link fromPlainNode}. */
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

/** As {@link fromPlainNode}. Throws a TypeError when the outermost node is no directory. */
export function fromPlainTree(plain: PlainNode): DirectoryNode {
  const root = fromPlainNode(plain);
  if (root.kind !== 'directory') throw new TypeError('A tree begins with a directory.');
  return root;
}

/**
 * A node with all below it. Inverse: {@link toPlainNode}.
 *
 * By index: taken apart as a whole, a tuple costs three times as much until the code is hot, and at
 * opening it never is.
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
