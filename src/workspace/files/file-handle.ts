// Node's FileHandle over an open path. It has the flags, the position and whether it is closed.
// Each operation calls the file system. So it works over any FileSystem, also in another realm, and
// leaks nothing.
import type { FsCall } from './access.ts';
import { toBufferRange, toPosition } from './file-arguments.ts';
import type { BufferOptions } from './file-arguments.ts';
import { checkEncoding, fromSharedBytes, toOwnBytes } from './file-data.ts';
import type {
  BinaryOption,
  Encoding,
  EncodingOption,
  FileData,
  FileMode,
  FileTime,
  OpenFlag,
  WriteFileOptions,
} from './file-options.ts';
import type { FileHandle, FileSystem, ReadResult, Stats, WriteResult } from './file-system.ts';
import { createFsError } from './fs-error.ts';
import { notOpenedFor, parseOpenFlags } from './open-flags.ts';
import type { OpenFlags } from './open-flags.ts';

type HandleFiles = Pick<
  FileSystem,
  'openPath' | 'readPart' | 'writePart' | 'stat' | 'truncate' | 'chmod' | 'utimes'
>;

// 16 KiB: Node's size for a read without a buffer.
const usualReadBytes = 16_384;

/** Implements `open` with the operations of a file system. */
export async function openFileHandle(
  fs: HandleFiles,
  path: string,
  flags?: OpenFlag | null,
  mode?: FileMode | null,
): Promise<FileHandle> {
  const parsed = parseOpenFlags(flags, 'r', { syscall: 'open', path });
  return new PathHandle(fs, await fs.openPath(path, flags, mode), parsed);
}

/** The contract of each method is at {@link FileHandle}. */
class PathHandle implements FileHandle {
  readonly path: string;
  readonly #fs: HandleFiles;
  readonly #flags: OpenFlags;
  /** Where the next operation without a position begins. */
  #position = 0;
  #isClosed = false;
  /** The last operation, settled or not. The next one waits for it. Never rejects. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(fs: HandleFiles, path: string, flags: OpenFlags) {
    this.#fs = fs;
    this.path = path;
    this.#flags = flags;
  }

  async read<View extends ArrayBufferView>(
    bufferOrOptions?: View | (BufferOptions & { readonly buffer?: View | undefined }) | null,
    offsetOrOptions?: number | BufferOptions | null,
    length?: number | null,
    position?: number | bigint | null,
  ): Promise<ReadResult<View>> {
    const call = this.#call('read');
    const range =
      bufferOrOptions == null || !ArrayBuffer.isView(bufferOrOptions)
        ? // The cast: without a buffer, View is its default type, which is created here.
          toBufferRange(
            bufferOrOptions?.buffer ?? (new Uint8Array(usualReadBytes) as ArrayBufferView as View),
            bufferOrOptions,
            null,
            null,
            call,
          )
        : toBufferRange(bufferOrOptions, offsetOrOptions, length, position, call);
    return this.#enqueue(call, async () => {
      // As in Node, reading zero bytes never fails.
      if (range.bytes.length === 0) return { bytesRead: 0, buffer: range.buffer };
      const bytes = await this.#readAt(range.position, range.bytes.length, call);
      range.bytes.set(bytes);
      return { bytesRead: bytes.length, buffer: range.buffer };
    });
  }

  async write<Data extends FileData>(
    data: Data,
    offsetOrPosition?: number | BufferOptions | null,
    lengthOrEncoding?: number | Encoding | null,
    position?: number | null,
  ): Promise<WriteResult<Data>> {
    const call = this.#call('write');
    const { bytes, at } = toWritten(data, offsetOrPosition, lengthOrEncoding, position, call);
    return this.#enqueue(call, async () => {
      await this.#writeAt(at, bytes, call);
      return { bytesWritten: bytes.length, buffer: data };
    });
  }

  async readFile(options: EncodingOption): Promise<string>;
  async readFile(options?: BinaryOption): Promise<Uint8Array<ArrayBuffer>>;
  async readFile(
    options?: EncodingOption | BinaryOption,
  ): Promise<string | Uint8Array<ArrayBuffer>> {
    const call = this.#call('read');
    checkEncoding(options, call);
    return this.#enqueue(call, async () =>
      fromSharedBytes(await this.#readAt(null, undefined, call), options, call),
    );
  }

  async writeFile(data: FileData, options?: WriteFileOptions): Promise<void> {
    const call = this.#call('write');
    const encoding = typeof options === 'object' ? options?.encoding : options;
    const bytes = toOwnBytes(data, encoding, call);
    return this.#enqueue(call, async () => {
      // As in Node, writing zero bytes never fails.
      if (bytes.length > 0) await this.#writeAt(null, bytes, call);
    });
  }

  appendFile(data: FileData, options?: WriteFileOptions): Promise<void> {
    return this.writeFile(data, options);
  }

  stat(): Promise<Stats> {
    return this.#enqueue(this.#call('fstat'), () => this.#fs.stat(this.path));
  }

  truncate(length = 0): Promise<void> {
    const call = this.#call('ftruncate');
    return this.#enqueue(call, async () => {
      if (!this.#flags.write) throw createFsError('EINVAL', call);
      await this.#fs.truncate(this.path, length);
    });
  }

  sync(): Promise<void> {
    // A write resolves once it is as durable as this file system makes it, so `sync` only waits for
    // earlier writes.
    return this.#enqueue(this.#call('fsync'), async () => {});
  }

  datasync(): Promise<void> {
    return this.#enqueue(this.#call('fdatasync'), async () => {});
  }

  chmod(mode: FileMode): Promise<void> {
    return this.#enqueue(this.#call('fchmod'), () => this.#fs.chmod(this.path, mode));
  }

  utimes(atime: FileTime, mtime: FileTime): Promise<void> {
    return this.#enqueue(this.#call('futimes'), () => this.#fs.utimes(this.path, atime, mtime));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #call(syscall: string): FsCall {
    return { syscall, path: this.path };
  }

  /**
   * Runs operations in the order of the calls, so that two writes at the current position don't
   * overlap.
   */
  async #enqueue<Result>(call: FsCall, operate: () => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw createFsError('EBADF', call);
    const result = this.#last.then(operate);
    this.#last = result.then(
      () => {},
      () => {},
    );
    return result;
  }

  /** With `at` null, reads from the current position and advances it. */
  async #readAt(at: number | null, length: number | undefined, call: FsCall): Promise<Uint8Array> {
    if (!this.#flags.read) throw notOpenedFor('reading', call);
    const bytes = await this.#fs.readPart(this.path, at ?? this.#position, length);
    if (at === null) this.#position += bytes.length;
    return bytes;
  }

  /** Same as for reading. A handle for appending writes at the file's end at that time. */
  async #writeAt(at: number | null, bytes: Uint8Array, call: FsCall): Promise<void> {
    if (!this.#flags.write) throw notOpenedFor('writing', call);
    const position = this.#flags.append ? 'end' : (at ?? this.#position);
    const end = await this.#fs.writePart(this.path, position, bytes);
    if (at === null) this.#position = end;
  }
}

/** Reads Node's two forms of `write`: a part of a buffer, or a string in an encoding. */
export function toWritten(
  data: FileData,
  offsetOrPosition: number | BufferOptions | null | undefined,
  lengthOrEncoding: number | Encoding | null | undefined,
  position: number | null | undefined,
  call: FsCall,
): { readonly bytes: Uint8Array; readonly at: number | null } {
  if (typeof data === 'string') {
    const bytes = toOwnBytes(data, lengthOrEncoding, call);
    return { bytes, at: toPosition(offsetOrPosition, call) };
  }
  const length = lengthOrEncoding as number | null | undefined;
  const range = toBufferRange(data, offsetOrPosition, length, position, call);
  return { bytes: range.bytes.slice(), at: range.position };
}
