// Divides an import into batches. The page packs bytes by the same rule by which the FS worker
// commits them, so a commit keeps only its own bytes in memory.

/**
 * A batch has at most this many files, or this many bytes and one more file. That keeps the cost of
 * flushes and messages low, shows progress, and lets an import stop soon.
 */
const batchFiles = 1024;
const batchBytes = 8 * 1024 * 1024;

/** Collects items until a batch is full. */
export class BatchCollector<Item> {
  #items: Item[] = [];
  #bytes = 0;

  /** Adds an item. Returns true if the batch is full; take it before the next item. */
  add(item: Item, bytes: number): boolean {
    this.#items.push(item);
    this.#bytes += bytes;
    return this.#items.length >= batchFiles || this.#bytes >= batchBytes;
  }

  /** Returns the collected items, which may be none, and starts the next batch. */
  take(): readonly Item[] {
    const items = this.#items;
    this.#items = [];
    this.#bytes = 0;
    return items;
  }
}
