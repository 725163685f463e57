// Wraps a descriptor as a FileHandle, so that the contract tests of handles also check the synchronous calls. Methods
// without a synchronous version (readFile, writeFile) are built from others.
import type { BufferOptions } from '../../../src/workspace/files/file-arguments.ts';
import { fromSharedBytes, toOwnBytes } from '../../../src/workspace/files/file-data.ts';
import type {
  BinaryOption,
  EncodingOption,
  FileData,
  FileMode,
  FileTime,
} from '../../../src/workspace/files/file-options.ts';
import type {
  FileHandle,
  Stats,
  SyncFileSystem,
} from '../../../src/workspace/files/file-system.ts';

export class DescriptorHandle implements FileHandle {
  readonly #fs: SyncFileSystem;
  readonly #descriptor: number;
  readonly path: string;
  #isClosed = false;

  constructor(fs: SyncFileSystem, path: string, descriptor: number) {
    this.#fs = fs;
    this.#descriptor = descriptor;
    // Undefined if the file doesn't exist any more. Only the path of a descriptor is resolved.
    this.path = fs.realpathSync(path);
  }

  async read<View extends ArrayBufferView = Uint8Array>(
    first?: View | (BufferOptions & { readonly buffer?: View | undefined }) | null,
    ...rest: (number | bigint | BufferOptions | null | undefined)[]
  ) {
    const isBuffer = ArrayBuffer.isView(first);
    const options = isBuffer ? undefined : (first ?? {});
    const buffer = (isBuffer ? first : (options?.buffer ?? new Uint8Array(16_384))) as View;
    const [offset, length, position] = isBuffer ? rest : [options];
    const bytesRead = this.#fs.readSync(
      this.#descriptor,
      buffer,
      offset as number,
      length as number,
      position as number,
    );
    return { bytesRead, buffer };
  }

  async write<Data extends FileData>(data: Data, ...rest: unknown[]) {
    const write = this.#fs.writeSync as (...all: unknown[]) => number;
    return { bytesWritten: write(this.#descriptor, data, ...rest), buffer: data };
  }

  async readFile(options: EncodingOption): Promise<string>;
  async readFile(options?: BinaryOption): Promise<Uint8Array<ArrayBuffer>>;
  async readFile(options?: EncodingOption | BinaryOption) {
    const buffer = new Uint8Array(1000);
    const bytesRead = this.#fs.readSync(this.#descriptor, buffer);
    return fromSharedBytes(buffer.subarray(0, bytesRead), options, { syscall: 'read', path: '' });
  }

  async writeFile(data: FileData, options?: unknown) {
    const call = { syscall: 'write', path: '' };
    this.#fs.writeSync(this.#descriptor, toOwnBytes(data, options, call));
  }

  async appendFile(data: FileData, options?: unknown) {
    await this.writeFile(data, options);
  }

  async stat(): Promise<Stats> {
    return this.#fs.fstatSync(this.#descriptor);
  }

  async truncate(length?: number) {
    this.#fs.ftruncateSync(this.#descriptor, length);
  }

  async sync() {
    this.#fs.fsyncSync(this.#descriptor);
  }

  async datasync() {
    this.#fs.fdatasyncSync(this.#descriptor);
  }

  async chmod(mode: FileMode) {
    this.#fs.fchmodSync(this.#descriptor, mode);
  }

  async utimes(atime: FileTime, mtime: FileTime) {
    this.#fs.futimesSync(this.#descriptor, atime, mtime);
  }

  /** A descriptor may be closed once, a handle again and again. */
  async close() {
    if (!this.#isClosed) this.#fs.closeSync(this.#descriptor);
    this.#isClosed = true;
  }

  async [Symbol.asyncDispose]() {
    await this.close();
  }
}
