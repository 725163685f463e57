// The index of file contents: how each is decoded, which trigrams it holds, and a budgeted cache of
// decoded texts. Entries are keyed by content, not by path. Drafts, branches and renamed files
// therefore share them, and only a draft's own writes are new.
import { throwIfAborted } from '../../core/async/abort.ts';
import type { ContentId } from '../../core/change-set.ts';
import { nextTask } from '../../core/async/next-task.ts';
import { detectFormat } from '../../text/encoding.ts';
import type { FileContent } from '../../workspace/tree/tree.ts';
import { ContentFilter } from './content-filter.ts';
import { asciiRow, binaryRow, ContentTables, goneRow, newRow, wideRow } from './content-tables.ts';
import { KeptTexts } from './kept-texts.ts';
import type { IndexPlans } from './index-plan.ts';
import { PassageTable, type PlainPassages } from './passage-table.ts';
import { toPassages, type Passage } from './passages.ts';
import { toSearchableText, type SearchableText } from './searchable-text.ts';
import { TrigramCollector, type BitsPerTrigram } from './trigrams.ts';

export interface ContentIndexOptions {
  /** Bytes of decoded text to keep, all realms of a tab together. @defaultValue 96 MB */
  readonly maxTextBytes?: number;
  /**
   * Reports newly cached texts, so that the tab's other realms evict theirs. It also reports the
   * bytes left after evictions for them.
   */
  readonly onKept?: (texts: KeptHere) => void;
  /** @defaultValue 8 */
  readonly bitsPerTrigram?: BitsPerTrigram;
}

/** The entry of one content. It never becomes wrong; only its cached text comes and goes. */
export interface ContentEntry {
  readonly content: FileContent;
  /** Its row in the index's tables. */
  readonly row: number;
}

/** Texts that one realm has newly cached. */
export interface KeptHere {
  readonly contents: readonly ContentId[];
  /** How many bytes of texts the realm now caches in total. */
  readonly bytes: number;
}

/** Texts that another realm has newly cached. */
export interface KeptElsewhere extends KeptHere {
  /** How many bytes of texts all other realms now cache. */
  readonly bytes: number;
  /** How many realms share the budget, this one among them. */
  readonly realms: number;
}

/** The entries of an index, for another index: their passages in order. */
export interface KnownContents extends PlainPassages {
  readonly contentIds: Float64Array;
  /**
   * The kind of each content, as a number of the index's tables. Contents that weren't read yet are
   * left out.
   */
  readonly kinds: Uint8Array;
  /** The number of passages of each; 0 for a binary one. */
  readonly passageCounts: Uint32Array;
}

/** `new`: not read yet. `binary`: not searched unless the search names the file itself. */
export type ContentKind = 'new' | 'binary' | 'text';

// 96 MB: the texts of a repository of ten thousand files stay cached.
const defaultTextBytes = 100_663_296;

// The share of live passages below which the table is compacted. Compacting takes 100 ms and more
// for ten thousand files, without a yield.
const leastUsed = 0.75;

// 256 KB of bitmaps. Moving their bits to other lanes, word by word, takes about 3 ms.
const bytesAtOnce = 262_144;

// Creating this number of entries takes some milliseconds.
const entriesAtOnce = 2048;

/** An index isn't shared: each realm has its own. */
export class ContentIndex {
  readonly bitsPerTrigram: BitsPerTrigram;
  readonly #byId = new Map<ContentId, ContentEntry>();
  /** The entries of a draft's own bytes. They are freed with the draft. */
  #byBytes = new WeakMap<Uint8Array, ContentEntry>();
  #draftRows: number[] = [];
  /** Created on first use, so that a workspace without searches doesn't need its memory. */
  #collector: TrigramCollector | undefined;
  readonly #tables = new ContentTables();
  #unread = 0;
  #learned = 0;
  readonly #texts: KeptTexts;
  readonly #maxTextBytes: number;
  /** True if other realms cache texts too. */
  #isOneOfMany = false;
  readonly #onKept: ((texts: KeptHere) => void) | undefined;
  #untold: ContentId[] = [];
  #isTelling = false;

  constructor({ maxTextBytes, bitsPerTrigram, onKept }: ContentIndexOptions = {}) {
    this.#maxTextBytes = maxTextBytes ?? defaultTextBytes;
    this.#texts = new KeptTexts(this.#maxTextBytes);
    this.bitsPerTrigram = bitsPerTrigram ?? 8;
    this.#onKept = onKept;
  }

  /** The bytes of bitmaps, and of texts. Stale contents are included. */
  get bytes(): { readonly bitmaps: number; readonly texts: number } {
    return { bitmaps: this.#tables.passages.bytes, texts: this.#texts.bytes };
  }

  /** The number of the workspace's contents with an entry. */
  get size(): number {
    return this.#byId.size;
  }

  /** The number of drafts' contents with an entry, since drafts were last forgotten. */
  get draftSize(): number {
    return this.#draftRows.length;
  }

  /** The number of contents that were requested and never read. Stale contents are included. */
  get unread(): number {
    return this.#unread;
  }

  /** The characters of all indexed texts of the workspace. Texts that are gone are included. */
  get learned(): number {
    return this.#learned;
  }

  /** The one entry of a content, made when it is first asked for. */
  entryOf(content: FileContent): ContentEntry {
    const known =
      typeof content === 'number' ? this.#byId.get(content) : this.#byBytes.get(content);
    if (known) return known;
    const entry: ContentEntry = { content, row: this.#addRow() };
    if (typeof content === 'number') this.#byId.set(content, entry);
    else {
      this.#byBytes.set(content, entry);
      this.#draftRows.push(entry.row);
    }
    return entry;
  }

  kindOf({ row }: ContentEntry): ContentKind {
    const kind = this.#tables.kinds[row];
    return kind === binaryRow ? 'binary' : kind === asciiRow || kind === wideRow ? 'text' : 'new';
  }

  /**
   * Begins a search. Texts that the new search uses aren't evicted for texts that it uses later.
   */
  startSearch(): void {
    this.#texts.startSearch();
  }

  /** A row's text for the search that began last, if it is cached. */
  useText(row: number): SearchableText | undefined {
    return this.#texts.use(row);
  }

  hasText(row: number): boolean {
    return this.#texts.has(row);
  }

  /**
   * Caches a text if there is room. Each text is cached in one realm of a tab, the one that needed
   * it last. A draft's own texts aren't cached: they become other contents when committed.
   */
  keepText({ content, row }: ContentEntry, text: SearchableText): void {
    if (typeof content !== 'number' || !this.#texts.keep(row, text) || !this.#onKept) return;
    this.#untold.push(content);
    this.#tellSoon();
  }

  /**
   * Evicts texts that another realm caches now, and texts beyond this realm's share of the budget.
   * It reports the remaining budget to the others.
   */
  yieldTexts({ contents, bytes, realms }: KeptElsewhere): void {
    const before = this.#texts.bytes;
    for (const content of contents) {
      const entry = this.#byId.get(content);
      if (entry) this.#texts.drop(entry.row);
    }
    this.#isOneOfMany = bytes > 0;
    // The budget that others leave, but never less than an equal share.
    this.#texts.limit(Math.max(this.#maxTextBytes - bytes, this.#maxTextBytes / realms));
    if (this.#texts.bytes < before) this.#tellSoon();
  }

  /**
   * Indexes a content's bytes. Its text is cached too, unless other realms may hold it: then only
   * matching texts are cached here.
   */
  take(entry: ContentEntry, bytes: Uint8Array): SearchableText | 'binary' {
    const text = toSearchableText(bytes, { isExplicit: false });
    if (this.kindOf(entry) === 'new') {
      this.#learn(entry.row, text, bytes);
      if (text !== 'binary' && typeof entry.content === 'number') this.#learned += text.text.length;
    }
    if (text !== 'binary' && !this.#isOneOfMany) this.keepText(entry, text);
    return text;
  }

  /** The filter of one search. */
  createFilter(plans: IndexPlans): ContentFilter {
    return new ContentFilter(this.#tables, plans);
  }

  /** Drops entries of contents that aren't live, and all entries of drafts. */
  retain(live: ReadonlyMap<ContentId, unknown>): void {
    let used = 0;
    for (const [contentId, { row }] of this.#byId) {
      if (live.has(contentId)) used += this.#tables.passageCounts[row] ?? 0;
      else {
        this.#byId.delete(contentId);
        this.#forget(row);
      }
    }
    for (const row of this.#draftRows) this.#forget(row);
    this.#draftRows = [];
    this.#byBytes = new WeakMap();
    if (used < this.#tables.passages.size * leastUsed) this.#compact();
  }

  /** Copies the facts about these contents, in slices. Inverse: {@link adopt}. */
  async knownOf(live: ReadonlyMap<ContentId, unknown>): Promise<KnownContents> {
    const tables = this.#tables;
    const { passages } = tables;
    const contentIds: ContentId[] = [];
    const kinds: number[] = [];
    const passageCounts: number[] = [];
    const numbers: number[] = [];
    for (const [contentId, { row }] of this.#byId) {
      const kind = tables.kinds[row] ?? newRow;
      if (kind === newRow || !live.has(contentId)) continue;
      const first = tables.firstPassages[row] ?? 0;
      const count = tables.passageCounts[row] ?? 0;
      contentIds.push(contentId);
      kinds.push(kind);
      passageCounts.push(count);
      for (let at = first; at < first + count; at += 1) numbers.push(at);
    }
    // The table may be replaced meanwhile, but its content stays.
    const copy = new PassageTable();
    let restAt = bytesAtOnce;
    for (const number of numbers) {
      copy.addFrom(passages, number);
      if (copy.bytes < restAt) continue;
      await nextTask();
      restAt = copy.bytes + bytesAtOnce;
    }
    return {
      contentIds: Float64Array.from(contentIds),
      kinds: Uint8Array.from(kinds),
      passageCounts: Uint32Array.from(passageCounts),
      ...copy.toPlain(),
    };
  }

  /**
   * Merges the entries of another index with as many bits a trigram, in slices; throws `aborted`.
   * Entries made meanwhile stay. Inverse: {@link knownOf}.
   */
  async adopt(known: KnownContents, signal: AbortSignal): Promise<void> {
    const { contentIds, kinds, passageCounts, ends } = known;
    const tables = this.#tables;
    let table: PassageTable | undefined;
    let first = 0;
    let done = 0;
    for (let at = 0; at < contentIds.length; at += 1) {
      if (at % entriesAtOnce === entriesAtOnce - 1) {
        await nextTask();
        throwIfAborted(signal);
      }
      if (table !== tables.passages) {
        // This happens at first, and after entries were dropped meanwhile, which may have removed passages without an
        // entry.
        table = tables.passages;
        first = table.addAll(known);
      }
      const { row } = this.entryOf(contentIds[at] ?? 0);
      const count = passageCounts[at] ?? 0;
      if (tables.kinds[row] === newRow) {
        tables.kinds[row] = kinds[at] ?? newRow;
        tables.firstPassages[row] = first + done;
        tables.passageCounts[row] = count;
        this.#unread -= 1;
        this.#learned += count === 0 ? 0 : (ends[done + count - 1] ?? 0);
      }
      done += count;
    }
  }

  /** Reports all texts of a batch together. */
  #tellSoon(): void {
    if (this.#isTelling || !this.#onKept) return;
    this.#isTelling = true;
    queueMicrotask(() => {
      this.#isTelling = false;
      this.#onKept?.({ contents: this.#untold, bytes: this.#texts.bytes });
      this.#untold = [];
    });
  }

  #addRow(): number {
    this.#texts.addRow();
    this.#unread += 1;
    return this.#tables.addRow();
  }

  #learn(row: number, text: SearchableText | 'binary', bytes: Uint8Array): void {
    if (this.#tables.kinds[row] === newRow) this.#unread -= 1;
    if (text === 'binary') {
      this.#tables.kinds[row] = binaryRow;
      return;
    }
    const collector = (this.#collector ??= new TrigramCollector());
    const passages = toPassages(text.text);
    passages.forEach((passage, at) => {
      collector.collect(toSearchedBytes(text, bytes, passages.length === 1 ? undefined : passage));
      const number = this.#tables.passages.add(passage, collector, this.bitsPerTrigram);
      if (at === 0) this.#tables.firstPassages[row] = number;
    });
    this.#tables.passageCounts[row] = passages.length;
    this.#tables.kinds[row] = text.isAscii ? asciiRow : wideRow;
  }

  /** Drops an entry. A list may still name its row, which then counts as unread. */
  #forget(row: number): void {
    this.#texts.drop(row);
    if (this.#tables.kinds[row] === newRow) this.#unread -= 1;
    this.#tables.kinds[row] = goneRow;
  }

  /**
   * Rebuilds the passage table for the remaining entries. Passages that searches took from other
   * realms are dropped.
   */
  #compact(): void {
    const tables = this.#tables;
    const { kinds, passages } = tables;
    tables.kinds = new Uint8Array(kinds.length).fill(goneRow, 0, tables.size);
    tables.passages = new PassageTable();
    for (const { row } of this.#byId.values()) {
      tables.kinds[row] = kinds[row] ?? newRow;
      const first = tables.firstPassages[row] ?? 0;
      tables.firstPassages[row] = tables.passages.size;
      const end = first + (tables.passageCounts[row] ?? 0);
      for (let at = first; at < end; at += 1) tables.passages.addFrom(passages, at);
    }
  }
}

/** The indexed bytes of a text or of one of its passages. */
function toSearchedBytes(
  { text, isAscii }: SearchableText,
  bytes: Uint8Array,
  passage: Passage | undefined,
): Uint8Array {
  // A UTF-16 file is searched as text, so the text is indexed too.
  const isUtf16 = detectFormat(bytes).encoding !== 'utf-8';
  if (!passage) return isUtf16 ? new TextEncoder().encode(text) : bytes;
  // Includes the first two bytes of the next passage: a match's trigram may stand on both sides.
  const end = passage.end + 2;
  if (!isAscii || isUtf16) return new TextEncoder().encode(text.slice(passage.start, end));
  // A byte order mark isn't part of the text.
  const offset = bytes.length - text.length;
  return bytes.subarray(passage.start + offset, end + offset);
}
