// CRC-32 as zlib has it: the index of a pack keeps it for each entry.

let table: Uint32Array | undefined;

function makeTable(): Uint32Array {
  const result = new Uint32Array(256);
  for (let byte = 0; byte < 256; byte += 1) {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) {
      value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    }
    result[byte] = value;
  }
  return result;
}

/** Of the bytes from `from` up to `to`. */
export function crc32(bytes: Uint8Array, from: number, to: number): number {
  const sums = (table ??= makeTable());
  let sum = -1;
  for (let at = from; at < to; at += 1)
    sum = (sum >>> 8) ^ (sums[(sum ^ (bytes[at] ?? 0)) & 255] ?? 0);
  return ~sum >>> 0;
}
