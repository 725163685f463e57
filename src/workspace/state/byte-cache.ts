// An LRU cache of file contents with a byte limit.

/** Keys are compared as in a Map. Values are shared and must not be changed. */
export class ByteCache<Key> {
  readonly maxBytes: number;
  // In order of use: a used entry is removed and inserted again, so the first entry is the least
  // recently used.
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

  /** A value larger than the limit isn't cached. */
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
