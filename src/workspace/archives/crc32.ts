// The checksum of a zip's entries (CRC-32 of ISO 3309, reflected), piece by piece.

let table: Uint32Array | undefined;

function makeTable(): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
    return value;
  });
}

export class Crc32 {
  #state = 0xffffffff;

  add(bytes: Uint8Array): void {
    const entries = (table ??= makeTable());
    let state = this.#state;
    for (const byte of bytes) state = (state >>> 8) ^ (entries[(state ^ byte) & 255] ?? 0);
    this.#state = state;
  }

  /** Of all that was added. */
  get value(): number {
    return (this.#state ^ 0xffffffff) >>> 0;
  }
}
