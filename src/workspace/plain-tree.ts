// A tree as plain data and back, for messages.
import type { PlainNode } from './feed.ts';
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

/** A node with all below it. Inverse: {@link toPlainNode}. */
export function fromPlainNode(plain: PlainNode): TreeNode {
  switch (plain[0]) {
    case 'f': {
      const [, content, size, mode, mtimeMs, version] = plain;
      return { kind: 'file', content, size, mode, mtimeMs, version };
    }
    case 'd': {
      const [, children, mode, mtimeMs, version] = plain;
      let entries = PersistentMap.empty<TreeNode>();
      for (const [name, child] of children) entries = entries.set(name, fromPlainNode(child));
      return { kind: 'directory', entries, mode, mtimeMs, version };
    }
    case 'l': {
      const [, target, mtimeMs, version] = plain;
      return { kind: 'symlink', target, mtimeMs, version };
    }
  }
}
