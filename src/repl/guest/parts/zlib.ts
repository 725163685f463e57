// Node's zlib. The host compresses; a stream is compressed at its end, or where it is flushed.
import type { Kernel } from '../kernel-type.ts';
import { concat, createPacker, createUnpacker, flushes } from '../zip-pieces.ts';

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

/** What zlib says of data that it can't inflate. */
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
    const bytes = host.zip(format, toBytes(data), level);
    if (typeof bytes !== 'string') return kernel.toBuffer(bytes);
    throw faultOf(bytes);
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
    // Made by a function, as the streams are loaded when the first one is.
    const make = (given?) => {
      const { Transform } = kernel.part('stream');
      let options = given;
      run(packs.has(format) ? format : 'deflateRaw', none, options);
      const act = (name: string, bytes: Uint8Array<ArrayBuffer>) => run(name, bytes, options);
      const pieces = packs.has(format)
        ? createPacker(kernel, format, act)
        : createUnpacker(kernel, format, act, () => faultOf('invalid'));
      const empty = [flushes.none, 1, flushes.sync, flushes.full].map(() => kernel.Buffer.alloc(0));
      let written = 0;
      function take(bytes: Uint8Array<ArrayBuffer>, flush: number, callback) {
        let made: Uint8Array<ArrayBuffer>;
        try {
          made = pieces.take(bytes, flush);
        } catch (error) {
          callback(error);
          return;
        }
        callback(null, made.length > 0 ? kernel.toBuffer(made) : undefined);
      }
      const held: Uint8Array<ArrayBuffer>[] = [];
      const stream = new Transform({
        transform(chunk, _encoding, callback) {
          const flush = empty.indexOf(chunk);
          written += chunk.length;
          if (flush < 0) held.push(chunk);
          if (flush < 0) callback();
          else take(concat(held.splice(0)), flush, callback);
        },
        flush: (callback) => take(concat(held.splice(0)), flushes.finish, callback),
      });
      const members = {
        _handle: { close() {} },
        close(callback?: () => void) {
          if (callback) stream.once('close', callback);
          stream.destroy();
        },
        flush(kind?: unknown, last?: () => void) {
          const callback = typeof kind === 'function' ? (kind as () => void) : last;
          if (stream.writableEnded || stream.destroyed) {
            if (callback) nextTick(callback);
            return;
          }
          stream.write(empty[typeof kind === 'number' ? kind : flushes.full], '', callback);
        },
        params(level: number, strategy: number, callback?: () => void) {
          stream.flush(flushes.sync, () => {
            options = { ...options, level, strategy };
            callback?.();
          });
        },
        reset() {
          held.length = 0;
          pieces.reset();
        },
        // Of zlib's inner side, which tar asks for.
        _processChunk(chunk: Uint8Array<ArrayBuffer>, flush: number, callback?: (...args) => void) {
          if (callback) {
            take(chunk, flush, callback);
            return undefined;
          }
          return kernel.toBuffer(pieces.take(toBytes(chunk), flush));
        },
      };
      for (const name of Object.keys(members))
        Object.defineProperty(stream, name, {
          value: members[name],
          writable: true,
          configurable: true,
        });
      return Object.defineProperty(stream, 'bytesWritten', { get: () => written });
    };
    module['create' + Name] = make;
    module[Name] = function (options) {
      return make(options);
    };
  }
  const absent =
    'brotliCompress brotliCompressSync brotliDecompress brotliDecompressSync createBrotliCompress createBrotliDecompress BrotliCompress BrotliDecompress ' +
    'zstdCompress zstdCompressSync zstdDecompress zstdDecompressSync createZstdCompress createZstdDecompress ZstdCompress ZstdDecompress';
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
