// fs.createReadStream and fs.createWriteStream: over the draft's files, piece by piece.
import type { Kernel } from '../kernel-type.ts';

/** What the streams take of fs, whose types are its part's. */
type Files = Record<'openSync' | 'readSync' | 'writeSync' | 'closeSync', (...args) => any>;

/** Returns both functions. */
export function addFileStreams(kernel: Kernel) {
  const { Readable, Writable } = kernel.part('stream');
  const files = kernel.fs as unknown as Files;
  const optionsOf = (given) => (typeof given === 'string' ? { encoding: given } : (given ?? {}));

  /** Runs a synchronous step and gives what it throws to the stream. */
  function attempt<Value>(callback: (error: unknown, value?: Value) => void, run: () => Value) {
    let value: Value;
    try {
      value = run();
    } catch (error) {
      callback(error);
      return;
    }
    callback(null, value);
  }

  function createReadStream(path, given?) {
    const options = optionsOf(given);
    const { start = 0, end = Infinity, highWaterMark = 64 * 1024, fd: givenFd } = options;
    let position = start;
    const stream = new Readable({
      ...options,
      highWaterMark,
      construct(callback) {
        attempt(callback, () => {
          stream.fd = givenFd ?? files.openSync(path, options.flags ?? 'r');
          stream.emit('open', stream.fd);
          stream.emit('ready');
        });
      },
      read(size) {
        const length = Math.min(size, end - position + 1);
        if (length <= 0) {
          this.push(null);
          return;
        }
        const bytes = kernel.Buffer.alloc(length);
        attempt<number>(
          (error, count = 0) => {
            if (error) {
              this.destroy(error);
              return;
            }
            position += count;
            this.bytesRead += count;
            this.push(count > 0 ? bytes.subarray(0, count) : null);
          },
          () => files.readSync(stream.fd, bytes, 0, length, position),
        );
      },
      destroy(error, callback) {
        attempt(
          (failure) => callback(error ?? failure),
          () => {
            if (typeof stream.fd === 'number' && options.autoClose !== false)
              files.closeSync(stream.fd);
            stream.fd = null;
          },
        );
      },
    });
    return Object.assign(stream, { path, fd: givenFd ?? null, bytesRead: 0, close: closeStream });
  }

  function createWriteStream(path, given?) {
    const options = optionsOf(given);
    let position: number | null = options.start ?? null;
    const stream = new Writable({
      ...options,
      defaultEncoding: options.encoding ?? 'utf8',
      decodeStrings: true,
      construct(callback) {
        attempt(callback, () => {
          stream.fd = options.fd ?? files.openSync(path, options.flags ?? 'w', options.mode);
          stream.emit('open', stream.fd);
          stream.emit('ready');
        });
      },
      write(chunk, _encoding, callback) {
        attempt(callback, () => {
          const count = files.writeSync(stream.fd, chunk, 0, chunk.length, position);
          stream.bytesWritten += count;
          if (position !== null) position += count;
        });
      },
      destroy(error, callback) {
        attempt(
          (failure) => callback(error ?? failure),
          () => {
            if (typeof stream.fd === 'number' && options.autoClose !== false)
              files.closeSync(stream.fd);
            stream.fd = null;
          },
        );
      },
    });
    return Object.assign(stream, {
      path,
      fd: options.fd ?? null,
      bytesWritten: 0,
      close: closeStream,
    });
  }

  function closeStream(this, callback?) {
    if (callback) this.once('close', callback);
    if (this._writableState && !this.writableEnded) this.end();
    else this.destroy();
  }

  return { createReadStream, createWriteStream };
}
