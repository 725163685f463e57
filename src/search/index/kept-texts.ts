// An LRU cache of decoded texts, bounded by bytes.
import type { SearchableText } from './searchable-text.ts';

/** Holds texts by their contents' rows in the index. */
export class KeptTexts {
  #maxBytes: number;
  // Indexed by row, because a search visits rows in order.
  readonly #texts: (SearchableText | undefined)[] = [];
  /** The number of the last search that asked for the row. */
  readonly #usedIn: number[] = [];
  #bytes = 0;
  #search = 0;
  /** The number of a search in which nothing could be evicted, so that it doesn't try again. */
  #fullIn = -1;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Makes room for the next row. */
  addRow(): void {
    this.#texts.push(undefined);
    this.#usedIn.push(0);
  }

  /**
   * Begins a search. Texts that the new search uses aren't evicted for texts that it uses later.
   */
  startSearch(): void {
    this.#search += 1;
  }

  /** The text for the search that began last, if it was kept. */
  use(row: number): SearchableText | undefined {
    this.#usedIn[row] = this.#search;
    return this.#texts[row];
  }

  has(row: number): boolean {
    return this.#texts[row] !== undefined;
  }

  /** Keeps the text if there is room. True if it wasn't kept before, and is now. */
  keep(row: number, text: SearchableText): boolean {
    if (this.has(row)) return false;
    const size = sizeOf(text);
    if (this.#bytes + size > this.#maxBytes && !this.#makeRoom(size)) return false;
    this.#texts[row] = text;
    this.#bytes += size;
    return true;
  }

  /** Sets the bound. Texts beyond it are evicted at once, also those of this search. */
  limit(maxBytes: number): void {
    this.#maxBytes = maxBytes;
    if (this.#bytes > maxBytes) this.#dropUntil(maxBytes, this.#search);
  }

  drop(row: number): void {
    const text = this.#texts[row];
    if (!text) return;
    this.#bytes -= sizeOf(text);
    this.#texts[row] = undefined;
  }

  /**
   * Evicts the least recently used texts, except those that this search uses. Otherwise it would evict texts that it
   * needs next.
   */
  #makeRoom(size: number): boolean {
    if (size > this.#maxBytes || this.#fullIn === this.#search) return false;
    // Evicts an eighth at once, so that the sorting isn't repeated for each file.
    this.#dropUntil(this.#maxBytes * 0.875 - size, this.#search - 1);
    const hasRoom = this.#bytes + size <= this.#maxBytes;
    if (!hasRoom) this.#fullIn = this.#search;
    return hasRoom;
  }

  /** Drops texts that were last used in `lastSearch` or before, until at most this number of bytes is left. */
  #dropUntil(bytes: number, lastSearch: number): void {
    const usedIn = (row: number) => this.#usedIn[row] ?? 0;
    const old = [...this.#texts.keys()].filter((row) => this.has(row) && usedIn(row) <= lastSearch);
    old.sort((left, right) => usedIn(left) - usedIn(right));
    for (const row of old) {
      if (this.#bytes <= bytes) return;
      this.drop(row);
    }
  }
}

/** An engine keeps ASCII in one byte a character, and all other text in two. */
function sizeOf({ text, isAscii }: SearchableText): number {
  return isAscii ? text.length : text.length * 2;
}
