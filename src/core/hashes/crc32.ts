// The checksum of zip, gzip and git's packs (CRC-32 of ISO 3309, reflected). It is computed in pieces.

let table: Uint32Array | undefined;

function makeTable(): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
    return value;
  });
}

export class Crc32 {
  #state: number;

  /** `start`: the sum of what came before. */
  constructor(start = 0) {
    this.#state = ~start;
  }

  add(bytes: Uint8Array): this {
    const entries = (table ??= makeTable());
    let state = this.#state;
    for (const byte of bytes) state = (state >>> 8) ^ (entries[(state ^ byte) & 255] ?? 0);
    this.#state = state;
    return this;
  }

  /** The checksum of all that was added. */
  get value(): number {
    return (this.#state ^ 0xffffffff) >>> 0;
  }
}
