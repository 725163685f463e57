// Applies many changes to one tree. It caches the directory of the last path, because change sets
// are ordered by directory. Another path in the same directory then costs one step, and parents are
// copied once. Used by records (record.ts) and when checking a commit (plan-commit.ts).
import type { Version } from '../../core/change-set.ts';
import { basename, dirname } from '../../core/path.ts';
import type { PersistentMap } from './persistent-map.ts';
import { nodeAt, withNode, type DirectoryNode, type TreeNode } from './tree.ts';

/** Starts from a root, which isn't changed. Paths must be real and normalized. */
export class TreeEditor {
  #root: DirectoryNode;
  /** The path of the cached directory. */
  #at = '/';
  /** The directory as it is in `#root`, or undefined. */
  #directory: DirectoryNode | undefined;
  /** Its current entries. */
  #entries: PersistentMap<TreeNode> | undefined;

  constructor(root: DirectoryNode) {
    this.#root = root;
    this.#directory = root;
    this.#entries = root.entries;
  }

  /** The tree with all changes so far. */
  get root(): DirectoryNode {
    if (this.#directory && this.#entries && this.#entries !== this.#directory.entries) {
      this.#directory = { ...this.#directory, entries: this.#entries };
      this.#root = withNode(this.#root, this.#at, this.#directory);
    }
    return this.#root;
  }

  /** True if the path's parent exists and is a directory. */
  hasParent(path: string): boolean {
    return this.#enter(path) !== undefined;
  }

  /** Returns the version of the path's directory, or undefined. */
  parentVersion(path: string): Version | undefined {
    this.#enter(path);
    return this.#directory?.version;
  }

  /** Returns the node at the path, or undefined. */
  get(path: string): TreeNode | undefined {
    return path === '/' ? this.root : this.#enter(path)?.get(basename(path));
  }

  /**
   * Puts a node, or removes it if undefined. A parent that isn't a directory is a programming
   * error.
   */
  put(path: string, node: TreeNode | undefined): void {
    const entries = path === '/' ? undefined : this.#enter(path);
    if (entries) {
      this.#entries = node ? entries.set(basename(path), node) : entries.delete(basename(path));
    } else {
      const root = withNode(this.root, path, node);
      this.#root = root;
      this.#take('/', root);
    }
  }

  /** Caches the path's directory and returns its entries. */
  #enter(path: string): PersistentMap<TreeNode> | undefined {
    const parent = dirname(path);
    if (parent !== this.#at) {
      const node = nodeAt(this.root, parent);
      this.#take(parent, node?.kind === 'directory' ? node : undefined);
    }
    return this.#entries;
  }

  #take(path: string, directory: DirectoryNode | undefined): void {
    this.#at = path;
    this.#directory = directory;
    this.#entries = directory?.entries;
  }
}
