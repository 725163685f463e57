// Synchronous SHA-1. Git identifies objects by it, and a clone hashes tens of thousands of small
// ones. For these, the promise of the platform's `digest` costs more than the hash itself.

// The expanded words of the current block. One array is enough, because nothing here is
// asynchronous.
let scratch: Int32Array | undefined;

/** Hashes data given in pieces. An object is used once: `digest` ends it. */
export class Sha1 {
  #a = 0x67452301;
  #b = 0xefcdab89 | 0;
  #c = 0x98badcfe | 0;
  #d = 0x10325476;
  #e = 0xc3d2e1f0 | 0;
  /** Bytes that don't fill a block of 64 yet. */
  readonly #rest = new Uint8Array(64);
  #length = 0;

  update(bytes: Uint8Array): this {
    const filled = this.#length % 64;
    this.#length += bytes.length;
    let at = 0;
    if (filled > 0) {
      at = Math.min(64 - filled, bytes.length);
      this.#rest.set(bytes.subarray(0, at), filled);
      if (filled + at < 64) return this;
      this.#block(this.#rest, 0);
    }
    for (; at + 64 <= bytes.length; at += 64) this.#block(bytes, at);
    this.#rest.set(bytes.subarray(at));
    return this;
  }

  /** Returns 20 bytes. */
  digest(): Uint8Array<ArrayBuffer> {
    const length = this.#length;
    const rest = this.#rest;
    const filled = length % 64;
    rest[filled] = 0x80;
    rest.fill(0, filled + 1);
    if (filled >= 56) {
      this.#block(rest, 0);
      rest.fill(0);
    }
    const view = new DataView(rest.buffer);
    view.setUint32(56, Math.floor(length / 0x20000000));
    view.setUint32(60, length << 3);
    this.#block(rest, 0);
    const result = new Uint8Array(20);
    const words = new DataView(result.buffer);
    [this.#a, this.#b, this.#c, this.#d, this.#e].forEach((word, index) => {
      words.setInt32(index * 4, word);
    });
    return result;
  }

  #block(bytes: Uint8Array, from: number): void {
    const words = (scratch ??= new Int32Array(80));
    for (let i = 0, at = from; i < 16; i += 1, at += 4) {
      words[i] =
        ((bytes[at] ?? 0) << 24) |
        ((bytes[at + 1] ?? 0) << 16) |
        ((bytes[at + 2] ?? 0) << 8) |
        (bytes[at + 3] ?? 0);
    }
    for (let i = 16; i < 80; i += 1) {
      const word =
        (words[i - 3] ?? 0) ^ (words[i - 8] ?? 0) ^ (words[i - 14] ?? 0) ^ (words[i - 16] ?? 0);
      words[i] = (word << 1) | (word >>> 31);
    }
    let a = this.#a;
    let b = this.#b;
    let c = this.#c;
    let d = this.#d;
    let e = this.#e;
    let i = 0;
    // A separate loop for each round, because a branch inside a single loop halves the speed.
    for (; i < 20; i += 1) {
      const next =
        (((a << 5) | (a >>> 27)) + (d ^ (b & (c ^ d))) + e + (words[i] ?? 0) + 0x5a827999) | 0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = next;
    }
    for (; i < 40; i += 1) {
      const next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + (words[i] ?? 0) + 0x6ed9eba1) | 0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = next;
    }
    for (; i < 60; i += 1) {
      const next =
        (((a << 5) | (a >>> 27)) + ((b & c) | (d & (b | c))) + e + (words[i] ?? 0) - 0x70e44324) |
        0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = next;
    }
    for (; i < 80; i += 1) {
      const next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + (words[i] ?? 0) - 0x359d3e2a) | 0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = next;
    }
    this.#a = (this.#a + a) | 0;
    this.#b = (this.#b + b) | 0;
    this.#c = (this.#c + c) | 0;
    this.#d = (this.#d + d) | 0;
    this.#e = (this.#e + e) | 0;
  }
}
