// Open files: descriptors and FileHandles. Each is a path and a position held in the guest, so
// snapshots contain it and a rollback restores it.
import type { Kernel } from '../kernel-type.ts';

interface OpenFile {
  readonly path: string;
  position: number;
  readonly canRead: boolean;
  readonly canWrite: boolean;
  readonly appends: boolean;
}

interface ReadOptions {
  readonly buffer?: Uint8Array;
  readonly offset?: number;
  readonly length?: number;
  readonly position?: number | null;
}

/** Returns the functions from which fs makes its own. */
export function addOpenFiles(kernel: Kernel) {
  const { host } = kernel;
  const open = new Map<number, OpenFile>();
  // 3: lower numbers are Node's standard streams, which aren't files here.
  const firstDescriptor = 3;

  function fsError(code: string, text: string, syscall: string) {
    const failure = new Error(code + ': ' + text + ', ' + syscall);
    return Object.assign(failure, { errno: kernel.errnos[code], code, syscall });
  }
  function find(fd: unknown, syscall: string): OpenFile {
    if (typeof fd !== 'number') throw kernel.invalidType('fd', 'of type number', fd);
    const file = open.get(fd);
    if (file === undefined) throw fsError('EBADF', 'bad file descriptor', syscall);
    return file;
  }
  function readFlags(flags: string | number) {
    const isNumber = typeof flags === 'number';
    const text = String(flags);
    return {
      canRead: isNumber ? (flags & 3) !== 1 : /r|\+/.test(text),
      canWrite: isNumber ? (flags & 3) !== 0 : /[wa+]/.test(text),
      appends: isNumber ? (flags & 1024) !== 0 : text.includes('a'),
    };
  }

  /**
   * Reads the arguments (buffer, offset, length, position) or (buffer, {offset, length, position}).
   * Returns the bytes to use.
   */
  function range(buffer: unknown, offset, length, position) {
    if (typeof offset === 'object' && offset !== null)
      return range(buffer, offset.offset, offset.length, offset.position);
    const bytes = kernel.plainBytes(buffer);
    if (bytes === undefined)
      throw kernel.invalidType('buffer', 'an instance of Buffer, TypedArray, or DataView', buffer);
    const from = offset ?? 0;
    const to = from + (length ?? bytes.length - from);
    if (!(from >= 0 && from <= bytes.length))
      throw kernel.outOfRange('offset', '>= 0 && <= ' + bytes.length, from);
    if (!(to >= from && to <= bytes.length))
      throw kernel.outOfRange('length', '>= 0 && <= ' + (bytes.length - from), length);
    return {
      bytes: bytes.subarray(from, to),
      at:
        position === undefined || position === null || position < 0 ? undefined : Number(position),
    };
  }
  function writeBytes(file: OpenFile, bytes: Uint8Array, at: number | undefined): number {
    if (!file.canWrite) throw fsError('EBADF', 'bad file descriptor', 'write');
    const end = host.writePart(file.path, file.appends ? -1 : (at ?? file.position), bytes);
    if (at === undefined) file.position = end;
    return bytes.length;
  }
  function readBytes(file: OpenFile, at: number | undefined, length: number) {
    if (!file.canRead) throw fsError('EBADF', 'bad file descriptor', 'read');
    const bytes = host.readPart(file.path, at ?? file.position, length);
    if (at === undefined) file.position += bytes.length;
    return bytes;
  }

  function inPieces(
    pieces: Uint8Array[],
    position: number | null | undefined,
    act: (piece: Uint8Array, at: number | null) => number,
  ): number {
    let count = 0;
    for (const piece of pieces)
      count += act(piece, typeof position === 'number' ? position + count : null);
    return count;
  }

  const api = {
    open(path: unknown, flags: string | number = 'r', mode?) {
      host.checkHandles(open.size);
      const real = host.openPath(
        kernel.toPath(path),
        flags,
        typeof mode === 'string' ? parseInt(mode, 8) : mode,
      );
      let fd = firstDescriptor;
      while (open.has(fd)) fd += 1;
      open.set(fd, { path: real, position: 0, ...readFlags(flags) });
      return fd;
    },
    close(fd: number) {
      find(fd, 'close');
      open.delete(fd);
    },
    read(fd: unknown, buffer: Uint8Array, offset, length, position) {
      const { bytes, at } = range(buffer, offset, length, position);
      const read = readBytes(find(fd, 'read'), at, bytes.length);
      bytes.set(read);
      return read.length;
    },
    write(fd: unknown, data: unknown, offset?, length?, position?): number {
      const file = find(fd, 'write');
      // The form (fd, text, position, encoding).
      if (typeof data === 'string')
        return writeBytes(file, kernel.encode(data, length ?? 'utf8'), offset ?? undefined);
      const { bytes, at } = range(data, offset, length, position);
      return writeBytes(file, bytes, at);
    },
    readv: (fd: unknown, pieces: Uint8Array[], position?: number | null) =>
      inPieces(pieces, position, (piece, at) => api.read(fd, piece, 0, undefined, at)),
    writev: (fd: unknown, pieces: Uint8Array[], position?: number | null) =>
      inPieces(pieces, position, (piece, at) => api.write(fd, piece, 0, undefined, at)),
    futimes(fd: unknown, atime: number, mtime: number) {
      host.utimes(find(fd, 'futime').path, atime, mtime);
    },
    fchmod(fd: unknown, mode: number) {
      host.chmod(find(fd, 'fchmod').path, mode);
    },
    fstat: (fd: unknown) => kernel.statOf(find(fd, 'fstat').path),
    ftruncate(fd: unknown, length = 0) {
      const file = find(fd, 'ftruncate');
      if (!file.canWrite) throw fsError('EINVAL', 'invalid argument', 'ftruncate');
      host.truncate(file.path, length);
    },
    // Nothing to flush: a draft becomes durable when it is committed.
    fsync(fd) {
      find(fd, 'fsync');
    },
    fdatasync(fd) {
      find(fd, 'fdatasync');
    },
    /** Reads from the current position to the end, as Node does for a descriptor. */
    readAll(fd: unknown, encoding: string | undefined) {
      const buffer = kernel.toBuffer(readBytes(find(fd, 'read'), undefined, 2 ** 31));
      return encoding === undefined ? buffer : buffer.toString(encoding);
    },
    writeAll(fd: unknown, content: string | Uint8Array) {
      writeBytes(
        find(fd, 'write'),
        typeof content === 'string' ? host.encodeText(content) : content,
        undefined,
      );
    },
    openHandle: (path: unknown, flags?: string | number, mode?: unknown) =>
      new FileHandle(api.open(path, flags, mode)),
  };

  const encodingOf = (options): string | undefined =>
    typeof options === 'string' ? options : (options?.encoding ?? undefined);
  class FileHandle {
    #fd: number;
    constructor(fd: number) {
      this.#fd = fd;
    }
    get fd() {
      return this.#fd;
    }
    async read(
      buffer: Uint8Array | ReadOptions = kernel.Buffer.alloc(16384),
      offset,
      length,
      position,
    ) {
      const given: ReadOptions & { buffer: Uint8Array } =
        kernel.plainBytes(buffer) === undefined
          ? { ...buffer, buffer: (buffer as ReadOptions).buffer ?? kernel.Buffer.alloc(16384) }
          : { buffer: buffer as Uint8Array };
      const bytesRead = api.read(
        this.#fd,
        given.buffer,
        offset ?? given.offset,
        length ?? given.length,
        position ?? given.position,
      );
      return { bytesRead, buffer: given.buffer };
    }
    async write(data: unknown, offset?: unknown, length?: unknown, position?: unknown) {
      return { bytesWritten: api.write(this.#fd, data, offset, length, position), buffer: data };
    }
    async readFile(options) {
      return api.readAll(this.#fd, encodingOf(options));
    }
    async writeFile(data, options) {
      api.writeAll(this.#fd, kernel.toData(data, encodingOf(options)));
    }
    async appendFile(data, options) {
      return this.writeFile(data, options);
    }
    async *readLines(options) {
      const lines = String(api.readAll(this.#fd, encodingOf(options) ?? 'utf8')).split(/\r?\n/);
      if (lines.at(-1) === '') lines.pop();
      yield* lines;
    }
    createReadStream(options?: object) {
      return this.#stream('ReadStream', options);
    }
    createWriteStream(options?: object) {
      return this.#stream('WriteStream', options);
    }
    /** The end of the stream closes the handle unless `autoClose` is false. */
    #stream(kind: 'ReadStream' | 'WriteStream', options?: { autoClose?: boolean }) {
      const make = kernel.part('file-streams')[kind] as (...args) => any;
      const stream = make('', { ...options, fd: this.#fd });
      if (options?.autoClose !== false) stream.once('close', () => (this.#fd = -1));
      return stream;
    }
    async stat() {
      return api.fstat(this.#fd);
    }
    async truncate(length) {
      api.ftruncate(this.#fd, length);
    }
    async readv(pieces: Uint8Array[], position?: number) {
      return { bytesRead: api.readv(this.#fd, pieces, position), buffers: pieces };
    }
    async writev(pieces: Uint8Array[], position?: number) {
      return { bytesWritten: api.writev(this.#fd, pieces, position), buffers: pieces };
    }
    async utimes(atime: unknown, mtime: unknown) {
      kernel.fs['futimesSync'](this.#fd, atime, mtime);
    }
    async chmod(mode: unknown) {
      kernel.fs['fchmodSync'](this.#fd, mode);
    }
    async sync() {
      api.fsync(this.#fd);
    }
    async datasync() {
      api.fsync(this.#fd);
    }
    async close() {
      if (this.#fd === -1) return;
      api.close(this.#fd);
      this.#fd = -1;
    }
    [Symbol.asyncDispose]() {
      return this.close();
    }
  }
  return api;
}
