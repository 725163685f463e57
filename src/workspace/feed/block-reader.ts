// Reads blocks of Blobs and caches them up to a byte limit. Asynchronous reads go through the owner
// of the Blob's file if possible, otherwise through the browser. Synchronous reads use
// FileReaderSync, in workers only. Sequential reads use growing spans, because each read of a Blob
// is a round trip: 20 MB took 66 ms in pieces of 256 KB, and 42 ms in pieces of 1 MB.
import { readBlob, readBlobSync } from '../../core/bytes/read-blob.ts';
import { ByteCache } from '../state/byte-cache.ts';
import type { StoredPart } from '../state/content-source.ts';

/**
 * A part of a Blob that is always read as a whole. The creator of blocks links each to the next
 * one.
 */
export interface Block {
  readonly data: Blob;
  /** The stored file behind the Blob, if there is one. */
  readonly file: string | undefined;
  /** The offset in bytes from the Blob's beginning. */
  readonly from: number;
  to: number;
  next: Block | undefined;
  /** The span in which it was last read. Used by the reader only. */
  span: Span | undefined;
}

/** Neighbouring blocks that are read, cached and evicted together. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly data: Blob;
  readonly file: string | undefined;
  /** The block behind the span. */
  readonly next: Block | undefined;
  loading: Promise<Uint8Array> | undefined;
}

/** The bytes of a span, and their offset in the Blob. They are shared and must not be changed. */
export interface LoadedBlock {
  readonly bytes: Uint8Array;
  readonly from: number;
}

// 8 MB, the size of a snapshot's segments. For 5 000 files of 20 MB in a worker that had just
// started, a file took 18 µs. It took 19 µs with 4 MB, 28 µs with 1 MB, and 40 µs in slices for
// each batch.
const maxSpanBytes = 8_388_608;

// 4 MB for a span that is read ahead while the previous one is used. Reading, hashing and decoding
// 20 MB took 15 to 25 % less time than with awaited spans of 8 MB. Less is read in vain, too.
const maxAheadBytes = 4_194_304;

// 1 MB through the file's owner, which commits nothing for the half millisecond that it takes.
// Reading, hashing and decoding 20 MB took 50 ms in pieces of 1, 2 or 4 MB, and 85 ms through a
// Blob.
const maxStoredBytes = 1_048_576;

/** Resolves to undefined if the file's owner or the file is gone. The Blob itself is read then. */
export type ReadStored = (part: StoredPart) => Promise<Uint8Array | undefined>;

// 4: spans grow from 256 KB to 1 MB to 5 MB. The first tens of files show whether many will be
// read.
const spanGrowth = 4;

export class BlockReader {
  readonly #cache: ByteCache<Span>;
  readonly #maxSpanBytes: number;
  readonly #readStored: ReadStored | undefined;
  /** The last span that was started. A read right behind it is sequential. */
  #last: Span | undefined;
  /** The last span that was read ahead. A read in it is sequential. */
  #ahead: Span | undefined;
  #begunBytes = 0;
  /** The bytes of all known blocks. */
  #allBytes = 0;

  constructor(maxCacheBytes: number, readStored?: ReadStored) {
    this.#cache = new ByteCache(maxCacheBytes);
    this.#readStored = readStored;
    // A span larger than the cache would be read again for every file in it.
    this.#maxSpanBytes = Math.min(maxSpanBytes, maxCacheBytes / 4);
  }

  /** Adds the bytes of blocks that may be read. */
  add(bytes: number): void {
    this.#allBytes += bytes;
  }

  readSync(block: Block): LoadedBlock {
    const cached = this.#cached(block);
    if (cached) return cached;
    const span = this.#begin(block);
    const bytes = readBlobSync(sliceOf(span));
    this.#cache.set(span, bytes);
    return { bytes, from: span.from };
  }

  /**
   * Resolves to the bytes of all requested blocks. A span is read once, even for concurrent reads.
   */
  async readMany(blocks: ReadonlySet<Block>): Promise<ReadonlyMap<Block, LoadedBlock>> {
    const loaded = new Map<Block, LoadedBlock>();
    const loading: Promise<unknown>[] = [];
    for (const block of blocks) {
      const cached = this.#cached(block);
      if (block.span && block.span === this.#ahead) this.#readAhead(block.span);
      if (cached) loaded.set(block, cached);
      else {
        const isNext = this.#last?.next === block;
        const span = block.span?.loading ? block.span : this.#beginSpan(block, blocks);
        const reading = this.#load(span);
        loading.push(reading.then((bytes) => loaded.set(block, { bytes, from: span.from })));
        if (isNext)
          void reading.then(
            () => this.#readAhead(span),
            () => {},
          );
      }
    }
    await Promise.all(loading);
    return loaded;
  }

  #beginSpan(block: Block, asked: ReadonlySet<Block>): Span {
    return this.#begin(block, runBytes(block, asked) * spanGrowth, this.#maxAheadBytes(block));
  }

  /** Reads one span ahead, so that sequential reads find the next span loaded or loading. */
  #readAhead({ next }: Span): void {
    this.#ahead = undefined;
    if (!next || this.#isThere(next)) return;
    // A large file is a block of its own, of up to 1 GiB. Such a block is never read ahead.
    const atMost = this.#maxAheadBytes(next);
    if (next.to - next.from > Math.min(atMost, this.#maxSpanBytes)) return;
    this.#ahead = this.#begin(next, 0, atMost);
    // A failed read-ahead is repeated by the read that needs the data, which reports the failure.
    this.#load(this.#ahead).catch(() => {});
  }

  #maxAheadBytes({ file }: Block): number {
    return file !== undefined && this.#readStored ? maxStoredBytes : maxAheadBytes;
  }

  #cached({ span }: Block): LoadedBlock | undefined {
    const bytes = span && this.#cache.get(span);
    return bytes && { bytes, from: span.from };
  }

  /** Starts a span of at least `atLeast` bytes, if a span may be so large. */
  #begin(block: Block, atLeast = 0, atMost = maxSpanBytes): Span {
    const { data, file, from } = block;
    const wanted = Math.max(this.#wantedBytes(block), atLeast);
    const bound = from + Math.min(wanted, atMost, this.#maxSpanBytes);
    let end = block;
    while (end.next?.data === data && end.next.to <= bound && !this.#isThere(end.next)) {
      end = end.next;
    }
    const span: Span = { data, file, from, to: end.to, next: end.next, loading: undefined };
    for (let each: Block | undefined = block; each !== span.next; each = each?.next) {
      if (each) each.span = span;
    }
    this.#last = span;
    this.#begunBytes += span.to - from;
    return span;
  }

  /** The first block is read alone. Later spans grow. */
  #wantedBytes(block: Block): number {
    // If all blocks fit into the cache, nothing is read in vain, so the order doesn't matter.
    if (this.#allBytes <= this.#cache.maxBytes) return this.#begunBytes * spanGrowth;
    const last = this.#last;
    return last?.next === block ? (last.to - last.from) * spanGrowth : 0;
  }

  #isThere(block: Block): boolean {
    return block.span?.loading !== undefined || this.#cached(block) !== undefined;
  }

  #load(span: Span): Promise<Uint8Array> {
    span.loading ??= this.#read(span);
    return span.loading;
  }

  /**
   * A large file is a block of its own. It isn't read through the owner, because commits would have
   * to wait.
   */
  async #readAsStored({ file, from, to }: Span): Promise<Uint8Array | undefined> {
    if (file === undefined || to - from > maxStoredBytes) return undefined;
    return this.#readStored?.({ file, from, to });
  }

  async #read(span: Span): Promise<Uint8Array> {
    try {
      const bytes = (await this.#readAsStored(span)) ?? (await readBlob(sliceOf(span)));
      this.#cache.set(span, bytes);
      return bytes;
    } finally {
      span.loading = undefined;
    }
  }
}

const sliceOf = ({ data, from, to }: Span) => data.slice(from, to);

/**
 * Returns the bytes of the requested consecutive blocks from this one on; 0 if it is the only one.
 */
function runBytes(block: Block, asked: ReadonlySet<Block>): number {
  let last = block;
  while (last.next?.data === block.data && asked.has(last.next)) last = last.next;
  return last === block ? 0 : last.to - block.from;
}
