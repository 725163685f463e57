// `fromWeb` and `toWeb` of Node's streams. Closing, ending or failing one stream does the same to
// the other.
import type { Kernel } from '../kernel-type.ts';
import type { Callback, Stream } from './stream-side.ts';

/** Adds the functions to the classes. */
export function addWebAdapters(kernel: Kernel, { Readable, Writable, Duplex, finished }) {
  const web = () => kernel.part('web-streams');

  function checked(value, name: string, kind: string) {
    if (!(value instanceof web()[kind]))
      throw kernel.invalidType(name, 'an instance of ' + kind, value);
    return value;
  }

  /** Returns the methods of a Readable over a web stream. */
  function reading(source) {
    const reader = source.getReader();
    let isOver = false;
    reader.closed.then(
      () => (isOver = true),
      () => (isOver = true),
    );
    return {
      read(this: Stream) {
        reader.read().then(
          ({ done, value }) => this.push(done ? null : value),
          (error) => this.destroy(error),
        );
      },
      destroy(error, callback: Callback) {
        const end = () => callback(error);
        if (isOver) end();
        else reader.cancel(error).then(end, end);
      },
    };
  }

  /** Returns the methods of a Writable over a web stream. */
  function writing(target) {
    const writer = target.getWriter();
    let isOver = false;
    writer.closed.then(
      () => (isOver = true),
      () => (isOver = true),
    );
    return {
      write(chunk, _encoding, callback: Callback) {
        writer.ready.then(() => writer.write(chunk)).then(() => callback(), callback);
      },
      final(callback: Callback) {
        writer.close().then(() => callback(), callback);
      },
      destroy(error, callback: Callback) {
        const end = () => callback(error);
        if (isOver) end();
        else writer.abort(error).then(end, end);
      },
    };
  }

  function readableToWeb(stream: Stream, options: { strategy?: object } = {}) {
    const isObjects = Boolean(stream.readableObjectMode);
    const highWaterMark = stream.readableHighWaterMark;
    const usual = isObjects
      ? { highWaterMark }
      : { highWaterMark, size: (chunk) => chunk.byteLength };
    return new (web().ReadableStream as any)(
      {
        start(controller) {
          stream.pause();
          stream.on('data', (chunk) => {
            // Converts a Buffer to a plain Uint8Array, because web streams don't know Buffer.
            const isBuffer = !isObjects && chunk instanceof Uint8Array;
            controller.enqueue(
              isBuffer ? new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength) : chunk,
            );
            if (controller.desiredSize <= 0) stream.pause();
          });
          finished(stream, { writable: false }, (error) => {
            if (error) controller.error(error);
            else controller.close();
          });
        },
        pull() {
          stream.resume();
        },
        cancel(reason) {
          stream.on('error', () => {});
          stream.destroy(reason);
        },
      },
      options.strategy ?? usual,
    );
  }

  function writableToWeb(stream: Stream) {
    return new (web().WritableStream as any)(
      {
        start(controller) {
          finished(stream, { readable: false }, (error) => {
            if (error) controller.error(error);
          });
        },
        write(chunk) {
          if (stream.write(chunk)) return undefined;
          return new Promise<void>((resolve) => stream.once('drain', resolve));
        },
        close() {
          return new Promise<void>((resolve, reject) => {
            finished(stream, { readable: false }, (error) => {
              if (error) reject(error);
              else resolve();
            });
            stream.end();
          });
        },
        abort(reason) {
          stream.destroy(reason);
        },
      },
      { highWaterMark: stream.writableHighWaterMark, size: (chunk) => chunk?.byteLength ?? 1 },
    );
  }

  Object.assign(Readable, {
    fromWeb: (source, options = {}) =>
      new Readable({
        ...options,
        ...reading(checked(source, 'readableStream', 'ReadableStream')),
      }),
    toWeb: readableToWeb,
  });
  Object.assign(Writable, {
    fromWeb: (target, options = {}) =>
      new Writable({
        ...options,
        ...writing(checked(target, 'writableStream', 'WritableStream')),
      }),
    toWeb: writableToWeb,
  });
  Object.assign(Duplex, {
    fromWeb(pair, options = {}) {
      const reads = reading(checked(pair?.readable, 'pair.readable', 'ReadableStream'));
      const writes = writing(checked(pair?.writable, 'pair.writable', 'WritableStream'));
      return new Duplex({
        ...options,
        ...reads,
        ...writes,
        destroy(error, callback: Callback) {
          writes.destroy(error, () => reads.destroy(error, callback));
        },
      });
    },
    toWeb: (stream: Stream) => ({
      readable: readableToWeb(stream),
      writable: writableToWeb(stream),
    }),
  });
}
