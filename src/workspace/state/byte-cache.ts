// Recently used contents, bounded by their bytes: the least recently used go first.

/** `Key` is compared as a Map does. Values are shared and must not be changed. */
export class ByteCache<Key> {
  readonly maxBytes: number;
  // A Map keeps the order of insertion: what is used is taken out and put in again, so the first
  // entry is always the one that was used longest ago.
  readonly #entries = new Map<Key, Uint8Array>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: Key): Uint8Array | undefined {
    const value = this.#entries.get(key);
    if (value) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  /** What is larger than the whole bound isn't kept. */
  set(key: Key, value: Uint8Array): void {
    const old = this.#entries.get(key);
    if (old) {
      this.#entries.delete(key);
      this.#bytes -= old.length;
    }
    if (value.length > this.maxBytes) return;
    this.#entries.set(key, value);
    this.#bytes += value.length;
    for (const [oldest, { length }] of this.#entries) {
      if (this.#bytes <= this.maxBytes) return;
      this.#entries.delete(oldest);
      this.#bytes -= length;
    }
  }
}
