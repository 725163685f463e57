// Compares two nodes, whatever record or draft created them. Contents are compared by content id:
// the same bytes written twice are two contents.
import type { TreeNode } from './tree.ts';

/**
 * Compares kind, mode, and content or target, but not a directory's entries. Times and versions
 * don't count.
 */
export function isSameNode(left: TreeNode | undefined, right: TreeNode | undefined): boolean {
  if (left === right) return true;
  if (left?.kind === 'file' && right?.kind === 'file') {
    return left.content === right.content && left.mode === right.mode;
  }
  if (left?.kind === 'directory' && right?.kind === 'directory') return left.mode === right.mode;
  return left?.kind === 'symlink' && right?.kind === 'symlink' && left.target === right.target;
}
