// What a search knows of file contents: how each is to be read, which trigrams it holds, and as much
// of the decoded text as its budget allows. It is kept by content, not by path, so that a draft, a
// branch and a renamed file share all of it, and only what a draft wrote itself is new.
import type { ContentId } from '../../core/change-set.ts';
import type { FileContent } from '../tree.ts';
import { isEverything, type IndexPlan, type IndexPlans } from './index-plan.ts';
import { toSearchableText, type SearchableText } from './searchable-text.ts';
import { mayHold, TrigramCollector, wordCountOf, type BitsPerTrigram } from './trigrams.ts';

export interface ContentIndexOptions {
  /** Bytes of decoded text to keep. @defaultValue 96 MB */
  readonly maxTextBytes?: number;
  /** @defaultValue 8 */
  readonly bitsPerTrigram?: BitsPerTrigram;
}

/** One content. What the index says of it is true for good; only its text comes and goes. */
export interface ContentEntry {
  readonly content: FileContent;
  /** Its row in the index's tables. */
  readonly row: number;
  text: SearchableText | undefined;
  textBytes: number;
  /** The number of the search that used the text last. */
  usedIn: number;
}

/** `new`: nobody has read it yet. `binary`: not searched unless it is named itself. */
export type ContentKind = 'new' | 'binary' | 'text';

// What a row's first number says. Texts are told apart because each kind has its own plan.
const newRow = 0;
const binaryRow = 1;
const asciiRow = 2;
const wideRow = 3;

// 96 MB: a repository of ten thousand files, read once, stays at hand as text.
const defaultTextBytes = 100_663_296;

// 1 MB: bitmaps are parts of large arrays, as a small one of its own costs 200 bytes more. The largest
// bitmap is an eighth of it.
const chunkBits = 18;
const chunkWords = 2 ** chunkBits;

/** Not shared: one for each realm. */
export class ContentIndex {
  readonly #maxTextBytes: number;
  readonly #bitsPerTrigram: BitsPerTrigram;
  readonly #byId = new Map<ContentId, ContentEntry>();
  /** A draft's own bytes: gone with the draft. */
  #byBytes = new WeakMap<Uint8Array, ContentEntry>();
  /** Made when first needed: a workspace in which nobody searches shouldn't pay for it. */
  #collector: TrigramCollector | undefined;
  // Tables, and not fields of entries: passing over ten thousand files is a matter of how few places
  // in memory are looked at for each.
  #rows = 0;
  #unread = 0;
  #kinds = new Uint8Array(1024);
  #shifts = new Uint8Array(1024);
  /** The chunk's number times the words of a chunk, and the place in it. */
  #starts = new Uint32Array(1024);
  #chunks: Uint32Array[] = [];
  #lastUsed = chunkWords;
  #texts = new Set<ContentEntry>();
  #textBytes = 0;
  #search = 0;
  /** The search in which nothing was found that could go: it need not look again. */
  #fullIn = -1;

  constructor({ maxTextBytes, bitsPerTrigram }: ContentIndexOptions = {}) {
    this.#maxTextBytes = maxTextBytes ?? defaultTextBytes;
    this.#bitsPerTrigram = bitsPerTrigram ?? 8;
  }

  /** Bytes of bitmaps, and of texts. Those of contents that nobody has any more are among them. */
  get bytes(): { readonly bitmaps: number; readonly texts: number } {
    const unused = this.#chunks.length === 0 ? 0 : chunkWords - this.#lastUsed;
    return {
      bitmaps: (this.#chunks.length * chunkWords - unused) * 4,
      texts: this.#textBytes,
    };
  }

  /** How many contents of the workspace it has an entry for. */
  get size(): number {
    return this.#byId.size;
  }

  /** How many contents were asked for and never read. Those that nobody has any more are among them. */
  get unread(): number {
    return this.#unread;
  }

  /** The one entry of a content, made when it is first asked for. */
  entryOf(content: FileContent): ContentEntry {
    const known =
      typeof content === 'number' ? this.#byId.get(content) : this.#byBytes.get(content);
    if (known) return known;
    const entry: ContentEntry = {
      content,
      row: this.#addRow(),
      text: undefined,
      textBytes: 0,
      usedIn: 0,
    };
    if (typeof content === 'number') this.#byId.set(content, entry);
    else this.#byBytes.set(content, entry);
    return entry;
  }

  kindOf({ row }: ContentEntry): ContentKind {
    const kind = this.#kinds[row];
    return kind === newRow ? 'new' : kind === binaryRow ? 'binary' : 'text';
  }

  /** A number for the search that begins: what it uses isn't dropped for what it uses later. */
  startSearch(): number {
    this.#search += 1;
    return this.#search;
  }

  /** Takes in a content's bytes: it is indexed then, and its text kept if there is room. */
  take(entry: ContentEntry, bytes: Uint8Array): SearchableText | 'binary' {
    const text = toSearchableText(bytes, { isExplicit: false });
    if (this.#kinds[entry.row] === newRow) this.#learn(entry.row, text, bytes);
    if (text !== 'binary') this.#keep(entry, text);
    return text;
  }

  /**
   * The filter of a search over these contents: false for a row that certainly doesn't match, binary
   * ones among them. What is common among the contents isn't asked for: a group that more than half
   * have costs more than it keeps out.
   */
  createFilter(plans: IndexPlans, rows: Int32Array): (row: number) => boolean {
    const sample = this.#sample(rows);
    const ascii = this.#createPlanFilter(prune(plans.ascii, sample));
    const wide = this.#createPlanFilter(prune(plans.wide, sample));
    return (row) => {
      const kind = this.#kinds[row];
      if (kind === asciiRow) return ascii(row);
      return kind === wideRow ? wide(row) : kind === newRow;
    };
  }

  /** Forgets what isn't among these contents any more, and all that is only a draft's. */
  retain(live: ReadonlyMap<ContentId, unknown>): void {
    for (const [contentId, entry] of this.#byId) {
      if (live.has(contentId)) continue;
      this.#byId.delete(contentId);
      this.#drop(entry);
    }
    for (const entry of this.#texts) if (typeof entry.content !== 'number') this.#drop(entry);
    this.#byBytes = new WeakMap();
    this.#compact();
  }

  #addRow(): number {
    if (this.#rows === this.#kinds.length) {
      this.#kinds = grown(this.#kinds, new Uint8Array(this.#rows * 2));
      this.#shifts = grown(this.#shifts, new Uint8Array(this.#rows * 2));
      this.#starts = grown(this.#starts, new Uint32Array(this.#rows * 2));
    }
    this.#rows += 1;
    this.#unread += 1;
    return this.#rows - 1;
  }

  #learn(row: number, text: SearchableText | 'binary', bytes: Uint8Array): void {
    this.#unread -= 1;
    if (text === 'binary') {
      this.#kinds[row] = binaryRow;
      return;
    }
    // What is searched of UTF-16 is its text, so that is what must be indexed.
    const searched = isUtf16(bytes) ? new TextEncoder().encode(text.text) : bytes;
    this.#collector ??= new TrigramCollector();
    this.#collector.collect(searched);
    const count = this.#collector.wordCount(this.#bitsPerTrigram);
    const [words, start] = this.#allocate(row, count);
    this.#shifts[row] = this.#collector.write(words, start, count);
    this.#kinds[row] = text.isAscii ? asciiRow : wideRow;
  }

  #allocate(row: number, count: number): [words: Uint32Array, start: number] {
    if (this.#lastUsed + count > chunkWords) {
      this.#chunks.push(new Uint32Array(chunkWords));
      this.#lastUsed = 0;
    }
    const start = this.#lastUsed;
    this.#lastUsed += count;
    const last = this.#chunks.length - 1;
    this.#starts[row] = last * chunkWords + start;
    return [this.#chunks[last] ?? missing(), start];
  }

  /**
   * The tables anew, for the entries that are left. Rows of those that are gone, which a list may
   * still name, become new ones that nobody fills.
   */
  #compact(): void {
    const [kinds, shifts, starts, chunks] = [this.#kinds, this.#shifts, this.#starts, this.#chunks];
    this.#kinds = new Uint8Array(kinds.length);
    this.#chunks = [];
    this.#lastUsed = chunkWords;
    this.#unread = 0;
    for (const { row } of this.#byId.values()) {
      const kind = kinds[row] ?? newRow;
      if (kind === newRow) this.#unread += 1;
      this.#kinds[row] = kind;
      if (kind !== asciiRow && kind !== wideRow) continue;
      const from = starts[row] ?? 0;
      const count = wordCountOf(shifts[row] ?? 0);
      const chunk = chunks[from >>> chunkBits] ?? missing();
      const at = from & (chunkWords - 1);
      const [words, start] = this.#allocate(row, count);
      words.set(chunk.subarray(at, at + count), start);
    }
  }

  #sample(rows: Int32Array): TrigramTest {
    const sampled: number[] = [];
    const step = Math.max(Math.floor(rows.length / sampleSize), 1);
    for (let at = 0; at < rows.length; at += step) {
      const row = rows[at] ?? 0;
      if ((this.#kinds[row] ?? newRow) >= asciiRow) sampled.push(row);
    }
    return {
      size: sampled.length,
      count: (plan) => sampled.filter(this.#createPlanFilter(plan)).length,
    };
  }

  #createPlanFilter(plan: IndexPlan): (row: number) => boolean {
    if (plan.isImpossible) return () => false;
    if (isEverything(plan)) return () => true;
    const { hashes } = plan;
    const groups = plan.groups.map((members) =>
      members.map((member) => this.#createPlanFilter(member)),
    );
    return (row) => {
      // Looked up each time: another search may have the tables grow or shrink while this one waits.
      const start = this.#starts[row] ?? 0;
      const words = this.#chunks[start >>> chunkBits];
      if (!words) return true;
      const shift = this.#shifts[row] ?? 0;
      for (const hash of hashes)
        if (!mayHold(words, start & (chunkWords - 1), shift, hash)) return false;
      for (const members of groups) if (!isAny(members, row)) return false;
      return true;
    };
  }

  #keep(entry: ContentEntry, text: SearchableText): void {
    if (entry.text) return;
    // An engine keeps ASCII in one byte a character, and all other text in two.
    const size = text.isAscii ? text.text.length : text.text.length * 2;
    if (this.#textBytes + size > this.#maxTextBytes && !this.#makeRoom(size)) return;
    entry.text = text;
    entry.textBytes = size;
    this.#textBytes += size;
    this.#texts.add(entry);
  }

  /** The texts used longest ago go, but none of this search: it would drop what it comes to next. */
  #makeRoom(size: number): boolean {
    if (size > this.#maxTextBytes || this.#fullIn === this.#search) return false;
    const old = [...this.#texts].filter(({ usedIn }) => usedIn < this.#search);
    old.sort((left, right) => left.usedIn - right.usedIn);
    for (const entry of old) {
      this.#drop(entry);
      // An eighth at once, so that it isn't sorted anew for each file.
      if (this.#textBytes + size <= this.#maxTextBytes * 0.875) return true;
    }
    const hasRoom = this.#textBytes + size <= this.#maxTextBytes;
    if (!hasRoom) this.#fullIn = this.#search;
    return hasRoom;
  }

  #drop(entry: ContentEntry): void {
    if (!entry.text) return;
    this.#textBytes -= entry.textBytes;
    this.#texts.delete(entry);
    entry.text = undefined;
    entry.textBytes = 0;
  }
}

function isUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

function isAny(members: readonly ((row: number) => boolean)[], row: number): boolean {
  for (const member of members) if (member(row)) return true;
  return false;
}

function grown<Table extends Uint8Array | Uint32Array>(from: Table, to: Table): Table {
  to.set(from);
  return to;
}

function missing(): never {
  throw new TypeError('Every bitmap is in a chunk.');
}

/** How many of some contents a plan would let pass. */
interface TrigramTest {
  readonly size: number;
  count(plan: IndexPlan): number;
}

// Of 64 contents, so that asking costs less than what it saves.
const sampleSize = 64;

// Rarer trigrams first; the ninth keeps out next to nothing that eight have let pass.
const maxHashes = 8;

/** The plan with its most selective parts first, and without those that select nothing. */
function prune(plan: IndexPlan, sample: TrigramTest): IndexPlan {
  const byCount = (left: { readonly count: number }, right: { readonly count: number }) =>
    left.count - right.count;
  const hashes = plan.hashes
    .map((hash) => ({
      hash,
      count: sample.count({ hashes: [hash], groups: [], isImpossible: false }),
    }))
    .sort(byCount)
    .slice(0, maxHashes)
    .map(({ hash }) => hash);
  const groups = plan.groups
    .map((group) => {
      const members = group.map((member) => prune(member, sample));
      return {
        members,
        count: sample.count({ hashes: [], groups: [members], isImpossible: false }),
      };
    })
    .filter(({ count }) => count * 2 <= sample.size)
    .sort(byCount)
    .map(({ members }) => members);
  return { ...plan, hashes, groups };
}
