// A tree as plain data and back, for messages.
import type { PlainNode } from './feed.ts';
import { PersistentMap } from './persistent-map.ts';
import { sortedNames } from './tree.ts';
import type { DirectoryNode, TreeNode } from './tree.ts';

/** Only for committed trees: a pending file is a programmer's mistake. Inverse: {@link fromPlainTree}. */
export function toPlainTree(node: TreeNode): PlainNode {
  switch (node.kind) {
    case 'file': {
      const { content, size, mode, mtimeMs, version } = node;
      if (typeof content !== 'number') throw new TypeError('Only committed files can be sent.');
      return ['f', content, size, mode, mtimeMs, version];
    }
    case 'directory': {
      const entries = sortedNames(node).flatMap((name) => {
        const child = node.entries.get(name);
        return child ? [[name, toPlainTree(child)] as const] : [];
      });
      return ['d', entries, node.mode, node.mtimeMs, node.version];
    }
    case 'symlink':
      return ['l', node.target, node.mtimeMs, node.version];
  }
}

/** The inverse of {@link toPlainTree}. Throws a TypeError when the outermost node is no directory. */
export function fromPlainTree(plain: PlainNode): DirectoryNode {
  const root = toNode(plain);
  if (root.kind !== 'directory') throw new TypeError('A tree begins with a directory.');
  return root;
}

function toNode(plain: PlainNode): TreeNode {
  switch (plain[0]) {
    case 'f': {
      const [, content, size, mode, mtimeMs, version] = plain;
      return { kind: 'file', content, size, mode, mtimeMs, version };
    }
    case 'd': {
      const [, children, mode, mtimeMs, version] = plain;
      let entries = PersistentMap.empty<TreeNode>();
      for (const [name, child] of children) entries = entries.set(name, toNode(child));
      return { kind: 'directory', entries, mode, mtimeMs, version };
    }
    case 'l': {
      const [, target, mtimeMs, version] = plain;
      return { kind: 'symlink', target, mtimeMs, version };
    }
  }
}
