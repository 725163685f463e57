// Applies many changes to one tree. It caches the directory of the last path, because change sets
// go directory by directory. A path in the same directory then costs one step, and parents are
// copied once. Used by records (record.ts) and by the check of a commit (plan-commit.ts).
import type { Version } from '../../core/change-set.ts';
import { dirname } from '../../core/path.ts';
import type { PersistentMap } from './persistent-map.ts';
import { nodeAt, withNode, type DirectoryNode, type TreeNode } from './tree.ts';

/** Starts from a root, which stays unchanged. Paths are real and normal. */
export class TreeEditor {
  #root: DirectoryNode;
  /** The path of the cached directory. */
  #at = '/';
  /** The directory as it is in `#root`; undefined if there is none. */
  #directory: DirectoryNode | undefined;
  /** Its entries by now. */
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

  /** Does the path's parent stand, as a directory? */
  hasParent(path: string): boolean {
    return this.#enter(path) !== undefined;
  }

  /** That of the directory that the path stands in; undefined where there is none. */
  parentVersion(path: string): Version | undefined {
    this.#enter(path);
    return this.#directory?.version;
  }

  /** What stands at the path; undefined for nothing. */
  get(path: string): TreeNode | undefined {
    return path === '/' ? this.root : this.#enter(path)?.get(nameOf(path));
  }

  /** Puts a node; undefined removes. A parent that isn't a directory is a programming error. */
  put(path: string, node: TreeNode | undefined): void {
    const entries = path === '/' ? undefined : this.#enter(path);
    if (entries) {
      this.#entries = node ? entries.set(nameOf(path), node) : entries.delete(nameOf(path));
    } else {
      const root = withNode(this.root, path, node);
      this.#root = root;
      this.#take('/', root);
    }
  }

  /** The entries of the path's directory, which is cached from now on. */
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

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
