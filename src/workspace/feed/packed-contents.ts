// A replica's contents: where each content is in the packed segments of the feed. block-reader.ts
// reads the segments.
import type { ContentId } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import { BlockReader, type Block, type ReadStored } from './block-reader.ts';
import type { ContentSource } from '../state/content-source.ts';
import type { PackedSegment } from './feed.ts';
import { checksum } from '../../core/hashes/checksum.ts';

/** Where a content's bytes are: in memory, or in a block that is read on demand. */
interface Place {
  readonly source: Uint8Array | Block;
  /** The offset in bytes from the segment's beginning. */
  readonly offset: number;
  readonly length: number;
  /** The checksum of a stored content that wasn't verified yet. */
  checksum: number | undefined;
}

export interface PackedOptions {
  /** @defaultValue 64 MB */
  readonly maxCacheBytes?: number | undefined;
  /** The saved search index of these contents. */
  readonly index?: Blob | undefined;
  /** Left out: stored segments are read through their Blobs. */
  readonly readStored?: ReadStored | undefined;
}

/** 64 MB for each worker: acceptable for a pool of four. */
const defaultCacheBytes = 67_108_864;

// 256 KB: reading so much of a Blob takes 0.9 ms, and reading very little takes 0.6 ms. Files that
// were packed side by side are neighbours in their directory.
const blockBytes = 262_144;

/**
 * Returns views of large buffers. A view keeps its whole buffer in memory, and must not be
 * transferred.
 */
export class PackedContents implements ContentSource {
  readonly #places = new Map<ContentId, Place>();
  readonly #reader: BlockReader;
  /** Contents that the medium has lost. */
  readonly #lost = new Set<ContentId>();
  readonly #packed: PackedSegment[] = [];
  readonly #index: Blob | undefined;
  #lastBlock: Block | undefined;

  constructor({ maxCacheBytes = defaultCacheBytes, index, readStored }: PackedOptions = {}) {
    this.#reader = new BlockReader(maxCacheBytes, readStored);
    this.#index = index;
  }

  add(segment: PackedSegment): void {
    const { file, ...shared } = segment;
    const { data } = shared;
    if (data instanceof Uint8Array) {
      for (const { contentId, ...place } of toPlaces(segment)) {
        this.#places.set(contentId, { source: data, ...place });
      }
      return;
    }
    // A realm that gets the segment from this one can't ask the file's owner.
    this.#packed.push(shared);
    let block: Block | undefined;
    let bytes = 0;
    for (const { contentId, ...place } of toPlaces(segment)) {
      const { offset, length } = place;
      const to = offset + length;
      if (!block || to - block.from > blockBytes) {
        block = { data, file, from: offset, to, next: undefined, span: undefined };
        if (this.#lastBlock) this.#lastBlock.next = block;
        this.#lastBlock = block;
      } else block.to = Math.max(block.to, to);
      this.#places.set(contentId, { source: block, ...place });
      bytes += length;
    }
    this.#reader.add(bytes);
  }

  /** Reading these contents fails with `EIO`, as on the medium itself. */
  addLost(contentIds: readonly ContentId[]): void {
    for (const contentId of contentIds) this.#lost.add(contentId);
  }

  async packed(wanted: ReadonlySet<ContentId>): Promise<readonly PackedSegment[]> {
    return this.#packed.filter(({ contents }) =>
      contents.some((number, at) => at % 3 === 0 && wanted.has(number)),
    );
  }

  async savedIndex(): Promise<Blob | undefined> {
    return this.#index;
  }

  readSync(contentId: ContentId): Uint8Array {
    const place = this.#placeOf(contentId);
    const { source } = place;
    if (source instanceof Uint8Array) return viewOf(source, 0, place);
    try {
      const { bytes, from } = this.#reader.readSync(source);
      return this.#checked(contentId, place, viewOf(bytes, from, place));
    } catch (error) {
      throw toReadError(error);
    }
  }

  async readMany(contentIds: readonly ContentId[]): Promise<Uint8Array[]> {
    const places = contentIds.map((contentId) => this.#placeOf(contentId));
    const blocks = new Set<Block>();
    for (const { source } of places) if (!(source instanceof Uint8Array)) blocks.add(source);
    const loaded = await this.#reader.readMany(blocks).catch((error: unknown) => {
      throw toReadError(error);
    });
    return contentIds.map((contentId, at) => {
      const place = places[at] ?? this.#placeOf(contentId);
      const { source } = place;
      if (source instanceof Uint8Array) return viewOf(source, 0, place);
      const block = loaded.get(source);
      if (!block) throw new TypeError('Every block was read.');
      return this.#checked(contentId, place, viewOf(block.bytes, block.from, place));
    });
  }

  /** Verifies the checksum of a stored content at its first read, as the medium itself does. */
  #checked(contentId: ContentId, place: Place, bytes: Uint8Array): Uint8Array {
    if (place.checksum === undefined) return bytes;
    if (checksum(bytes) !== place.checksum) throw createLostError(contentId);
    place.checksum = undefined;
    return bytes;
  }

  #placeOf(contentId: ContentId): Place {
    const place = this.#places.get(contentId);
    if (place) return place;
    if (this.#lost.has(contentId)) throw createLostError(contentId);
    throw new SdkError('internal', `The replica has no content ${contentId}.`);
  }
}

function createLostError(contentId: ContentId): SdkError {
  return new SdkError(
    'EIO',
    "EIO: the medium lost this file's bytes, or can't reach them now. Try again later; else write the file again, or " +
      'restore it from elsewhere.',
    { data: { contentId } },
  );
}

/**
 * Converts the error of a Blob that can't be read any more: a file of the medium that compaction
 * has removed.
 */
function toReadError(error: unknown): unknown {
  if (SdkError.isInstance(error)) return error;
  return new SdkError(
    'ECONFLICT',
    'ECONFLICT: the bytes of this file were moved while it was read (compaction). Read it again, or ' +
      'run the call again that read it.',
    { data: { paths: [] }, cause: error },
  );
}

/** Ordered by offset, because neighbours are read together. */
function toPlaces({ contents, checksums }: PackedSegment) {
  const places: (Omit<Place, 'source'> & { readonly contentId: ContentId })[] = [];
  for (let at = 0; at + 2 < contents.length; at += 3) {
    places.push({
      contentId: contents[at] ?? 0,
      offset: contents[at + 1] ?? 0,
      length: contents[at + 2] ?? 0,
      checksum: checksums?.[at / 3],
    });
  }
  return places.sort((left, right) => left.offset - right.offset);
}

function viewOf(bytes: Uint8Array, from: number, { offset, length }: Place): Uint8Array {
  return bytes.subarray(offset - from, offset - from + length);
}
