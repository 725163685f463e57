// Node's zlib. The host compresses. A stream's data is compressed at its end or at a flush.
import type { Kernel } from '../kernel-type.ts';
import type { Stream } from '../streams/stream-side.ts';
import { concat, createPacker, createUnpacker, flushes, type ZipPieces } from '../zip-pieces.ts';

const formats = {
  gzip: 'Gzip',
  gunzip: 'Gunzip',
  deflate: 'Deflate',
  inflate: 'Inflate',
  deflateRaw: 'DeflateRaw',
  inflateRaw: 'InflateRaw',
  unzip: 'Unzip',
};

const packs = new Set(['gzip', 'deflate', 'deflateRaw']);

/** zlib's messages about invalid data. */
const faults = {
  cut: ['Z_BUF_ERROR', -5, 'unexpected end of file'],
  invalid: ['Z_DATA_ERROR', -3, 'incorrect header check'],
  changed: ['Z_DATA_ERROR', -3, 'incorrect data check'],
} as const;

const constants = {
  Z_NO_FLUSH: 0,
  Z_PARTIAL_FLUSH: 1,
  Z_SYNC_FLUSH: 2,
  Z_FULL_FLUSH: 3,
  Z_FINISH: 4,
  Z_BLOCK: 5,
  Z_OK: 0,
  Z_STREAM_END: 1,
  Z_NEED_DICT: 2,
  Z_ERRNO: -1,
  Z_STREAM_ERROR: -2,
  Z_DATA_ERROR: -3,
  Z_MEM_ERROR: -4,
  Z_BUF_ERROR: -5,
  Z_NO_COMPRESSION: 0,
  Z_BEST_SPEED: 1,
  Z_BEST_COMPRESSION: 9,
  Z_DEFAULT_COMPRESSION: -1,
  Z_VERSION_ERROR: -6,
  Z_FILTERED: 1,
  Z_HUFFMAN_ONLY: 2,
  Z_RLE: 3,
  Z_FIXED: 4,
  Z_DEFAULT_STRATEGY: 0,
  ZLIB_VERNUM: 4880,
  DEFLATE: 1,
  INFLATE: 2,
  GZIP: 3,
  GUNZIP: 4,
  DEFLATERAW: 5,
  INFLATERAW: 6,
  UNZIP: 7,
  Z_MIN_WINDOWBITS: 8,
  Z_MAX_WINDOWBITS: 15,
  Z_DEFAULT_WINDOWBITS: 15,
  Z_MIN_CHUNK: 64,
  Z_MAX_CHUNK: Infinity,
  Z_DEFAULT_CHUNK: 16384,
  Z_MIN_MEMLEVEL: 1,
  Z_MAX_MEMLEVEL: 9,
  Z_DEFAULT_MEMLEVEL: 8,
  Z_MIN_LEVEL: -1,
  Z_MAX_LEVEL: 9,
  Z_DEFAULT_LEVEL: -1,
  BROTLI_OPERATION_PROCESS: 0,
  BROTLI_OPERATION_FLUSH: 1,
  BROTLI_OPERATION_FINISH: 2,
  BROTLI_PARAM_MODE: 0,
  BROTLI_PARAM_QUALITY: 1,
  BROTLI_PARAM_SIZE_HINT: 5,
};

/** The key of a stream's private state. */
const inner = Symbol('zlib');

/** Returns the module. */
export function addZlib(kernel: Kernel) {
  const { host } = kernel;
  const { nextTick } = kernel.process as unknown as { nextTick: (job, ...args) => void };

  function toBytes(data): Uint8Array<ArrayBuffer> {
    if (typeof data === 'string') return host.encodeText(data);
    const bytes = kernel.plainBytes(data);
    if (bytes === undefined)
      throw kernel.invalidType(
        'buffer',
        'of type string or an instance of Buffer, TypedArray, DataView, or ArrayBuffer',
        data,
      );
    return bytes;
  }
  function run(format: string, data, options?) {
    if (options?.dictionary !== undefined)
      throw kernel.coded(
        Error,
        'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM',
        "zlib's dictionaries aren't available in this sandbox: compress without one",
      );
    const level = Number(options?.level ?? -1);
    if (!(level >= -1 && level <= 9))
      throw kernel.outOfRange('options.level', '>= -1 and <= 9', options?.level);
    const given = toBytes(data);
    let bytes = host.zip(format, given, level);
    // With this option data that ends too early gives what is there.
    if (bytes === 'cut' && options?.finishFlush === constants.Z_SYNC_FLUSH)
      bytes = host.unzipPart(format, given, none);
    if (typeof bytes === 'string') throw faultOf(bytes);
    const most = options?.maxOutputLength ?? Infinity;
    if (bytes.length > most)
      throw kernel.coded(
        RangeError,
        'ERR_BUFFER_TOO_LARGE',
        'Cannot create a Buffer larger than ' + most + ' bytes',
      );
    return kernel.toBuffer(bytes);
  }
  function faultOf(fault: keyof typeof faults): Error {
    const [code, errno, message] = faults[fault];
    return Object.assign(kernel.coded(Error, code, message), { errno });
  }
  const none = new Uint8Array();

  const module: Record<string, any> = { constants, ...constants };
  for (const [format, Name] of Object.entries(formats)) {
    module[format + 'Sync'] = (data, options?) => run(format, data, options);
    module[format] = (data, given, last?) => {
      const callback = typeof given === 'function' ? given : last;
      if (typeof callback !== 'function')
        throw kernel.invalidType('callback', 'of type function', callback);
      const bytes = toBytes(data);
      let result;
      try {
        result = run(format, bytes, typeof given === 'function' ? undefined : given);
      } catch (error) {
        nextTick(callback, error);
        return;
      }
      nextTick(callback, null, result);
    };
    // The stream classes are loaded when one of these is first read.
    const define = (key: string, get: () => unknown) =>
      Object.defineProperty(module, key, { get, enumerable: true, configurable: true });
    define(Name, () => streams()[Name]);
    define('create' + Name, () => (options?) => Reflect.construct(streams()[Name], [options]));
  }

  interface Inner {
    readonly pieces: ZipPieces;
    /** Marker buffers. Writing one to the stream requests a flush of that kind. */
    readonly empty: readonly unknown[];
    readonly held: Uint8Array<ArrayBuffer>[];
    options: any;
    written: number;
    /** Output that didn't fit into the buffer given to `_handle`. */
    rest: Uint8Array<ArrayBuffer>;
  }
  type ZipStream = Stream & { [inner]: Inner };

  function take(stream: ZipStream, bytes: Uint8Array<ArrayBuffer>, flush: number, callback) {
    let made: Uint8Array<ArrayBuffer>;
    try {
      made = stream[inner].pieces.take(bytes, flush);
    } catch (error) {
      // As in Node, what waits for this piece isn't called.
      stream.destroy(error);
      return;
    }
    callback(null, made.length > 0 ? kernel.toBuffer(made) : undefined);
  }
  /** zlib's internal handle, which image decoders use. Writes as much as fits. */
  function handleOf(stream: ZipStream) {
    const state = stream[inner];
    return {
      close() {},
      writeSync(flush, input, from, length, output, at, room) {
        const bytes = toBytes(input).subarray(from, from + length);
        const made = concat([state.rest, state.pieces.take(bytes, flush)]);
        const given = made.subarray(0, room);
        output.set(given, at);
        state.rest = made.subarray(given.length);
        stream._writeState.set([room - given.length, 0]);
      },
    };
  }

  /** Creates the stream classes. Programs may extend them as classes or by calling them. */
  function makeStreams(): Record<string, new (options?) => ZipStream> {
    const { Transform } = kernel.part('stream') as any;
    const classes: Record<string, any> = {};
    const methods = {
      _transform(this: ZipStream, chunk, _encoding, callback) {
        const { empty, held } = this[inner];
        const flush = empty.indexOf(chunk);
        this[inner].written += chunk.length;
        if (flush < 0) held.push(chunk);
        if (flush < 0) callback();
        else take(this, concat(held.splice(0)), flush, callback);
      },
      _flush(this: ZipStream, callback) {
        take(this, concat(this[inner].held.splice(0)), flushes.finish, callback);
      },
      close(this: ZipStream, callback?: () => void) {
        if (callback) this.once('close', callback);
        this.destroy();
      },
      flush(this: ZipStream, kind?: unknown, last?: () => void) {
        const callback = typeof kind === 'function' ? (kind as () => void) : last;
        if (this.writableEnded || this.destroyed) {
          if (callback) nextTick(callback);
          return;
        }
        const { empty } = this[inner];
        this.write(empty[typeof kind === 'number' ? kind : flushes.full], '', callback);
      },
      params(this: ZipStream, level: number, strategy: number, callback?: () => void) {
        methods.flush.call(this, flushes.sync, () => {
          this[inner].options = { ...this[inner].options, level, strategy };
          callback?.();
        });
      },
      reset(this: ZipStream) {
        this[inner].held.length = 0;
        this[inner].pieces.reset();
      },
      // Another internal function of zlib's, which tar uses.
      _processChunk(this: ZipStream, chunk, flush: number, callback?: (...args) => void) {
        if (callback) {
          take(this, chunk, flush, callback);
          return undefined;
        }
        return kernel.toBuffer(this[inner].pieces.take(toBytes(chunk), flush));
      },
    };
    for (const [format, Name] of Object.entries(formats)) {
      const packsIt = packs.has(format);
      const Class = function (this: any, options?) {
        if (!(this instanceof Class)) return new Class(options);
        run(packsIt ? format : 'deflateRaw', none, options);
        Transform.call(this, options);
        const act = (name: string, bytes: Uint8Array<ArrayBuffer>) =>
          run(name, bytes, this[inner].options);
        const state: Inner = {
          pieces: packsIt
            ? createPacker(kernel, format, act)
            : createUnpacker(kernel, format, act, () => faultOf('invalid')),
          empty: [flushes.none, 1, flushes.sync, flushes.full].map(() => kernel.Buffer.alloc(0)),
          held: [],
          options,
          written: 0,
          rest: none,
        };
        const own = (key: string | symbol, value: unknown) =>
          Object.defineProperty(this, key, { value, writable: true, configurable: true });
        own(inner, state);
        own('_handle', handleOf(this));
        own('_writeState', new Uint32Array(2));
      } as any;
      Object.defineProperty(Class, 'name', { value: Name, configurable: true });
      Object.setPrototypeOf(Class, Transform);
      Object.setPrototypeOf(Class.prototype, Transform.prototype);
      for (const name of Object.keys(methods))
        Object.defineProperty(Class.prototype, name, {
          value: methods[name],
          writable: true,
          configurable: true,
        });
      const get = (name: string, from: (this: ZipStream) => unknown) =>
        Object.defineProperty(Class.prototype, name, { get: from, configurable: true });
      get('bytesWritten', function () {
        return this[inner].written;
      });
      get('_chunkSize', function () {
        return this[inner].options?.chunkSize ?? constants.Z_DEFAULT_CHUNK;
      });
      get('_outBuffer', function () {
        return kernel.Buffer.alloc(this['_chunkSize']);
      });
      get('_outOffset', () => 0);
      classes[Name] = Class;
    }
    return classes;
  }
  let made: Record<string, new (options?) => ZipStream> | undefined;
  const streams = () => (made ??= makeStreams());

  // There is no createBrotliCompress and no createZstdCompress at all: servers look for these names,
  // and send gzip where they are missing.
  const absent =
    'brotliCompress brotliCompressSync brotliDecompress brotliDecompressSync createBrotliDecompress BrotliCompress BrotliDecompress ' +
    'zstdCompress zstdCompressSync zstdDecompress zstdDecompressSync createZstdDecompress ZstdCompress ZstdDecompress';
  for (const name of absent.split(' ')) {
    module[name] = function () {
      throw kernel.coded(
        Error,
        'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM',
        'zlib.' + name + " isn't available in this sandbox: use gzip",
      );
    };
  }
  module['crc32'] = (data, start = 0) => host.crc32(toBytes(data), start);
  return module;
}
