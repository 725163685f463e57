// Node's zlib. The host compresses; a stream is compressed at its end.
import type { Kernel } from '../kernel-type.ts';

const formats = {
  gzip: 'Gzip',
  gunzip: 'Gunzip',
  deflate: 'Deflate',
  inflate: 'Inflate',
  deflateRaw: 'DeflateRaw',
  inflateRaw: 'InflateRaw',
  unzip: 'Unzip',
};

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

  function toBytes(data): Uint8Array {
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
    const [code, errno, message] = faults[bytes];
    throw Object.assign(kernel.coded(Error, code, message), { errno });
  }

  const module: Record<string, unknown> = { constants, ...constants };
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
    const make = (options?) => {
      const { Transform } = kernel.part('stream');
      const pieces: Uint8Array[] = [];
      const stream = new Transform({
        transform(chunk, _encoding, callback) {
          pieces.push(chunk);
          callback();
        },
        flush(callback) {
          try {
            callback(null, run(format, kernel.Buffer.concat(pieces), options));
          } catch (error) {
            callback(error);
          }
        },
      });
      const close = (callback?: () => void) => {
        if (callback) stream.once('close', callback);
        stream.destroy();
      };
      return Object.defineProperty(stream, 'close', { value: close, configurable: true });
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
