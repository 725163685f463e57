// What the index keeps of each passage: which trigrams it holds, and where it is in its text. Bitmaps of
// one length lie crosswise: a word has one bit of each of 32 passages. So whoever asks all passages for
// one trigram looks at a thirty-second of the places in memory, and that is what most of a search costs.
// Of long bitmaps a word has four bits of each of 8: a group that isn't full takes as much memory as one
// that is, and in groups of 32 that was 2.6 % of the text of a corpus of 64 MB.
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
  readonly #groups: Group[] = [];
  /** By the length of their bitmaps, the place that the next passage gets in a group that isn't full. */
  readonly #open = new Map<number, number>();
  #bytes = 0;

  /** Bytes of bitmaps. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many passages there are. */
  get size(): number {
    return this.#size;
  }

  /** How many groups there are: they have numbers, too. */
  get groupCount(): number {
    return this.#groups.length;
  }

  /** With the trigrams that were collected of it. Its number. */
  add(passage: Passage, collector: TrigramCollector, bitsPerTrigram: BitsPerTrigram): number {
    const [group, lane] = this.#addRow(passage, toLength(collector.bitCount(bitsPerTrigram)));
    collector.forEachPlace(group.length, (at) => mark(group, lane, at));
    return this.#size - 1;
  }

  /** What another table has of one. Its number in this one. */
  addFrom(other: PassageTable, number: number): number {
    const [from, fromLane] = other.#find(number);
    const end = other.#ends[number] ?? 0;
    const firstLine = other.#firstLines[number] ?? 0;
    const [group, lane] = this.#addRow({ end, firstLine }, from.length);
    for (let at = 0; at < from.length; at += 1) {
      if (isMarked(from, fromLane, at)) mark(group, lane, at);
    }
    return this.#size - 1;
  }

  /** What another realm has of one: {@link indexedAt}. Its number in this one. */
  addIndexed(passage: IndexedPassage): number {
    const bitmap = passage.readWords();
    const [group, lane] = this.#addRow(passage, passage.wordCount * 32);
    for (let at = 0; at < bitmap.length; at += 1) {
      // From one bit that is set to the next: most aren't.
      for (let rest = bitmap[at] ?? 0; rest !== 0;) {
        const highest = 31 - Math.clz32(rest);
        mark(group, lane, at * 32 + highest);
        rest ^= 1 << highest;
      }
    }
    return this.#size - 1;
  }

  /** Stays right for as long as somebody has it. Inverse: {@link addIndexed}. */
  indexedAt(number: number): IndexedPassage {
    const [group, lane] = this.#find(number);
    return {
      end: this.#ends[number] ?? 0,
      firstLine: this.#firstLines[number] ?? 0,
      wordCount: group.length / 32,
      readWords() {
        const bitmap = new Uint32Array(group.length / 32);
        for (let at = 0; at < bitmap.length; at += 1) {
          let word = 0;
          for (let bit = 0; bit < 32; bit += 1) {
            if (isMarked(group, lane, at * 32 + bit)) word |= 1 << bit;
          }
          bitmap[at] = word;
        }
        return bitmap;
      },
    };
  }

  /** A passage's group, times 32, and its lane there. */
  placeOf(number: number): number {
    return this.#places[number] ?? 0;
  }

  /** How many passages a group has. They have its first lanes. */
  sizeOf(group: number): number {
    return (this.#groups[group] ?? missing()).size;
  }

  /** A bit for each lane of a group whose passage may hold the trigram; others certainly don't. */
  lanesHolding(group: number, hash: number): number {
    const { words, length, spread } = this.#groups[group] ?? missing();
    const at = placeOf(hash, length);
    return ((words[at >>> spread] ?? 0) >>> bitAt(spread, 0, at)) & (-1 >>> (32 - (32 >>> spread)));
  }

  /** False if the passage certainly doesn't hold the trigram. */
  mayHold(number: number, hash: number): boolean {
    const place = this.#places[number] ?? 0;
    const group = this.#groups[place >>> 5] ?? missing();
    return isMarked(group, place & 31, placeOf(hash, group.length));
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
  ): [group: Group, lane: number] {
    if (this.#size === this.#ends.length) {
      this.#places = doubled(this.#places);
      this.#ends = doubled(this.#ends);
      this.#firstLines = doubled(this.#firstLines);
    }
    const place = this.#open.get(length) ?? this.#addGroup(length);
    this.#places[this.#size] = place;
    this.#ends[this.#size] = end;
    this.#firstLines[this.#size] = firstLine;
    this.#size += 1;
    const group = this.#groups[place >>> 5] ?? missing();
    const lane = place & 31;
    group.size += 1;
    if (lane + 1 < 32 >>> group.spread) this.#open.set(length, place + 1);
    else this.#open.delete(length);
    return [group, lane];
  }

  /** The first place in it. */
  #addGroup(length: number): number {
    const spread = length > mostShortBits ? longSpread : 0;
    const words = new Uint32Array(length >>> spread);
    this.#bytes += words.byteLength;
    return (this.#groups.push({ words, length, spread, size: 0 }) - 1) * 32;
  }

  #find(number: number): [group: Group, lane: number] {
    const place = this.#places[number] ?? 0;
    return [this.#groups[place >>> 5] ?? missing(), place & 31];
  }
}

/** Passages whose bitmaps are equally long. */
interface Group {
  /** Each has `2 ** spread` bits of as many passages as that leaves room for, which are its lanes. */
  readonly words: Uint32Array;
  /** Of each bitmap, in bits. */
  readonly length: number;
  readonly spread: number;
  /** How many passages. */
  size: number;
}

// Of 32 such bitmaps, 32 KB.
const mostShortBits = 8192;
const longSpread = 2;

function isMarked({ words, spread }: Group, lane: number, at: number): boolean {
  return (((words[at >>> spread] ?? 0) >>> bitAt(spread, lane, at)) & 1) === 1;
}

function mark({ words, spread }: Group, lane: number, at: number): void {
  const word = at >>> spread;
  words[word] = (words[word] ?? 0) | (1 << bitAt(spread, lane, at));
}

function bitAt(spread: number, lane: number, at: number): number {
  return ((at & ((1 << spread) - 1)) << (5 - spread)) | lane;
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
