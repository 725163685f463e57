// The index's table of passages: the trigram signature and the place of each. Signatures are
// bit-sliced (as in BitFunnel): a word holds one bit of each of 32 passages. A query for one
// trigram therefore reads a thirty-second of the memory. Words of long signatures hold four bits of
// each of 8 passages. A partly filled group takes as much memory as a full one. In groups of 32
// that was 2.6 % of the text of a 64 MB corpus.
import type { Passage } from './passages.ts';
import { placeOf, type BitsPerTrigram, type TrigramCollector } from './trigrams.ts';

/** The plain form of a table, for another realm. */
export interface PlainPassages {
  /** For each passage its group's number times 32, plus its lane there. */
  readonly places: Uint32Array;
  /** The ends of passages in their texts. Each passage begins where the one before it ends. */
  readonly ends: Uint32Array;
  readonly firstLines: Uint32Array;
  readonly groups: readonly PassageGroup[];
}

/** Passages whose bitmaps are equally long. */
export interface PassageGroup {
  /**
   * Each word has `2 ** spread` bits of each of its passages. It holds as many passages as fit; these are its lanes.
   */
  readonly words: Uint32Array;
  /** The length of each bitmap, in bits. */
  readonly length: number;
  /** The spread of the length: see {@link spreadOf}. */
  readonly spread: number;
  /** The number of passages. They have the group's first lanes. */
  size: number;
}

/** Passages have numbers, in the order in which they were added. */
export class PassageTable {
  #size = 0;
  /** For each passage its group's number times 32, plus its bit in the group's words. */
  #places = new Uint32Array(1024);
  #ends = new Uint32Array(1024);
  #firstLines = new Uint32Array(1024);
  readonly #groups: PassageGroup[] = [];
  /** The next free lane in a group that isn't full, by bitmap length. */
  readonly #open = new Map<number, number>();
  #bytes = 0;

  /** The bytes of bitmaps. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The number of passages. */
  get size(): number {
    return this.#size;
  }

  /** The number of groups, which are numbered, too. */
  get groupCount(): number {
    return this.#groups.length;
  }

  /** Adds a passage with its collected trigrams. Returns its number. */
  add(passage: Passage, collector: TrigramCollector, bitsPerTrigram: BitsPerTrigram): number {
    const [group, lane] = this.#addRow(passage, toLength(collector.bitCount(bitsPerTrigram)));
    collector.forEachPlace(group.length, (at) => mark(group, lane, at));
    return this.#size - 1;
  }

  /** Copies one passage of another table. Gives its number in this one. */
  addFrom(other: PassageTable, number: number): number {
    const [{ words: from, length, spread }, fromLane] = other.#find(number);
    const end = other.#ends[number] ?? 0;
    const firstLine = other.#firstLines[number] ?? 0;
    const [{ words }, lane] = this.#addRow({ end, firstLine }, length);
    // The bits of the first lane: every n-th bit, where n is the number of lanes.
    const mask = 0xffffffff / (2 ** (32 >>> spread) - 1);
    for (let at = 0; at < words.length; at += 1) {
      words[at] = (words[at] ?? 0) | ((((from[at] ?? 0) >>> fromLane) & mask) << lane);
    }
    return this.#size - 1;
  }

  /**
   * Adds all of another table's groups without copying bitmaps. Their free lanes stay unused. Gives
   * the number of the first passage.
   */
  addAll({ places, ends, firstLines, groups }: PlainPassages): number {
    const first = this.#size;
    const firstGroup = this.#groups.length;
    while (this.#ends.length < first + ends.length) this.#grow();
    this.#ends.set(ends, first);
    this.#firstLines.set(firstLines, first);
    for (let at = 0; at < places.length; at += 1) {
      this.#places[first + at] = (places[at] ?? 0) + firstGroup * 32;
    }
    this.#size += ends.length;
    for (const group of groups) this.#addGroup(group);
    return first;
  }

  /**
   * The table's present content, not copied: valid until something is added. Inverse:
   * {@link addAll}.
   */
  toPlain(): PlainPassages {
    return {
      places: this.#places.subarray(0, this.#size),
      ends: this.#ends.subarray(0, this.#size),
      firstLines: this.#firstLines.subarray(0, this.#size),
      groups: this.#groups,
    };
  }

  /** A passage's group times 32, plus its lane there. */
  placeOf(number: number): number {
    return this.#places[number] ?? 0;
  }

  /** The number of a group's passages. They have its first lanes. */
  sizeOf(group: number): number {
    return (this.#groups[group] ?? missing()).size;
  }

  /** A bit for each lane of a group whose passage may hold the trigram. The other passages certainly don't hold it. */
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

  /** Makes a place for a bitmap of this length: the words of its group, and its bit in them. */
  #addRow(
    { end, firstLine }: Omit<Passage, 'start'>,
    length: number,
  ): [group: PassageGroup, lane: number] {
    if (this.#size === this.#ends.length) this.#grow();
    const place = this.#open.get(length) ?? this.#createGroup(length);
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

  /** Makes a group. Gives its first place. */
  #createGroup(length: number): number {
    const spread = spreadOf(length);
    return this.#addGroup({ words: new Uint32Array(length >>> spread), length, spread, size: 0 });
  }

  /** Adds a group. Gives its first place. */
  #addGroup(group: PassageGroup): number {
    this.#bytes += group.words.byteLength;
    return (this.#groups.push(group) - 1) * 32;
  }

  #grow(): void {
    this.#places = doubled(this.#places);
    this.#ends = doubled(this.#ends);
    this.#firstLines = doubled(this.#firstLines);
  }

  #find(number: number): [group: PassageGroup, lane: number] {
    const place = this.#places[number] ?? 0;
    return [this.#groups[place >>> 5] ?? missing(), place & 31];
  }
}

// 32 such bitmaps take 32 KB.
const mostShortBits = 8192;
const longSpread = 2;

/** How many bits of one bitmap a word has next to each other, as a power of two. */
export function spreadOf(length: number): number {
  return length > mostShortBits ? longSpread : 0;
}

function isMarked({ words, spread }: PassageGroup, lane: number, at: number): boolean {
  return (((words[at >>> spread] ?? 0) >>> bitAt(spread, lane, at)) & 1) === 1;
}

function mark({ words, spread }: PassageGroup, lane: number, at: number): void {
  const word = at >>> spread;
  words[word] = (words[word] ?? 0) | (1 << bitAt(spread, lane, at));
}

function bitAt(spread: number, lane: number, at: number): number {
  return ((at & ((1 << spread) - 1)) << (5 - spread)) | lane;
}

/**
 * The length of a bitmap for at least this number of bits. There are only a few lengths: four from each power of two
 * to the next.
 */
function toLength(bits: number): number {
  const step = Math.max(2 ** (Math.floor(Math.log2(bits)) - 2), 32);
  return Math.ceil(bits / step) * step;
}

/** A table of twice the length, with the same beginning. */
export function doubled<Table extends Uint8Array | Uint16Array | Uint32Array>(table: Table): Table {
  // The cast: a typed array's constructor makes one of its own kind.
  const longer = new (table.constructor as new (length: number) => Table)(table.length * 2);
  longer.set(table);
  return longer;
}

function missing(): never {
  throw new TypeError('Every passage is in a group.');
}
