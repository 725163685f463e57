// A zlib stream that returns output before its end. All of its state is in the guest, so that a
// snapshot contains it.
import type { Kernel } from './kernel-type.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** The numbers that zlib uses. */
export const flushes = { none: 0, sync: 2, full: 3, finish: 4 } as const;

export interface ZipPieces {
  /**
   * Takes bytes and returns the output so far. With `flushes.none` an inflating stream may hold
   * back some of it.
   */
  take(bytes: Bytes, flush: number): Bytes;
  reset(): void;
}

/** Compresses or inflates a whole text. Throws if the data is invalid. */
type Run = (format: string, bytes: Bytes) => Bytes;

const none = new Uint8Array();

/** Used in place of Buffer.concat, which tar's streams replace temporarily. */
export function concat(pieces: readonly Bytes[]): Bytes {
  const all = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/**
 * Returns a stream that compresses. Data before a flush is stored uncompressed, so no state of a
 * compressor must be kept outside of the guest.
 */
export function createPacker(kernel: Kernel, format: string, run: Run): ZipPieces {
  const head = { gzip: [31, 139, 8, 0, 0, 0, 0, 0, 0, 3], deflate: [120, 156] }[format] ?? [];
  let pieces: Bytes[] = [];
  let isBegun = false;
  let isDone = false;
  let size = 0;
  let sum = format === 'gzip' ? 0 : 1;

  function add(bytes: Bytes) {
    size += bytes.length;
    if (format === 'gzip') sum = kernel.host.crc32(bytes, sum);
    else if (format === 'deflate') sum = adler32(bytes, sum);
  }
  function tail(): Bytes {
    const view = new DataView(new ArrayBuffer(format === 'gzip' ? 8 : 4));
    view.setUint32(0, sum, format === 'gzip');
    if (format === 'gzip') view.setUint32(4, size, true);
    return format === 'deflateRaw' ? none : new Uint8Array(view.buffer);
  }
  return {
    take(bytes, flush) {
      if (isDone) return none;
      if (bytes.length > 0) pieces.push(bytes);
      if (flush === flushes.none) return none;
      const all = concat(pieces.splice(0));
      if (flush === flushes.finish) {
        isDone = true;
        if (!isBegun) return run(format, all);
        add(all);
        return concat([run('deflateRaw', all), tail()]);
      }
      if (isBegun && all.length === 0) return none;
      const made = isBegun ? [] : [Uint8Array.from(head)];
      isBegun = true;
      add(all);
      for (let at = 0; at < all.length; at += 65_535)
        made.push(stored(all.subarray(at, at + 65_535)));
      return concat([...made, stored(none)]);
    },
    reset() {
      [isBegun, isDone, size, sum] = [false, false, 0, format === 'gzip' ? 0 : 1];
      pieces = [];
    },
  };
}

/** Returns a stored block that isn't the last. */
function stored(bytes: Bytes): Bytes {
  const block = new Uint8Array(bytes.length + 5);
  const view = new DataView(block.buffer);
  view.setUint16(1, bytes.length, true);
  view.setUint16(3, ~bytes.length, true);
  block.set(bytes, 5);
  return block;
}

function adler32(bytes: Bytes, start: number): number {
  let [low, high] = [start % 65_536, Math.floor(start / 65_536)];
  for (const byte of bytes) {
    low = (low + byte) % 65_521;
    high = (high + low) % 65_521;
  }
  return high * 65_536 + low;
}

const windowBytes = 32_768;

/**
 * Returns a stream that inflates. Each call inflates again from the last point at which earlier
 * data could be dropped.
 */
export function createUnpacker(
  kernel: Kernel,
  format: string,
  run: Run,
  invalid: () => Error,
): ZipPieces {
  let pieces: Bytes[] = [];
  let [held, fresh, given] = [0, 0, 0];
  let window: Bytes = none;
  let [isDone, hasForgotten] = [false, false];

  function reset() {
    [held, fresh, given, isDone, hasForgotten] = [0, 0, 0, false, false];
    [pieces, window] = [[], none];
  }
  function part(all: Bytes): Bytes {
    const made = kernel.host.unzipPart(format, all, window);
    if (made === 'invalid') throw invalid();
    const rest = made.subarray(given);
    [given, fresh] = [made.length, 0];
    // A flush by the sender ends at a byte boundary. Later data refers at most to the window before
    // it, so the input is dropped.
    if (format === 'inflateRaw' && all.subarray(-4).toHex() === '0000ffff') {
      window = concat([window, made]).slice(-windowBytes);
      [pieces, held, given, hasForgotten] = [[], 0, 0, true];
    }
    return rest;
  }
  return {
    reset,
    take(bytes, flush) {
      if (isDone) return none;
      if (bytes.length > 0) pieces.push(bytes);
      held += bytes.length;
      fresh += bytes.length;
      // To limit repeated work, data is inflated again only when its size has doubled.
      if (flush === flushes.none && fresh * 2 < held) return none;
      const all = concat(pieces);
      if (flush !== flushes.finish) return part(all);
      isDone = true;
      return hasForgotten ? part(all) : run(format, all).subarray(given);
    },
  };
}
