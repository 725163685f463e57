// Host functions of the guest's zlib: gzip, zlib and raw deflate at native speed.
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
import { Crc32 } from '../../core/hashes/crc32.ts';
import { joinBytes } from '../../core/bytes/join-bytes.ts';

const packers = { gzip: gzipSync, deflate: zlibSync, deflateRaw: deflateSync };

const unpackers = {
  gunzip: (take: FlateStreamHandler) => new Gunzip(take),
  inflate: (take: FlateStreamHandler) => new Unzlib(take),
  inflateRaw: (take: FlateStreamHandler) => new Inflate(take),
};

/** 8 192 bytes are inflated at a time. They expand at most a thousandfold. */
const pieceBytes = 8192;

/**
 * Compresses or inflates. `level` is zlib's; -1 is its default.
 * @returns the bytes, or the fault: `over` if the result would exceed `maxBytes`, `changed` if the
 * checksum doesn't match, or another fault in the data
 */
export function zipBytes(
  format: string,
  data: Uint8Array,
  level: number,
  maxBytes: number,
): Uint8Array | 'over' | 'cut' | 'invalid' | 'changed' {
  if (isKeyOf(packers, format)) {
    const chosen = (level === -1 ? 6 : level) as DeflateOptions['level'] & number;
    return packers[format](data, { level: chosen, mtime: 0 });
  }
  const name = unpackerFor(format, data);
  if (!name) return 'invalid';
  const pieces: Uint8Array[] = [];
  let size = 0;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let crc = new Crc32();
  let isChanged = false;
  const unpacker = unpackers[name]((piece) => {
    pieces.push(piece);
    size += piece.length;
    if (name === 'gunzip') crc.add(piece);
  });
  /**
   * Ends a gzip member. Its last eight bytes are its checksum and its length, which fflate doesn't
   * verify.
   */
  const endMember = (end: number) => {
    if (end < 8 || view.getUint32(end - 8, true) !== crc.value) isChanged = true;
    crc = new Crc32();
  };
  if (unpacker instanceof Gunzip)
    unpacker.onmember = (start) => {
      if (start > 0) endMember(start);
    };
  try {
    for (let at = 0; at < data.length || at === 0; at += pieceBytes) {
      unpacker.push(data.subarray(at, at + pieceBytes), at + pieceBytes >= data.length);
      if (size > maxBytes) return 'over';
    }
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    return error.code === FlateErrorCode.UnexpectedEOF ? 'cut' : 'invalid';
  }
  const bytes = joinBytes(pieces);
  if (name === 'gunzip') endMember(data.length);
  if (name === 'inflate') isChanged = view.getUint32(data.length - 4) !== adler32(bytes);
  return isChanged ? 'changed' : bytes;
}

/**
 * Inflates the beginning of a compressed stream. The checksum isn't verified. `window` is the data
 * before it, for a raw stream that continues.
 * @returns the bytes, or the fault: see {@link zipBytes}
 */
export function unzipPart(
  format: string,
  data: Uint8Array,
  window: Uint8Array,
  maxBytes: number,
): Uint8Array | 'over' | 'invalid' {
  const name = unpackerFor(format, data);
  if (!name) return 'invalid';
  const pieces: Uint8Array[] = [];
  let size = 0;
  const take = (piece: Uint8Array) => {
    pieces.push(piece);
    size += piece.length;
  };
  const unpacker =
    window.length > 0 && name === 'inflateRaw'
      ? new Inflate({ dictionary: window }, take)
      : unpackers[name](take);
  try {
    for (let at = 0; at < data.length; at += pieceBytes) {
      unpacker.push(data.subarray(at, at + pieceBytes), false);
      if (size > maxBytes) return 'over';
    }
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    return 'invalid';
  }
  return joinBytes(pieces);
}

/** The checksum of zlib's format (RFC 1950). */
function adler32(bytes: Uint8Array): number {
  let [low, high] = [1, 0];
  for (let at = 0; at < bytes.length; at += 3800) {
    // 3 800 bytes: their sums fit in 32 bits without a remainder.
    for (const byte of bytes.subarray(at, at + 3800)) high += low += byte;
    low %= 65_521;
    high %= 65_521;
  }
  return high * 65_536 + low;
}

/** `unzip` takes what it finds: gzip has a mark of its own. */
function unpackerFor(format: string, data: Uint8Array): keyof typeof unpackers | undefined {
  const isGzip = data[0] === 0x1f && data[1] === 0x8b;
  const name = format === 'unzip' ? (isGzip ? 'gunzip' : 'inflate') : format;
  return isKeyOf(unpackers, name) ? name : undefined;
}

function isKeyOf<Table extends object>(table: Table, key: PropertyKey): key is keyof Table {
  return Object.hasOwn(table, key);
}

/** Returns the CRC-32 of `data`. `start` is the checksum of the bytes before it. */
export const crc32 = (data: Uint8Array, start: number): number => new Crc32(start).add(data).value;
