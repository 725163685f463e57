// How an import is cut into batches. The page packs bytes by the same rule by which the FS worker
// commits them. So a commit holds on to no bytes but its own.

/**
 * A batch has at most so many files, or so many bytes and one file more. That is enough that
 * flushes and messages cost little. It is little enough that progress shows and an import can be
 * stopped soon.
 */
const batchFiles = 1024;
const batchBytes = 8 * 1024 * 1024;

/** Collects what comes until it is a batch. */
export class BatchCollector<Item> {
  #items: Item[] = [];
  #bytes = 0;

  /** Is the batch full with it? Then it is to be taken before the next one comes. */
  add(item: Item, bytes: number): boolean {
    this.#items.push(item);
    this.#bytes += bytes;
    return this.#items.length >= batchFiles || this.#bytes >= batchBytes;
  }

  /** What has been collected, which may be nothing; from here on the next batch. */
  take(): readonly Item[] {
    const items = this.#items;
    this.#items = [];
    this.#bytes = 0;
    return items;
  }
}
