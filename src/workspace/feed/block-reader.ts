// Reads and caches blocks of Blobs, bounded by bytes. Asynchronous reads go through the owner of
// the Blob's file where it can be asked, else through the browser. Synchronous reads use
// FileReaderSync, in workers only. Sequential reads grow to larger spans, because each read of a
// Blob is a round trip. 20 MB took 66 ms in pieces of 256 KB, 42 ms in pieces of 1 MB.
import { readBlob, readBlobSync } from '../../core/bytes/read-blob.ts';
import { ByteCache } from '../state/byte-cache.ts';
import type { StoredPart } from '../state/content-source.ts';

/** A part of a Blob that is always read whole. The maker of blocks links each to its successor. */
export interface Block {
  readonly data: Blob;
  /** The stored file behind the Blob, if there is one. */
  readonly file: string | undefined;
  /** In bytes, from the Blob's beginning. */
  readonly from: number;
  to: number;
  next: Block | undefined;
  /** The span that it was last read in. For the reader alone. */
  span: Span | undefined;
}

/** Neighbouring blocks that are read, cached and evicted together. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly data: Blob;
  readonly file: string | undefined;
  /** The block behind it. */
  readonly next: Block | undefined;
  loading: Promise<Uint8Array> | undefined;
}

/** The bytes of a span, and where in its Blob they begin. They are shared, and must not be changed. */
export interface LoadedBlock {
  readonly bytes: Uint8Array;
  readonly from: number;
}

// 8 MB, as large as a snapshot's segments. 5 000 files of 20 MB in a worker that has just started
// took 18 µs a file. With 4 MB they took 19, with 1 MB 28, in slices by the batch 40.
const maxSpanBytes = 8_388_608;

// 4 MB if the next span comes while this one is used. 20 MB, summed and decoded, took 15 to 25 % less time than in
// spans of 8 MB that were waited for. Less is read in vain, too.
const maxAheadBytes = 4_194_304;

// 1 MB through the file's owner, who commits nothing meanwhile: half a millisecond. 20 MB, summed and
// decoded as above, took 50 ms in pieces of 1, 2 or 4 MB, and 85 ms as a Blob.
const maxStoredBytes = 1_048_576;

/**
 * Undefined where the file's owner is gone or has removed the file: then the Blob itself is read.
 */
export type ReadStored = (part: StoredPart) => Promise<Uint8Array | undefined>;

// From 256 KB by 1 MB to 5 MB: in the first tens of files it shows whether many will be read.
const spanGrowth = 4;

export class BlockReader {
  readonly #cache: ByteCache<Span>;
  readonly #maxSpanBytes: number;
  readonly #readStored: ReadStored | undefined;
  /** The last span that was begun. A read right after it is sequential. */
  #last: Span | undefined;
  /** The last span that was read ahead. A read of it is sequential. */
  #ahead: Span | undefined;
  #begunBytes = 0;
  /** In all blocks that there are. */
  #allBytes = 0;

  constructor(maxCacheBytes: number, readStored?: ReadStored) {
    this.#cache = new ByteCache(maxCacheBytes);
    this.#readStored = readStored;
    // A span larger than the cache would be read again for every file in it.
    this.#maxSpanBytes = Math.min(maxSpanBytes, maxCacheBytes / 4);
  }

  /** Blocks with so much in them may be read. */
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

  /** The bytes of all requested blocks. A span is read once, also for two concurrent reads. */
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

  /** Sequential reads find the next span loaded or loading: one span is read ahead. */
  #readAhead({ next }: Span): void {
    this.#ahead = undefined;
    if (!next || this.#isThere(next)) return;
    // A large file is a block of its own, of up to 1 GiB. Such a block is never read ahead.
    const atMost = this.#maxAheadBytes(next);
    if (next.to - next.from > Math.min(atMost, this.#maxSpanBytes)) return;
    this.#ahead = this.#begin(next, 0, atMost);
    // A failed read-ahead is retried by the read that needs it, which reports the failure.
    this.#load(this.#ahead).catch(() => {});
  }

  #maxAheadBytes({ file }: Block): number {
    return file !== undefined && this.#readStored ? maxStoredBytes : maxAheadBytes;
  }

  #cached({ span }: Block): LoadedBlock | undefined {
    const bytes = span && this.#cache.get(span);
    return bytes && { bytes, from: span.from };
  }

  /** Reads on for at least so many bytes where that is no more than a span may have. */
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

  /** The first block is read alone, and from then on more each time. */
  #wantedBytes(block: Block): number {
    // Where all fits into the cache, what was read too early is not read again: no order is needed.
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

  /** A large file is a block of its own. Commits must not wait for its read. */
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

/** The bytes of the requested consecutive blocks from this one on; 0 where it is alone. */
function runBytes(block: Block, asked: ReadonlySet<Block>): number {
  let last = block;
  while (last.next?.data === block.data && asked.has(last.next)) last = last.next;
  return last === block ? 0 : last.to - block.from;
}
