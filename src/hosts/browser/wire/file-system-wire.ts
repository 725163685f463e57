// Converts results of file operations to data that can be cloned: Stats and Dirents have methods,
// and errors have codes. The functions are pairs of inverses.
import { fromSerializedError, toSerializedError } from '../../../core/errors.ts';
import type { SerializedError } from '../../../core/errors.ts';
import { rowOf } from '../../../workspace/files/file-operations.ts';
import type { FileOperation } from '../../../workspace/files/file-operations.ts';
import type { Dirent, Stats } from '../../../workspace/files/file-system.ts';
import {
  createDirent,
  createStats,
  type NodeKind,
  type StatsData,
} from '../../../workspace/files/stats.ts';

/** A Dirent without methods. {@link StatsData} is the same for Stats. */
interface DirentData {
  readonly kind: NodeKind;
  readonly name: string;
  readonly parentPath: string;
}

// The casts: the operation's name decides the type of what it returns, which TypeScript can't follow
// through a union. Both ends are this package's own.

/** Used in the FS worker. Inverse: {@link fromWire}. */
export function toWire(operation: FileOperation, value: unknown): unknown {
  switch (rowOf(operation).gives) {
    case 'stats':
      return toStatsData(value as Stats);
    case 'entries':
      return (value as (string | Dirent)[]).map((entry) =>
        typeof entry === 'string' ? entry : toDirentData(entry),
      );
    case 'contents':
      return (value as (string | Uint8Array | Error)[]).map((content) =>
        content instanceof Error ? toSerializedError(content) : content,
      );
    default:
      return value;
  }
}

/** Used on the page. Inverse: {@link toWire}. */
export function fromWire(operation: FileOperation, value: unknown): unknown {
  switch (rowOf(operation).gives) {
    case 'stats':
      return createStats(value as StatsData);
    case 'entries':
      return (value as (string | DirentData)[]).map((entry) =>
        typeof entry === 'string' ? entry : fromDirentData(entry),
      );
    case 'contents':
      return (value as (string | Uint8Array | SerializedError)[]).map((content) =>
        typeof content === 'string' || content instanceof Uint8Array
          ? content
          : fromSerializedError(content),
      );
    default:
      return value;
  }
}

function kindOf(node: Pick<Stats, 'isDirectory' | 'isSymbolicLink'>): NodeKind {
  if (node.isDirectory()) return 'directory';
  return node.isSymbolicLink() ? 'symlink' : 'file';
}

/** Inverse: `createStats`. */
function toStatsData(stats: Stats): StatsData {
  const { ino, size, mode, mtimeMs, version } = stats;
  return { kind: kindOf(stats), ino, size, mode, mtimeMs, version };
}

/** Inverse: {@link fromDirentData}. */
function toDirentData(entry: Dirent): DirentData {
  return { kind: kindOf(entry), name: entry.name, parentPath: entry.parentPath };
}

/** Inverse: {@link toDirentData}. */
function fromDirentData({ name, parentPath, kind }: DirentData): Dirent {
  return createDirent(name, parentPath, kind);
}
