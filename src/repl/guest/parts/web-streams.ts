// WHATWG streams with default readers and writers. BYOB readers and transfer aren't supported.
import type { Kernel } from '../kernel-type.ts';
import { ReadableStream, ReadableStreamDefaultReader } from '../web-streams/readable.ts';
import { defer, wants, type Strategy } from '../web-streams/shared.ts';
import { makeWritable } from '../web-streams/writable.ts';

/** Returns the classes. */
export function addWebStreams(kernel: Kernel) {
  const { host } = kernel;
  const { WritableStream, WritableStreamDefaultWriter } = makeWritable(kernel);

  class TransformStream {
    readonly readable: ReadableStream;
    readonly writable: InstanceType<typeof WritableStream>;
    constructor(transformer: any = {}, writing?: Strategy, reading?: Strategy) {
      let source;
      let sink;
      // True while the readable side has no room. `changed` resolves when that changes.
      let isFull = true;
      let changed = defer();
      const setFull = (value: boolean) => {
        isFull = value;
        changed.resolve();
        changed = defer();
      };
      const controller = {
        get desiredSize() {
          return source.desiredSize;
        },
        enqueue: (chunk) => {
          source.enqueue(chunk);
          if (!isFull && !this.readable[wants]()) setFull(true);
        },
        error: (error) => {
          source.error(error);
          sink.error(error);
        },
        terminate: () => {
          source.close();
          sink.error(new TypeError('The transform was terminated'));
        },
      };
      this.readable = new ReadableStream(
        {
          start(own) {
            source = own;
          },
          pull() {
            setFull(false);
            return changed.promise;
          },
          async cancel(reason) {
            sink.error(reason);
            setFull(false);
            await transformer?.cancel?.(reason);
          },
        },
        reading ?? { highWaterMark: 0 },
      );
      this.writable = new WritableStream(
        {
          start(own) {
            sink = own;
            return transformer?.start?.(controller);
          },
          async write(chunk) {
            while (isFull) await changed.promise;
            try {
              if (typeof transformer?.transform === 'function')
                await transformer.transform(chunk, controller);
              else controller.enqueue(chunk);
            } catch (error) {
              source.error(error);
              throw error;
            }
          },
          async close() {
            try {
              await transformer?.flush?.(controller);
              source.close();
            } catch (error) {
              source.error(error);
              throw error;
            }
          },
          async abort(reason) {
            source.error(reason);
            setFull(false);
            await transformer?.cancel?.(reason);
          },
        },
        writing,
      );
    }
  }

  class ByteLengthQueuingStrategy {
    readonly highWaterMark: number;
    constructor({ highWaterMark }) {
      this.highWaterMark = highWaterMark;
    }
    size(chunk) {
      return chunk.byteLength;
    }
  }
  class CountQueuingStrategy {
    readonly highWaterMark: number;
    constructor({ highWaterMark }) {
      this.highWaterMark = highWaterMark;
    }
    size() {
      return 1;
    }
  }

  class TextEncoderStream extends TransformStream {
    readonly encoding = 'utf-8';
    constructor() {
      super({
        transform(chunk, controller) {
          const bytes = host.encodeText(String(chunk));
          if (bytes.length > 0) controller.enqueue(bytes);
        },
      });
    }
  }
  class TextDecoderStream extends TransformStream {
    readonly encoding: string;
    constructor(label = 'utf-8', options?) {
      const decoder = new (kernel.TextDecoder as any)(label, options);
      const put = (controller, text: string) => {
        if (text !== '') controller.enqueue(text);
      };
      super({
        transform: (chunk, controller) => put(controller, decoder.decode(chunk, { stream: true })),
        flush: (controller) => put(controller, decoder.decode()),
      });
      this.encoding = decoder.encoding;
    }
  }
  /** Collects all data and processes it at the end. */
  const zipper = (formats: Record<string, string>) =>
    class extends TransformStream {
      constructor(format: string) {
        const name = Object.hasOwn(formats, format) ? formats[format] : undefined;
        if (name === undefined)
          throw new TypeError(
            "Unsupported format: '" + format + "'. There are " + Object.keys(formats).join(', '),
          );
        const pieces: Uint8Array[] = [];
        super({
          transform(chunk) {
            const bytes = kernel.plainBytes(chunk);
            if (bytes === undefined) throw new TypeError('A chunk must be bytes');
            pieces.push(bytes);
          },
          flush(controller) {
            const bytes = host.zip(name, kernel.Buffer.concat(pieces), -1);
            if (typeof bytes === 'string')
              throw new TypeError('The compressed data is not valid, or ends too early');
            controller.enqueue(bytes);
          },
        });
      }
    };
  const names = (to: readonly string[]) =>
    Object.fromEntries(
      ['gzip', 'deflate', 'deflate-raw'].map((name, at) => [name, to[at] as string]),
    );
  class CompressionStream extends zipper(names(['gzip', 'deflate', 'deflateRaw'])) {}
  class DecompressionStream extends zipper(names(['gunzip', 'inflate', 'inflateRaw'])) {}

  return {
    ReadableStream,
    ReadableStreamDefaultReader,
    WritableStream,
    WritableStreamDefaultWriter,
    TransformStream,
    ByteLengthQueuingStrategy,
    CountQueuingStrategy,
    TextEncoderStream,
    TextDecoderStream,
    CompressionStream,
    DecompressionStream,
  };
}
