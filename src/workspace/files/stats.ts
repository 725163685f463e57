// Node's Stats and Dirent, created from a node of the tree or from plain data of another realm.
import type { Version } from '../../core/change-set.ts';
import type { TreeNode } from '../tree/tree.ts';
import type { Dirent, Stats } from './file-system.ts';

/** The possible kinds of a node. There are no devices, pipes or sockets. */
export type NodeKind = TreeNode['kind'];

/** A Stats without methods, as it is sent to another realm. Inverse: {@link createStats}. */
export interface StatsData {
  readonly kind: NodeKind;
  readonly size: number;
  /** Permission and type bits. */
  readonly mode: number;
  readonly ino: number;
  readonly mtimeMs: number;
  readonly version: Version;
}

// The type bits of POSIX's st_mode, which Node's `stat.mode` carries.
const typeBits: Record<NodeKind, number> = {
  file: 0o100000,
  directory: 0o040000,
  symlink: 0o120000,
};

/**
 * `version` is passed separately, because nodes of a draft have none. `path` is the node's own, without
 * links.
 */
export function toStatsData(node: TreeNode, path: string, version: Version): StatsData {
  return {
    ino: inodeOf(path),
    kind: node.kind,
    size: sizeOf(node),
    mode: typeBits[node.kind] | (node.kind === 'symlink' ? 0o777 : node.mode),
    mtimeMs: node.mtimeMs,
    version,
  };
}

/** Creates a Stats from its data, with methods that give the same answers. */
export function createStats(data: StatsData): Stats {
  const { ino, kind, size, mode, mtimeMs, version } = data;
  const time = () => new Date(mtimeMs);
  return {
    size,
    mode,
    version,
    mtimeMs,
    atimeMs: mtimeMs,
    ctimeMs: mtimeMs,
    birthtimeMs: mtimeMs,
    mtime: time(),
    atime: time(),
    ctime: time(),
    birthtime: time(),
    // The same values as in the Repl's guest.
    dev: 1,
    ino,
    nlink: 1,
    uid: 0,
    gid: 0,
    rdev: 0,
    blksize: 4096,
    blocks: Math.ceil(size / 512),
    ...kindPredicates(kind),
  };
}

/** `parentPath` is absolute. */
export function createDirent(name: string, parentPath: string, kind: NodeKind): Dirent {
  return { name, parentPath, ...kindPredicates(kind) };
}

/** Returns a file's bytes, the bytes of a link's target, or 0 for a directory. */
export function sizeOf(node: TreeNode): number {
  if (node.kind === 'file') return node.size;
  return node.kind === 'symlink' ? new TextEncoder().encode(node.target).length : 0;
}

/**
 * Programs take two paths with the same `ino` for one file, and refuse to copy it onto itself. The
 * tree has no inodes, so this is a hash of the path, of 53 bits.
 */
function inodeOf(path: string): number {
  let high = 0x811c9dc5;
  let low = 0x1b873593;
  for (let at = 0; at < path.length; at += 1) {
    const unit = path.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low ^ unit, 0x85ebca6b) ^ (low >>> 15);
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}

function kindPredicates(kind: NodeKind) {
  return {
    isFile: () => kind === 'file',
    isDirectory: () => kind === 'directory',
    isSymbolicLink: () => kind === 'symlink',
  };
}
