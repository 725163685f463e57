// A replica's contents: packed segments, read in few large slices, kept in a cache bounded by bytes.
// Asynchronously by the browser's own reading of Blobs, synchronously by FileReaderSync (workers only).
import type { ContentId } from '../core/change-set.ts';
import { SdkError } from '../core/errors.ts';
import { ByteCache } from './byte-cache.ts';
import type { ContentSource } from './content-source.ts';
import type { PackedSegment } from './feed.ts';

interface Place {
  readonly segment: Segment;
  readonly at: number;
}

/** A segment's contents in the order of their offsets. */
interface Segment {
  readonly data: Blob | Uint8Array;
  readonly contents: readonly Slice[];
}

interface Slice {
  readonly contentId: ContentId;
  readonly offset: number;
  readonly length: number;
}

/** 64 MB: with a pool of four that is what a tab may well spend on it. */
export const defaultCacheBytes = 67_108_864;

// One asynchronous slice costs about what 64 KB of reading do, so gaps up to that are read along.
const maxGapBytes = 65_536;
const maxSliceBytes = 4_194_304;

// 256 KB read ahead: a small synchronous slice costs 0.6 ms whatever its size, and what was packed
// next to a file are its neighbours in the directory.
const readAheadBytes = 262_144;

export class PackedContents implements ContentSource {
  readonly #places = new Map<ContentId, Place>();
  readonly #cache: ByteCache<ContentId>;

  constructor(maxCacheBytes: number = defaultCacheBytes) {
    this.#cache = new ByteCache(maxCacheBytes);
  }

  add(packed: PackedSegment): void {
    const contents = packed.contents
      .map(([contentId, offset, length]) => ({ contentId, offset, length }))
      .sort((left, right) => left.offset - right.offset);
    const segment = { data: packed.data, contents };
    contents.forEach(({ contentId }, at) => this.#places.set(contentId, { segment, at }));
  }

  readSync(contentId: ContentId): Uint8Array {
    const { segment, at } = this.#placeOf(contentId);
    const wanted = sliceAt(segment, at);
    if (segment.data instanceof Uint8Array) return viewOf(segment.data, wanted);
    const cached = this.#cache.get(contentId);
    if (cached) return cached;
    const end = wanted.offset + Math.max(wanted.length, readAheadBytes);
    let last = at;
    while (sliceEnd(segment.contents[last + 1]) <= end) last += 1;
    const slices = segment.contents.slice(at, last + 1);
    const from = wanted.offset;
    const bytes = readBlobSync(segment.data.slice(from, sliceEnd(slices.at(-1))));
    // The wanted one last, so that its neighbours can't push it out.
    for (const slice of slices.toReversed()) {
      this.#cache.set(slice.contentId, bytes.slice(slice.offset - from, sliceEnd(slice) - from));
    }
    return bytes.subarray(0, wanted.length);
  }

  async readMany(contentIds: readonly ContentId[]): Promise<Uint8Array[]> {
    const loaded = new Map<ContentId, Uint8Array>();
    const missing = new Map<Segment, Set<number>>();
    for (const contentId of contentIds) {
      const { segment, at } = this.#placeOf(contentId);
      const bytes =
        segment.data instanceof Uint8Array
          ? viewOf(segment.data, sliceAt(segment, at))
          : this.#cache.get(contentId);
      if (bytes) loaded.set(contentId, bytes);
      else missing.set(segment, (missing.get(segment) ?? new Set()).add(at));
    }
    await Promise.all([...missing].map(([segment, ats]) => this.#load(segment, ats, loaded)));
    return contentIds.map((contentId) => loaded.get(contentId) ?? notLoaded(contentId));
  }

  async #load(
    { data, contents }: Segment,
    ats: ReadonlySet<number>,
    loaded: Map<ContentId, Uint8Array>,
  ): Promise<void> {
    if (data instanceof Uint8Array) return;
    const wanted = contents.filter((_, at) => ats.has(at));
    await Promise.all(
      toRanges(wanted).map(async (range) => {
        const from = range[0]?.offset ?? 0;
        const buffer = await data.slice(from, sliceEnd(range.at(-1))).arrayBuffer();
        for (const slice of range) {
          // A copy of its own: a view would keep the whole range alive in the cache.
          const start = slice.offset - from;
          const bytes = new Uint8Array(buffer.slice(start, start + slice.length));
          loaded.set(slice.contentId, bytes);
          this.#cache.set(slice.contentId, bytes);
        }
      }),
    );
  }

  #placeOf(contentId: ContentId): Place {
    return this.#places.get(contentId) ?? notLoaded(contentId);
  }
}

/** Neighbours together, so that a batch is a few large reads. */
function toRanges(slices: readonly Slice[]): Slice[][] {
  const ranges: Slice[][] = [];
  for (const slice of slices) {
    const range = ranges.at(-1);
    const gap = slice.offset - sliceEnd(range?.at(-1));
    const length = sliceEnd(slice) - (range?.[0]?.offset ?? 0);
    if (range && gap <= maxGapBytes && length <= maxSliceBytes) range.push(slice);
    else ranges.push([slice]);
  }
  return ranges;
}

function sliceAt(segment: Segment, at: number): Slice {
  const slice = segment.contents[at];
  if (!slice) throw new TypeError(`The segment has no content at ${at}.`);
  return slice;
}

function sliceEnd(slice: Slice | undefined): number {
  return slice ? slice.offset + slice.length : Number.POSITIVE_INFINITY;
}

function viewOf(data: Uint8Array, { offset, length }: Slice): Uint8Array {
  return data.subarray(offset, offset + length);
}

function readBlobSync(blob: Blob): Uint8Array {
  if (typeof FileReaderSync === 'undefined') {
    throw new SdkError(
      'unsupported-environment',
      'Files can be read synchronously only in a worker that has FileReaderSync.',
    );
  }
  return new Uint8Array(new FileReaderSync().readAsArrayBuffer(blob));
}

function notLoaded(contentId: ContentId): never {
  throw new SdkError('internal', `The replica has no content ${contentId}.`);
}
