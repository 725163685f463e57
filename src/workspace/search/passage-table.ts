// What the index keeps of each passage: which trigrams it holds, and where it is in its text. Bitmaps of
// one length lie crosswise: a word has one bit of each of 32 passages. So whoever asks all passages for
// one trigram looks at a thirty-second of the places in memory, and that is what most of a search costs.
import type { Passage } from './passages.ts';
import { placeOf, type BitsPerTrigram, type TrigramCollector } from './trigrams.ts';

/** All that is known of a passage but where it begins: that is where the one before it ends. */
export interface IndexedPassage extends Omit<Passage, 'start'> {
  /** Of its bitmap, 32 bits each. */
  readonly wordCount: number;
  /** Its bitmap by itself. */
  readWords(): Uint32Array;
}

/** Passages have numbers, in the order in which they were added. */
export class PassageTable {
  #size = 0;
  /** Of each passage its group's number times 32, and the bit that is its own in the group's words. */
  #places = new Uint32Array(1024);
  #ends = new Uint32Array(1024);
  #firstLines = new Uint32Array(1024);
  /** Of each group a word for each bit of its passages' bitmaps. */
  readonly #groups: Uint32Array[] = [];
  /** By the length of their bitmaps, the place that the next passage gets in a group that isn't full. */
  readonly #open = new Map<number, number>();
  #bytes = 0;

  /** Bytes of bitmaps. */
  get bytes(): number {
    return this.#bytes;
  }

  /** With the trigrams that were collected of it. Its number. */
  add(passage: Passage, collector: TrigramCollector, bitsPerTrigram: BitsPerTrigram): number {
    const [words, bit] = this.#addRow(passage, toLength(collector.bitCount(bitsPerTrigram)));
    collector.write(words, bit);
    return this.#size - 1;
  }

  /** What another table has of one. Its number in this one. */
  addFrom(other: PassageTable, number: number): number {
    const place = other.#places[number] ?? 0;
    const from = other.#groups[place >>> 5] ?? missing();
    const end = other.#ends[number] ?? 0;
    const firstLine = other.#firstLines[number] ?? 0;
    const [words, bit] = this.#addRow({ end, firstLine }, from.length);
    for (let at = 0; at < from.length; at += 1) {
      if ((((from[at] ?? 0) >>> (place & 31)) & 1) === 1) words[at] = (words[at] ?? 0) | bit;
    }
    return this.#size - 1;
  }

  /** What another realm has of one: {@link indexedAt}. Its number in this one. */
  addIndexed(passage: IndexedPassage): number {
    const bitmap = passage.readWords();
    const [words, bit] = this.#addRow(passage, passage.wordCount * 32);
    for (let at = 0; at < bitmap.length; at += 1) {
      // From one bit that is set to the next: most aren't.
      for (let rest = bitmap[at] ?? 0; rest !== 0;) {
        const highest = 31 - Math.clz32(rest);
        const place = at * 32 + highest;
        words[place] = (words[place] ?? 0) | bit;
        rest ^= 1 << highest;
      }
    }
    return this.#size - 1;
  }

  /** Stays right for as long as somebody has it. Inverse: {@link addIndexed}. */
  indexedAt(number: number): IndexedPassage {
    const place = this.#places[number] ?? 0;
    const words = this.#groups[place >>> 5] ?? missing();
    return {
      end: this.#ends[number] ?? 0,
      firstLine: this.#firstLines[number] ?? 0,
      wordCount: words.length / 32,
      readWords() {
        const shift = place & 31;
        const bitmap = new Uint32Array(words.length / 32);
        for (let at = 0; at < bitmap.length; at += 1) {
          let word = 0;
          for (let bit = 0; bit < 32; bit += 1) {
            word |= (((words[at * 32 + bit] ?? 0) >>> shift) & 1) << bit;
          }
          bitmap[at] = word;
        }
        return bitmap;
      },
    };
  }

  /** False if the passage certainly doesn't hold the trigram. */
  mayHold(number: number, hash: number): boolean {
    const place = this.#places[number] ?? 0;
    const words = this.#groups[place >>> 5] ?? missing();
    return (((words[placeOf(hash, words.length)] ?? 0) >>> (place & 31)) & 1) === 1;
  }

  /** `first`: the number of its text's first passage. */
  passageAt(number: number, first: number): Passage {
    return {
      start: number === first ? 0 : (this.#ends[number - 1] ?? 0),
      end: this.#ends[number] ?? 0,
      firstLine: this.#firstLines[number] ?? 0,
    };
  }

  /** A place for a bitmap of this length: the words of its group, and its bit in them. */
  #addRow(
    { end, firstLine }: Omit<Passage, 'start'>,
    length: number,
  ): [words: Uint32Array, bit: number] {
    if (this.#size === this.#ends.length) {
      this.#places = doubled(this.#places);
      this.#ends = doubled(this.#ends);
      this.#firstLines = doubled(this.#firstLines);
    }
    const place = this.#open.get(length) ?? this.#addGroup(length);
    if ((place & 31) === 31) this.#open.delete(length);
    else this.#open.set(length, place + 1);
    this.#places[this.#size] = place;
    this.#ends[this.#size] = end;
    this.#firstLines[this.#size] = firstLine;
    this.#size += 1;
    return [this.#groups[place >>> 5] ?? missing(), 1 << (place & 31)];
  }

  /** The first place in it. */
  #addGroup(length: number): number {
    this.#bytes += length * 4;
    return (this.#groups.push(new Uint32Array(length)) - 1) * 32;
  }
}

/** At least as many bits, of few lengths: four from each power of two to the next. */
function toLength(bits: number): number {
  const step = Math.max(2 ** (Math.floor(Math.log2(bits)) - 2), 32);
  return Math.ceil(bits / step) * step;
}

/** A table of twice the length, with the same in front. */
export function doubled<Table extends Uint8Array | Uint16Array | Uint32Array>(table: Table): Table {
  // The cast: a typed array's constructor makes one of its own kind.
  const longer = new (table.constructor as new (length: number) => Table)(table.length * 2);
  longer.set(table);
  return longer;
}

function missing(): never {
  throw new TypeError('Every passage is in a group.');
}
