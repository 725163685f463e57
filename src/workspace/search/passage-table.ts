// What the index keeps of each passage: its bitmap of trigrams, and where it is in its text. Tables, and
// not objects: passing over ten thousand files is a matter of how few places in memory are looked at.
import type { Passage } from './passages.ts';
import { mayHold, type BitsPerTrigram, type TrigramCollector } from './trigrams.ts';

// 1 MB: bitmaps are parts of large arrays, as a small one of its own costs 200 bytes more. The largest
// bitmap is a thirty-second of it.
const chunkBits = 18;
const chunkWords = 2 ** chunkBits;

/** Passages have numbers, in the order in which they were added. */
export class PassageTable {
  #size = 0;
  /** Of each bitmap the chunk's number times the words of a chunk, and the place in it. */
  #bitmaps = new Uint32Array(1024);
  #wordCounts = new Uint16Array(1024);
  #ends = new Uint32Array(1024);
  #firstLines = new Uint32Array(1024);
  readonly #chunks: Uint32Array[] = [];
  #lastUsed = chunkWords;

  /** Bytes of bitmaps. */
  get bytes(): number {
    const unused = this.#chunks.length === 0 ? 0 : chunkWords - this.#lastUsed;
    return (this.#chunks.length * chunkWords - unused) * 4;
  }

  /** With the trigrams that were collected of it. Its number. */
  add(passage: Passage, collector: TrigramCollector, bitsPerTrigram: BitsPerTrigram): number {
    const count = collector.wordCount(bitsPerTrigram);
    collector.write(...this.#addRow(passage, count), count);
    return this.#size - 1;
  }

  /** What another table has of one. Its number in this one. */
  addFrom(other: PassageTable, number: number): number {
    const count = other.#wordCounts[number] ?? 0;
    const end = other.#ends[number] ?? 0;
    const firstLine = other.#firstLines[number] ?? 0;
    const [words, at] = this.#addRow({ end, firstLine }, count);
    const start = other.#bitmaps[number] ?? 0;
    const from = start & (chunkWords - 1);
    words.set((other.#chunks[start >>> chunkBits] ?? missing()).subarray(from, from + count), at);
    return this.#size - 1;
  }

  mayHold(number: number, hash: number): boolean {
    const start = this.#bitmaps[number] ?? 0;
    const words = this.#chunks[start >>> chunkBits] ?? missing();
    return mayHold(words, start & (chunkWords - 1), this.#wordCounts[number] ?? 0, hash);
  }

  /** `first`: the number of its text's first passage. */
  passageAt(number: number, first: number): Passage {
    return {
      start: number === first ? 0 : (this.#ends[number - 1] ?? 0),
      end: this.#ends[number] ?? 0,
      firstLine: this.#firstLines[number] ?? 0,
    };
  }

  #addRow({ end, firstLine }: Omit<Passage, 'start'>, count: number): [Uint32Array, number] {
    if (this.#size === this.#ends.length) {
      this.#bitmaps = doubled(this.#bitmaps);
      this.#wordCounts = doubled(this.#wordCounts);
      this.#ends = doubled(this.#ends);
      this.#firstLines = doubled(this.#firstLines);
    }
    if (this.#lastUsed + count > chunkWords) {
      this.#chunks.push(new Uint32Array(chunkWords));
      this.#lastUsed = 0;
    }
    const start = this.#lastUsed;
    this.#lastUsed += count;
    const last = this.#chunks.length - 1;
    this.#bitmaps[this.#size] = last * chunkWords + start;
    this.#wordCounts[this.#size] = count;
    this.#ends[this.#size] = end;
    this.#firstLines[this.#size] = firstLine;
    this.#size += 1;
    return [this.#chunks[last] ?? missing(), start];
  }
}

/** A table of twice the length, with the same in front. */
export function doubled<Table extends Uint8Array | Uint16Array | Uint32Array>(table: Table): Table {
  // The cast: a typed array's constructor makes one of its own kind.
  const longer = new (table.constructor as new (length: number) => Table)(table.length * 2);
  longer.set(table);
  return longer;
}

function missing(): never {
  throw new TypeError('Every bitmap is in a chunk.');
}
