// An LRU cache of delta bases, which neighbouring objects in a pack share.

/** Limited by bytes. A value larger than a quarter of the room isn't cached. */
export class BaseCache<Value extends { readonly bytes: Uint8Array }> {
  readonly #room: number;
  readonly #values = new Map<number, Value>();
  #held = 0;

  /** `room` in bytes. */
  constructor(room: number) {
    this.#room = room;
  }

  get(key: number): Value | undefined {
    const value = this.#values.get(key);
    if (value) {
      this.#values.delete(key);
      this.#values.set(key, value);
    }
    return value;
  }

  set(key: number, value: Value): void {
    if (value.bytes.length > this.#room / 4 || this.#values.has(key)) return;
    this.#values.set(key, value);
    this.#held += value.bytes.length;
    for (const [oldest, { bytes }] of this.#values) {
      if (this.#held <= this.#room) break;
      this.#values.delete(oldest);
      this.#held -= bytes.length;
    }
  }
}
