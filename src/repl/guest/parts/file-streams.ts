// fs.ReadStream and fs.WriteStream over files of the draft, in chunks.
import type { Kernel } from '../kernel-type.ts';
import { isOf, type Callback, type Stream } from '../streams/stream-side.ts';

/** The functions of fs that the streams use. They are typed in fs.ts. */
type Files = Record<'openSync' | 'readSync' | 'writeSync' | 'closeSync', (...args) => any>;

/** Returns both classes. */
export function addFileStreams(kernel: Kernel) {
  const { Readable, Writable } = kernel.part('stream');
  const files = kernel.fs as unknown as Files;
  const optionsOf = (given) => (typeof given === 'string' ? { encoding: given } : (given ?? {}));

  /** Runs a synchronous step and passes its error to the stream's callback. */
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

  function close(this: Stream, error: unknown, callback: Callback) {
    attempt(
      (failure) => callback(error ?? failure),
      () => {
        if (typeof this.fd === 'number' && this.autoClose) files.closeSync(this.fd);
        this.fd = null;
      },
    );
  }
  function open(this: Stream, callback: Callback) {
    attempt(callback, () => {
      this.fd ??= files.openSync(this.path, this.flags, this.mode);
      this.emit('open', this.fd);
      this.emit('ready');
    });
  }

  // Functions and not classes, because old programs inherit by calling them.
  function ReadStream(this: Stream, path, given?) {
    if (!isOf(this, ReadStream)) return new (ReadStream as any)(path, given);
    const options = optionsOf(given);
    const { fd = null, flags = 'r', mode, start = 0, end = Infinity, autoClose = true } = options;
    Object.assign(this, { path, fd, flags, mode, start, end, autoClose, bytesRead: 0, pos: start });
    Readable.call(this, { ...options, highWaterMark: options.highWaterMark ?? 64 * 1024 });
  }
  inherit(ReadStream, Readable, {
    _construct: open,
    _destroy: close,
    _read(this: Stream, size: number) {
      const length = Math.min(size, this.end - this.pos + 1);
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
          this.pos += count;
          this.bytesRead += count;
          this.push(count > 0 ? bytes.subarray(0, count) : null);
        },
        () => files.readSync(this.fd, bytes, 0, length, this.pos),
      );
    },
    close(this: Stream, callback?: Callback) {
      if (callback) this.once('close', callback);
      this.destroy();
    },
  });

  function WriteStream(this: Stream, path, given?) {
    if (!isOf(this, WriteStream)) return new (WriteStream as any)(path, given);
    const options = optionsOf(given);
    const { fd = null, flags = 'w', mode, start, autoClose = true } = options;
    Object.assign(this, { path, fd, flags, mode, start, autoClose, bytesWritten: 0, pos: start });
    const defaultEncoding = options.encoding ?? 'utf8';
    Writable.call(this, { ...options, defaultEncoding, decodeStrings: true });
  }
  inherit(WriteStream, Writable, {
    _construct: open,
    _destroy: close,
    _write(this: Stream, chunk: Uint8Array, _encoding: unknown, callback: Callback) {
      attempt(callback, () => {
        const count = files.writeSync(this.fd, chunk, 0, chunk.length, this.pos ?? null);
        this.bytesWritten += count;
        if (this.pos !== undefined) this.pos += count;
      });
    },
    close(this: Stream, callback?: Callback) {
      if (callback) this.once('close', callback);
      this.end();
    },
  });

  return { ReadStream, WriteStream };
}

function inherit(Kind: Function, Parent: Function, methods: object) {
  Object.setPrototypeOf(Kind, Parent);
  Object.setPrototypeOf(Kind.prototype, Parent.prototype);
  Object.assign(Kind.prototype, methods);
}
