// Node's Stats and Dirent, made from a node of the tree or from plain data of another realm.
import type { Version } from '../../core/change-set.ts';
import type { TreeNode } from '../tree/tree.ts';
import type { Dirent, Stats } from './file-system.ts';

/** What a path can be. There are no devices, pipes or sockets. */
export type NodeKind = TreeNode['kind'];

/** A Stats without its methods: what crosses to another realm. Inverse: {@link createStats}. */
export interface StatsData {
  readonly kind: NodeKind;
  readonly size: number;
  /** Permission and type bits. */
  readonly mode: number;
  readonly mtimeMs: number;
  readonly version: Version;
}

// The type bits of POSIX's st_mode, which Node's `stat.mode` carries.
const typeBits: Record<NodeKind, number> = {
  file: 0o100000,
  directory: 0o040000,
  symlink: 0o120000,
};

/** `version` is given: a draft's own nodes carry none. */
export function toStatsData(node: TreeNode, version: Version): StatsData {
  return {
    kind: node.kind,
    size: sizeOf(node),
    mode: typeBits[node.kind] | (node.kind === 'symlink' ? 0o777 : node.mode),
    mtimeMs: node.mtimeMs,
    version,
  };
}

/** The inverse of taking a Stats' data: the same answers by methods. */
export function createStats(data: StatsData): Stats {
  const { kind, size, mode, mtimeMs, version } = data;
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
    // As the Repl's guest has them.
    dev: 1,
    ino: 0,
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

/** A file's bytes, a link's target in bytes, 0 for a directory. */
export function sizeOf(node: TreeNode): number {
  if (node.kind === 'file') return node.size;
  return node.kind === 'symlink' ? new TextEncoder().encode(node.target).length : 0;
}

function kindPredicates(kind: NodeKind) {
  return {
    isFile: () => kind === 'file',
    isDirectory: () => kind === 'directory',
    isSymbolicLink: () => kind === 'symlink',
  };
}
