// The workspace's files as an immutable tree. A change copies the directories on its path and
// shares everything else, so a root is a free snapshot. Pure functions over real paths; locate.ts
// resolves links, and access.ts applies rules.
import type { ContentId, Version } from '../../core/change-set.ts';
import { compareNames } from './path-order.ts';
import { PersistentMap } from './persistent-map.ts';

/** A file's content: the id of a content of the log, or the bytes of an uncommitted draft. */
export type FileContent = ContentId | Uint8Array;

/**
 * `version` is 0 in nodes that a draft has created. The base's version counts there
 * (`Draft.versionOf`).
 */
export interface FileNode {
  readonly kind: 'file';
  readonly content: FileContent;
  readonly size: number;
  readonly mode: number;
  readonly mtimeMs: number;
  readonly version: Version;
}

/**
 * `version` and `mtimeMs` are those of the directory itself. Changes of its entries don't affect
 * them.
 */
export interface DirectoryNode {
  readonly kind: 'directory';
  readonly entries: PersistentMap<TreeNode>;
  readonly mode: number;
  readonly mtimeMs: number;
  readonly version: Version;
}

/** The target as it was given, absolute or relative to the link. */
export interface SymlinkNode {
  readonly kind: 'symlink';
  readonly target: string;
  readonly mtimeMs: number;
  readonly version: Version;
}

export type TreeNode = FileNode | DirectoryNode | SymlinkNode;

/** Permission bits only. The type is the node's kind. */
export const defaultFileMode = 0o644;
export const defaultDirectoryMode = 0o755;

/** The root of an empty workspace. Shared, because nodes are immutable. */
export const emptyRoot: DirectoryNode = {
  kind: 'directory',
  entries: PersistentMap.empty<TreeNode>(),
  mode: defaultDirectoryMode,
  mtimeMs: 0,
  version: 0,
};

/** Returns the names in a normalized absolute path. Empty for the root. */
function namesOf(path: string): string[] {
  return path === '/' ? [] : path.slice(1).split('/');
}

/** The path of a directory's entry. */
export function childPath(directory: string, name: string): string {
  return directory === '/' ? `/${name}` : `${directory}/${name}`;
}

/** Returns the node at a real path without following links, or undefined. */
export function nodeAt(root: DirectoryNode, path: string): TreeNode | undefined {
  let node: TreeNode | undefined = root;
  for (const name of namesOf(path)) {
    if (node?.kind !== 'directory') return undefined;
    node = node.entries.get(name);
  }
  return node;
}

/** Returns the version of the node at a real path; 0 if there is none. */
export function versionAt(root: DirectoryNode, path: string): Version {
  return nodeAt(root, path)?.version ?? 0;
}

/**
 * Returns the highest version of a node and everything below it. Any later creation or change there
 * has a higher one.
 */
export function subtreeVersion(node: TreeNode): Version {
  let highest = node.version;
  if (node.kind === 'directory') {
    node.entries.forEach((_name, child) => {
      highest = Math.max(highest, subtreeVersion(child));
    });
  }
  return highest;
}

/**
 * Returns a root with `node` at the path, or without the path if `node` is undefined. The parent
 * must be a directory; otherwise it is a programming error.
 */
export function withNode(
  root: DirectoryNode,
  path: string,
  node: TreeNode | undefined,
): DirectoryNode {
  const names = namesOf(path);
  if (names.length > 0) return replaceBelow(root, names, 0, node);
  if (node?.kind === 'directory') return node;
  throw new TypeError('The root is always a directory.');
}

function replaceBelow(
  directory: DirectoryNode,
  names: readonly string[],
  at: number,
  node: TreeNode | undefined,
): DirectoryNode {
  const name = names[at] ?? '';
  if (at === names.length - 1) {
    const entries = node ? directory.entries.set(name, node) : directory.entries.delete(name);
    return entries === directory.entries ? directory : { ...directory, entries };
  }
  const child = directory.entries.get(name);
  if (child?.kind !== 'directory') {
    throw new TypeError(`No directory at /${names.slice(0, at + 1).join('/')}.`);
  }
  const replaced = replaceBelow(child, names, at + 1, node);
  return replaced === child
    ? directory
    : { ...directory, entries: directory.entries.set(name, replaced) };
}

/** A directory's names in their UTF-8 order. */
export function sortedNames(directory: DirectoryNode): string[] {
  return directory.entries.keys().sort(compareNames);
}

/**
 * Visits a node and everything below it, directories before entries, names in order. Links aren't
 * followed.
 */
export function visitTree(
  path: string,
  node: TreeNode,
  visit: (path: string, node: TreeNode) => void,
): void {
  visit(path, node);
  if (node.kind !== 'directory') return;
  for (const name of sortedNames(node)) {
    const child = node.entries.get(name);
    if (child) visitTree(childPath(path, name), child, visit);
  }
}
