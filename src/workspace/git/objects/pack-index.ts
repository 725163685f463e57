// The index of a pack, version 2: its objects and their offsets. Ids stay bytes in one array,
// because 300 000 strings would take 30 MB.
import { SdkError } from '../../../core/errors.ts';
import { fromOid, toOid } from './oid.ts';
import { Sha1 } from './sha1.ts';

const headerBytes = 8;
const fanOutBytes = 1024;

/** The objects of one pack, ordered by id. */
export class PackIndex {
  readonly count: number;
  readonly #fanOut: DataView;
  readonly #oids: Uint8Array;
  readonly #offsets: DataView;
  readonly #largeOffsets: DataView;

  /** Keeps the bytes. @throws SdkError `EIO`, or `invalid-input` for another version */
  constructor(bytes: Uint8Array) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (bytes.length < headerBytes + fanOutBytes + 40) throw damaged();
    if (view.getUint32(0) !== 0xff744f63 || view.getUint32(4) !== 2) {
      throw new SdkError(
        'invalid-input',
        'A pack of this repository has an index of another version than 2. Repack it with git.',
      );
    }
    this.#fanOut = part(bytes, headerBytes, fanOutBytes);
    let before = 0;
    for (let byte = 0; byte < 256; byte += 1) {
      const next = this.#fanOut.getUint32(byte * 4);
      if (next < before) throw damaged();
      before = next;
    }
    this.count = before;
    const oids = headerBytes + fanOutBytes;
    const offsets = oids + this.count * 24;
    const large = offsets + this.count * 4;
    if (large + 40 > bytes.length || (bytes.length - large - 40) % 8 !== 0) throw damaged();
    this.#oids = bytes.subarray(oids, oids + this.count * 20);
    this.#offsets = part(bytes, offsets, this.count * 4);
    this.#largeOffsets = part(bytes, large, bytes.length - large - 40);
  }

  oidAt(index: number): string {
    return toOid(this.#oids, index * 20);
  }

  /** Returns the offset of the object's entry in the pack, or undefined. */
  offsetOf(oid: string): number | undefined {
    const wanted = fromOid(oid);
    const first = wanted[0] ?? 0;
    let low = first === 0 ? 0 : this.#fanOut.getUint32(first * 4 - 4);
    let high = this.#fanOut.getUint32(first * 4);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = compareOids(this.#oids, middle * 20, wanted, 0);
      if (order === 0) return this.offsetAt(middle);
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return undefined;
  }

  /** Returns the position of the first object whose id isn't before `prefix`. */
  findPrefix(prefix: string): number {
    const wanted = fromOid(prefix.padEnd(40, '0'));
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareOids(this.#oids, middle * 20, wanted, 0) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  offsetAt(index: number): number {
    const offset = this.#offsets.getUint32(index * 4);
    if (offset < 0x80000000) return offset;
    const at = (offset - 0x80000000) * 8;
    if (at + 8 > this.#largeOffsets.byteLength) throw damaged();
    return this.#largeOffsets.getUint32(at) * 0x100000000 + this.#largeOffsets.getUint32(at + 4);
  }
}

/** The entries of a pack, each by its position in the pack. */
export interface PackEntries {
  readonly count: number;
  /** 20 bytes each. */
  readonly oids: Uint8Array;
  /** Below 2 GiB, because a file of the workspace has at most 1 GiB. */
  readonly offsets: Uint32Array;
  /** CRC-32 of each entry's bytes in the pack. */
  readonly checksums: Uint32Array;
}

/** Returns the index file of a pack. `packChecksum` is the last 20 bytes of the pack. */
export function formatPackIndex(
  { count, oids, offsets, checksums }: PackEntries,
  packChecksum: Uint8Array,
): Uint8Array {
  const order = sortedEntries(oids, count);
  const result = new Uint8Array(headerBytes + fanOutBytes + count * 28 + 40);
  const view = new DataView(result.buffer);
  view.setUint32(0, 0xff744f63);
  view.setUint32(4, 2);
  const oidsAt = headerBytes + fanOutBytes;
  const checksumsAt = oidsAt + count * 20;
  const offsetsAt = checksumsAt + count * 4;
  const perByte = new Uint32Array(256);
  order.forEach((entry, index) => {
    perByte[oids[entry * 20] ?? 0] = (perByte[oids[entry * 20] ?? 0] ?? 0) + 1;
    result.set(oids.subarray(entry * 20, entry * 20 + 20), oidsAt + index * 20);
    view.setUint32(checksumsAt + index * 4, checksums[entry] ?? 0);
    view.setUint32(offsetsAt + index * 4, offsets[entry] ?? 0);
  });
  let total = 0;
  perByte.forEach((inByte, byte) => {
    total += inByte;
    view.setUint32(headerBytes + byte * 4, total);
  });
  const sumsAt = offsetsAt + count * 4;
  result.set(packChecksum, sumsAt);
  result.set(new Sha1().update(result.subarray(0, sumsAt + 20)).digest(), sumsAt + 20);
  return result;
}

/** Returns the positions of the entries, ordered by id. */
function sortedEntries(oids: Uint8Array, count: number): Uint32Array {
  const view = new DataView(oids.buffer, oids.byteOffset, oids.byteLength);
  const begins = new Uint32Array(count);
  for (let entry = 0; entry < count; entry += 1) begins[entry] = view.getUint32(entry * 20);
  const order = new Uint32Array(count);
  for (let entry = 0; entry < count; entry += 1) order[entry] = entry;
  return order.sort(
    (a, b) => (begins[a] ?? 0) - (begins[b] ?? 0) || compareOids(oids, a * 20, oids, b * 20),
  );
}

function compareOids(a: Uint8Array, aFrom: number, b: Uint8Array, bFrom: number): number {
  for (let i = 0; i < 20; i += 1) {
    const difference = (a[aFrom + i] ?? 0) - (b[bFrom + i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function part(bytes: Uint8Array, at: number, length: number): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset + at, length);
}

function damaged(): SdkError {
  return new SdkError('EIO', 'EIO: the index of a pack is damaged. Clone or fetch it again.');
}
