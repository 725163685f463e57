// What a search knows of file contents: how each is to be read, which trigrams it holds, and as much
// of the decoded text as its budget allows. It is kept by content, not by path, so that a draft, a
// branch and a renamed file share all of it, and only what a draft wrote itself is new.
import type { FileContent } from '../tree.ts';
import { isEverything, type IndexPlan, type IndexPlans } from './index-plan.ts';
import { toSearchableText, type SearchableText } from './searchable-text.ts';
import { mayHold, TrigramCollector, type BitsPerTrigram, type TrigramBitmap } from './trigrams.ts';

export interface ContentIndexOptions {
  /** Bytes of decoded text to keep. @defaultValue 96 MB */
  readonly maxTextBytes?: number;
  /** @defaultValue 8 */
  readonly bitsPerTrigram?: BitsPerTrigram;
}

/** One content. What it says is true for good; only its text comes and goes. */
export interface ContentEntry {
  readonly content: FileContent;
  /** `new`: nobody has read it yet. `binary`: not searched unless it is named itself. */
  kind: 'new' | 'text' | 'binary';
  isAscii: boolean;
  bitmap: TrigramBitmap | undefined;
  text: SearchableText | undefined;
  textBytes: number;
  /** The number of the search that used the text last. */
  usedIn: number;
}

// 96 MB: a repository of ten thousand files, read once, stays at hand as text.
const defaultTextBytes = 100_663_296;

// 1 MB: bitmaps are parts of large arrays, as a small one of its own costs 200 bytes more.
const chunkWords = 262_144;

/** Not thread-safe, nor shared: one for each realm. */
export class ContentIndex {
  readonly #maxTextBytes: number;
  readonly #bitsPerTrigram: BitsPerTrigram;
  readonly #byId = new Map<number, ContentEntry>();
  /** A draft's own bytes: gone with the draft. */
  readonly #byBytes = new WeakMap<Uint8Array, ContentEntry>();
  /** Made when first needed: a workspace in which nobody searches shouldn't pay for it. */
  #collector: TrigramCollector | undefined;
  #texts = new Set<ContentEntry>();
  #textBytes = 0;
  #search = 0;
  /** The search in which nothing was found that could go: it need not look again. */
  #fullIn = -1;
  #chunk = new Uint32Array(0);
  #chunkUsed = 0;
  #indexBytes = 0;

  constructor({ maxTextBytes, bitsPerTrigram }: ContentIndexOptions = {}) {
    this.#maxTextBytes = maxTextBytes ?? defaultTextBytes;
    this.#bitsPerTrigram = bitsPerTrigram ?? 8;
  }

  /** Bytes of bitmaps, and of texts. Those of contents that nobody has any more are among them. */
  get bytes(): { readonly index: number; readonly texts: number } {
    return { index: this.#indexBytes, texts: this.#textBytes };
  }

  /** How many contents of the workspace it has an entry for. */
  get size(): number {
    return this.#byId.size;
  }

  /** The one entry of a content, made when it is first asked for. */
  entryOf(content: FileContent): ContentEntry {
    const known =
      typeof content === 'number' ? this.#byId.get(content) : this.#byBytes.get(content);
    if (known) return known;
    const entry: ContentEntry = {
      content,
      kind: 'new',
      isAscii: false,
      bitmap: undefined,
      text: undefined,
      textBytes: 0,
      usedIn: 0,
    };
    if (typeof content === 'number') this.#byId.set(content, entry);
    else this.#byBytes.set(content, entry);
    return entry;
  }

  /** A number for the search that begins: what it uses isn't dropped for what it uses later. */
  startSearch(): number {
    this.#search += 1;
    return this.#search;
  }

  /** Takes in a content's bytes: it is indexed then, and its text kept if there is room. */
  take(entry: ContentEntry, bytes: Uint8Array): SearchableText | 'binary' {
    const text = toSearchableText(bytes, { isExplicit: false });
    if (text === 'binary') {
      entry.kind = 'binary';
      return text;
    }
    if (entry.kind === 'new') {
      this.#index(entry, text, bytes);
      entry.isAscii = text.isAscii;
      entry.kind = 'text';
    }
    this.#keep(entry, text);
    return text;
  }

  /** Indexes what was not read yet, and keeps no text. */
  learn(entry: ContentEntry, bytes: Uint8Array): void {
    if (entry.kind !== 'new') return;
    const text = toSearchableText(bytes, { isExplicit: false });
    if (text === 'binary') {
      entry.kind = 'binary';
      return;
    }
    this.#index(entry, text, bytes);
    entry.isAscii = text.isAscii;
    entry.kind = 'text';
  }

  /** Drops what it has of contents that aren't in use any more. */
  retain(inUse: ReadonlySet<ContentEntry>): void {
    for (const [contentId, entry] of this.#byId) {
      if (!inUse.has(entry)) this.#byId.delete(contentId);
    }
    for (const entry of this.#texts) if (!inUse.has(entry)) this.#drop(entry);
    this.#compact(inUse);
  }

  /** Forgets everything: the same numbers may mean other contents from now on. */
  clear(): void {
    this.#byId.clear();
    this.#texts = new Set();
    this.#textBytes = 0;
    this.#chunk = new Uint32Array(0);
    this.#chunkUsed = 0;
    this.#indexBytes = 0;
  }

  #index(entry: ContentEntry, text: SearchableText, bytes: Uint8Array): void {
    // What is searched of UTF-16 is its text, so that is what must be indexed.
    const searched = isUtf16(bytes) ? new TextEncoder().encode(text.text) : bytes;
    this.#collector ??= new TrigramCollector();
    this.#collector.collect(searched);
    const count = this.#collector.wordCount(this.#bitsPerTrigram);
    entry.bitmap = this.#collector.write(...this.#allocate(count), count);
  }

  #allocate(count: number): [words: Uint32Array, start: number] {
    this.#indexBytes += count * 4;
    if (count > chunkWords / 4) return [new Uint32Array(count), 0];
    if (this.#chunkUsed + count > this.#chunk.length) {
      this.#chunk = new Uint32Array(chunkWords);
      this.#chunkUsed = 0;
    }
    this.#chunkUsed += count;
    return [this.#chunk, this.#chunkUsed - count];
  }

  /** Moves the bitmaps together: a chunk stays as long as one of its bitmaps is there. */
  #compact(inUse: ReadonlySet<ContentEntry>): void {
    this.#chunk = new Uint32Array(0);
    this.#chunkUsed = 0;
    this.#indexBytes = 0;
    for (const entry of inUse) {
      if (!entry.bitmap || typeof entry.content !== 'number') continue;
      const { words, start, shift } = entry.bitmap;
      const count = 2 ** (27 - shift);
      const [moved, at] = this.#allocate(count);
      moved.set(words.subarray(start, start + count), at);
      entry.bitmap = { words: moved, start: at, shift };
    }
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

/** Says of a content whether it may match: the index's answer to one search. */
export type ContentFilter = (entry: ContentEntry) => boolean;

// Of 64 contents, so that asking costs less than what it saves.
const sampleSize = 64;

// Rarer trigrams first; the ninth keeps out next to nothing that eight have let pass.
const maxHashes = 8;

/**
 * The filter of a search over these contents. What is common among them isn't asked for: a group
 * that more than half have costs more than it keeps out.
 */
export function createContentFilter(
  plans: IndexPlans,
  entries: readonly { readonly entry: ContentEntry }[],
): ContentFilter {
  const sample: TrigramBitmap[] = [];
  const step = Math.max(Math.floor(entries.length / sampleSize), 1);
  for (let at = 0; at < entries.length; at += step) {
    const bitmap = entries[at]?.entry.bitmap;
    if (bitmap) sample.push(bitmap);
  }
  const ascii = createBitmapFilter(prune(plans.ascii, sample));
  const wide = createBitmapFilter(prune(plans.wide, sample));
  return ({ bitmap, isAscii }) => !bitmap || (isAscii ? ascii : wide)(bitmap);
}

/** The plan with its most selective parts first, and without those that select nothing. */
function prune(plan: IndexPlan, sample: readonly TrigramBitmap[]): IndexPlan {
  const share = (test: (bitmap: TrigramBitmap) => boolean) => sample.filter(test).length;
  const hashes = plan.hashes
    .map((hash) => ({ hash, count: share((bitmap) => mayHold(bitmap, hash)) }))
    .sort((left, right) => left.count - right.count)
    .slice(0, maxHashes)
    .map(({ hash }) => hash);
  const groups = plan.groups
    .map((members) => {
      const pruned = members.map((member) => prune(member, sample));
      const filters = pruned.map(createBitmapFilter);
      return {
        members: pruned,
        count: share((bitmap) => filters.some((filter) => filter(bitmap))),
      };
    })
    .filter(({ count }) => count * 2 <= sample.length)
    .sort((left, right) => left.count - right.count)
    .map(({ members }) => members);
  return { ...plan, hashes, groups };
}

function createBitmapFilter(plan: IndexPlan): (bitmap: TrigramBitmap) => boolean {
  if (plan.isImpossible) return () => false;
  if (isEverything(plan)) return () => true;
  const { hashes } = plan;
  const groups = plan.groups.map((members) => members.map(createBitmapFilter));
  return (bitmap) => {
    for (const hash of hashes) if (!mayHold(bitmap, hash)) return false;
    for (const members of groups) {
      let isThere = false;
      for (const member of members) {
        isThere = member(bitmap);
        if (isThere) break;
      }
      if (!isThere) return false;
    }
    return true;
  };
}
