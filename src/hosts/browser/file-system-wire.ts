// What file operations return, as data that can be cloned: Stats and Dirents have methods, errors
// have codes. Each pair of functions is one the other's inverse.
import { fromSerializedError, toSerializedError } from '../../core/errors.ts';
import type { SerializedError } from '../../core/errors.ts';
import type { Dirent, Stats } from '../../workspace/file-system.ts';
import type { FileSystemOperation } from './protocol.ts';

type Kind = 'file' | 'directory' | 'symlink';

interface StatsRecord {
  readonly kind: Kind;
  readonly size: number;
  readonly mode: number;
  readonly mtimeMs: number;
  readonly version: number;
}

interface DirentRecord {
  readonly kind: Kind;
  readonly name: string;
  readonly parentPath: string;
}

/** In the FS worker. Inverse: {@link fromWire}. */
export function toWire(operation: FileSystemOperation, value: unknown): unknown {
  switch (operation) {
    case 'stat':
    case 'lstat':
      return toStatsRecord(value as Stats);
    case 'readdir':
      return (value as (string | Dirent)[]).map((entry) =>
        typeof entry === 'string' ? entry : toDirentRecord(entry),
      );
    case 'readMany':
      return (value as (Uint8Array | Error)[]).map((content) =>
        content instanceof Uint8Array ? content : toSerializedError(content),
      );
    default:
      return value;
  }
}

/** On the page. Inverse: {@link toWire}. */
export function fromWire(operation: FileSystemOperation, value: unknown): unknown {
  switch (operation) {
    case 'stat':
    case 'lstat':
      return fromStatsRecord(value as StatsRecord);
    case 'readdir':
      return (value as (string | DirentRecord)[]).map((entry) =>
        typeof entry === 'string' ? entry : fromDirentRecord(entry),
      );
    case 'readMany':
      return (value as (Uint8Array | SerializedError)[]).map((content) =>
        content instanceof Uint8Array ? content : fromSerializedError(content),
      );
    default:
      return value;
  }
}

function kindOf(node: Pick<Stats, 'isDirectory' | 'isSymbolicLink'>): Kind {
  if (node.isDirectory()) return 'directory';
  return node.isSymbolicLink() ? 'symlink' : 'file';
}

function kindMethods(kind: Kind): Pick<Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink'> {
  return {
    isFile: () => kind === 'file',
    isDirectory: () => kind === 'directory',
    isSymbolicLink: () => kind === 'symlink',
  };
}

function toStatsRecord(stats: Stats): StatsRecord {
  const { size, mode, mtimeMs, version } = stats;
  return { kind: kindOf(stats), size, mode, mtimeMs, version };
}

function fromStatsRecord({ kind, ...numbers }: StatsRecord): Stats {
  return { ...numbers, mtime: new Date(numbers.mtimeMs), ...kindMethods(kind) };
}

function toDirentRecord(entry: Dirent): DirentRecord {
  return { kind: kindOf(entry), name: entry.name, parentPath: entry.parentPath };
}

function fromDirentRecord({ kind, ...names }: DirentRecord): Dirent {
  return { ...names, ...kindMethods(kind) };
}
