// The newest entries of a journal in memory, and access to the earlier ones. Used by fold.ts.
import type { JournalEntry } from '../../core/session/journal.ts';

/** Reads entries again that a fold has dropped from memory. */
export interface EntrySource {
  /** Yields the entries from number `from` on, in order; at least all that were dropped. */
  read(from: number): AsyncIterable<JournalEntry>;
}

/**
 * The newest 1 000 entries stay in memory, about a megabyte. An answer that was just recorded may
 * still be needed.
 */
const newestAtHand = 1_000;

/** 4 million characters, 8 MB: fewer entries stay if their texts are longer, such as pictures. */
const charsAtHand = 4_000_000;

/** Without a source all entries stay in memory. */
export class EntriesAtHand {
  readonly #list: JournalEntry[] = [];
  /** The length of each entry, and of all. */
  readonly #lengths: number[] = [];
  #length = 0;
  readonly #source: EntrySource | undefined;
  /** The number of the first entry in memory. */
  #first = 1;

  constructor(source: EntrySource | undefined) {
    this.#source = source;
  }

  /** The entries in memory, oldest first. */
  get list(): readonly JournalEntry[] {
    return this.#list;
  }

  /** True if all entries are in memory. */
  get isWhole(): boolean {
    return this.#first === 1;
  }

  /** Adds the next entry. */
  add(entry: JournalEntry): void {
    this.#list.push(entry);
    if (!this.#source) return;
    const length = countCharacters(entry);
    this.#lengths.push(length);
    this.#length += length;
  }

  /**
   * Sets the number of the next entry; earlier ones aren't in memory. Allowed only while it is
   * empty.
   */
  beginAt(n: number): void {
    this.#first = n;
  }

  /**
   * Yields the entries from `from` to `to`, oldest first.
   *
   * @throws SdkError like the source
   */
  async *read(from: number, to: number): AsyncGenerator<JournalEntry, void, undefined> {
    for (let next = from; next <= to;) {
      const here = next < this.#first ? undefined : this.#list[next - this.#first];
      if (here) {
        yield here;
        next += 1;
        continue;
      }
      const before = next;
      for await (const entry of this.#source?.read(next) ?? []) {
        yield entry;
        next = entry.n + 1;
        if (next >= this.#first || next > to) break;
      }
      if (next === before) throw new TypeError(`Entry ${next} can't be read again.`);
    }
  }

  /** Drops entries before entry `end`, except the newest. */
  letGo(end: number, atHand = newestAtHand): void {
    if (!this.#source || end <= this.#first) return;
    const areLong = this.#length > 2 * charsAtHand;
    const kept = areLong ? Math.min(atHand, this.#countShort()) : atHand;
    const count = Math.min(end - this.#first, this.#list.length - kept);
    // Many at once, because each removal moves the rest of the list.
    if (count < (areLong ? 1 : Math.min(atHand, newestAtHand / 4))) return;
    this.#list.splice(0, count);
    for (const length of this.#lengths.splice(0, count)) this.#length -= length;
    this.#first += count;
  }

  /** How many of the newest entries fit into the limit of characters. */
  #countShort(): number {
    let left = charsAtHand;
    const longest = this.#lengths.findLastIndex((length) => (left -= length) < 0);
    return this.#lengths.length - longest - 1;
  }
}

function countCharacters(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return 0;
  let count = 0;
  for (const part of Object.values(value)) count += countCharacters(part);
  return count;
}
