// The newest entries of a journal, and the way to those before them. Used by fold.ts.
import type { JournalEntry } from '../../core/session/journal.ts';

/** Where entries are read again that a fold has let go. */
export interface EntrySource {
  /** From number `from` on, in order; at least all that were let go. */
  read(from: number): AsyncIterable<JournalEntry>;
}

/**
 * The newest 1 000 entries stay at hand, about a megabyte. An answer that was recorded a moment ago may still be asked
 * for.
 */
const newestAtHand = 1_000;

/** 4 million, 8 MB: fewer stay where their texts are longer, as those of pictures are. */
const charsAtHand = 4_000_000;

/** Without a source all entries stay. */
export class EntriesAtHand {
  readonly #list: JournalEntry[] = [];
  /** Characters of each, and of all. */
  readonly #lengths: number[] = [];
  #length = 0;
  readonly #source: EntrySource | undefined;
  /** The number of the first one. */
  #first = 1;

  constructor(source: EntrySource | undefined) {
    this.#source = source;
  }

  /** Those that are at hand, oldest first. */
  get list(): readonly JournalEntry[] {
    return this.#list;
  }

  /** All are at hand. */
  get isWhole(): boolean {
    return this.#first === 1;
  }

  /** The next entry. */
  add(entry: JournalEntry): void {
    this.#list.push(entry);
    if (!this.#source) return;
    const length = countCharacters(entry);
    this.#lengths.push(length);
    this.#length += length;
  }

  /** The next entry has this number: those before it aren't at hand. Only where there is none yet. */
  beginAt(n: number): void {
    this.#first = n;
  }

  /**
   * The entries from `from` to `to`, oldest first.
   *
   * @throws SdkError as the source does.
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

  /** Lets go what is before entry `end`, but for the newest. */
  letGo(end: number, atHand = newestAtHand): void {
    if (!this.#source || end <= this.#first) return;
    const areLong = this.#length > 2 * charsAtHand;
    const kept = areLong ? Math.min(atHand, this.#countShort()) : atHand;
    const count = Math.min(end - this.#first, this.#list.length - kept);
    // Many at once: each time the rest of the list moves.
    if (count < (areLong ? 1 : Math.min(atHand, newestAtHand / 4))) return;
    this.#list.splice(0, count);
    for (const length of this.#lengths.splice(0, count)) this.#length -= length;
    this.#first += count;
  }

  /** How many of the newest have no more characters together than may be at hand. */
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
