// Node's numeric file descriptors for the synchronous interface. Each is an open path and a
// position, as in a FileHandle. Numbers belong to one view and end with it.
import type { FsCall } from './access.ts';
import { toBufferRange } from './file-arguments.ts';
import type { BufferOptions } from './file-arguments.ts';
import { toWritten } from './file-handle.ts';
import type { Encoding, FileData } from './file-options.ts';
import type { SyncFileSystem } from './file-system.ts';
import { createFsError } from './fs-error.ts';
import { notOpenedFor, parseOpenFlags } from './open-flags.ts';
import type { OpenFlags } from './open-flags.ts';

/** The functions of the synchronous interface that take descriptors. */
type DescriptorOperations = Pick<
  SyncFileSystem,
  | 'openSync'
  | 'readSync'
  | 'writeSync'
  | 'fstatSync'
  | 'ftruncateSync'
  | 'fsyncSync'
  | 'fdatasyncSync'
  | 'fchmodSync'
  | 'futimesSync'
  | 'closeSync'
>;

/** The functions from which they are built. */
type DescriptorFiles = Pick<
  SyncFileSystem,
  | 'openPathSync'
  | 'readPartSync'
  | 'writePartSync'
  | 'statSync'
  | 'truncateSync'
  | 'chmodSync'
  | 'utimesSync'
>;

/** The state of one descriptor. */
interface OpenFile {
  readonly path: string;
  readonly flags: OpenFlags;
  position: number;
}

// 3: lower numbers are Node's standard streams, which views don't have.
const firstDescriptor = 3;

/** Creates the table of descriptors of one view. */
export function createDescriptors(fs: DescriptorFiles): DescriptorOperations {
  const open = new Map<number, OpenFile>();

  function find(descriptor: number, syscall: string): { file: OpenFile; call: FsCall } {
    const file = open.get(descriptor);
    if (!file) throw createFsError('EBADF', { syscall, path: String(descriptor) });
    return { file, call: { syscall, path: file.path } };
  }

  function writeSync(
    descriptor: number,
    data: FileData,
    offsetOrPosition?: number | BufferOptions | null,
    lengthOrEncoding?: number | Encoding | null,
    position?: number | null,
  ): number {
    const { file, call } = find(descriptor, 'write');
    const { bytes, at } = toWritten(data, offsetOrPosition, lengthOrEncoding, position, call);
    if (!file.flags.write) throw notOpenedFor('writing', call);
    const from = file.flags.append ? 'end' : (at ?? file.position);
    const end = fs.writePartSync(file.path, from, bytes);
    if (at === null) file.position = end;
    return bytes.length;
  }

  return {
    writeSync,
    openSync(path, flags, mode) {
      const parsed = parseOpenFlags(flags, 'r', { syscall: 'open', path });
      const realPath = fs.openPathSync(path, flags, mode);
      let descriptor = firstDescriptor;
      while (open.has(descriptor)) descriptor += 1;
      open.set(descriptor, { path: realPath, flags: parsed, position: 0 });
      return descriptor;
    },
    readSync(descriptor, buffer, offset, length, position) {
      const { file, call } = find(descriptor, 'read');
      const range = toBufferRange(buffer, offset, length, position, call);
      // As in Node, reading zero bytes never fails.
      if (range.bytes.length === 0) return 0;
      if (!file.flags.read) throw notOpenedFor('reading', call);
      const from = range.position ?? file.position;
      const bytes = fs.readPartSync(file.path, from, range.bytes.length);
      range.bytes.set(bytes);
      if (range.position === null) file.position += bytes.length;
      return bytes.length;
    },
    fstatSync: (descriptor) => fs.statSync(find(descriptor, 'fstat').file.path),
    ftruncateSync(descriptor, length = 0) {
      const { file, call } = find(descriptor, 'ftruncate');
      if (!file.flags.write) throw createFsError('EINVAL', call);
      fs.truncateSync(file.path, length);
    },
    // Nothing to flush: a draft becomes durable with its commit.
    fsyncSync: (descriptor) => void find(descriptor, 'fsync'),
    fdatasyncSync: (descriptor) => void find(descriptor, 'fdatasync'),
    fchmodSync: (descriptor, mode) => fs.chmodSync(find(descriptor, 'fchmod').file.path, mode),
    futimesSync(descriptor, atime, mtime) {
      fs.utimesSync(find(descriptor, 'futimes').file.path, atime, mtime);
    },
    closeSync(descriptor) {
      find(descriptor, 'close');
      open.delete(descriptor);
    },
  };
}
