// What zlib of the guest asks of the host: gzip, zlib and raw deflate at native speed.
import {
  deflateSync,
  FlateErrorCode,
  Gunzip,
  gzipSync,
  Inflate,
  Unzlib,
  zlibSync,
  type DeflateOptions,
  type FlateStreamHandler,
} from 'fflate';

const packers = { gzip: gzipSync, deflate: zlibSync, deflateRaw: deflateSync };

const unpackers = {
  gunzip: (take: FlateStreamHandler) => new Gunzip(take),
  inflate: (take: FlateStreamHandler) => new Unzlib(take),
  inflateRaw: (take: FlateStreamHandler) => new Inflate(take),
};

/** How many bytes are inflated at a time: at most a thousand times as many come of them. */
const pieceBytes = 8192;

/**
 * Compresses, or inflates. `level` is zlib's; -1 is its default.
 *
 * @returns the bytes, or what is wrong with the data: `over` where more than `maxBytes` would come of it
 */
export function zipBytes(
  format: string,
  data: Uint8Array,
  level: number,
  maxBytes: number,
): Uint8Array | 'over' | 'cut' | 'invalid' {
  if (isKeyOf(packers, format)) {
    const chosen = (level === -1 ? 6 : level) as DeflateOptions['level'] & number;
    return packers[format](data, { level: chosen, mtime: 0 });
  }
  const isGzip = data[0] === 0x1f && data[1] === 0x8b;
  const name = format === 'unzip' ? (isGzip ? 'gunzip' : 'inflate') : format;
  if (!isKeyOf(unpackers, name)) return 'invalid';
  const pieces: Uint8Array[] = [];
  let size = 0;
  const unpacker = unpackers[name]((piece) => {
    pieces.push(piece);
    size += piece.length;
  });
  try {
    for (let at = 0; at < data.length || at === 0; at += pieceBytes) {
      unpacker.push(data.subarray(at, at + pieceBytes), at + pieceBytes >= data.length);
      if (size > maxBytes) return 'over';
    }
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    return error.code === FlateErrorCode.UnexpectedEOF ? 'cut' : 'invalid';
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function isKeyOf<Table extends object>(table: Table, key: PropertyKey): key is keyof Table {
  return Object.hasOwn(table, key);
}
