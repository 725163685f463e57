// A replica's contents: where each stands in the packed segments that came by the feed. The segments
// themselves are read by block-reader.ts.
import type { ContentId } from '../core/change-set.ts';
import { SdkError } from '../core/errors.ts';
import { BlockReader, type Block } from './block-reader.ts';
import type { ContentSource } from './content-source.ts';
import type { PackedSegment } from './feed.ts';

/** Where a content's bytes are: in bytes that are here, or in a block that is read when needed. */
interface Place {
  readonly source: Uint8Array | Block;
  /** In bytes, from the segment's beginning. */
  readonly offset: number;
  readonly length: number;
}

/** 64 MB: with a pool of four that is what a tab may well spend on it. */
export const defaultCacheBytes = 67_108_864;

// 256 KB: reading a Blob takes 0.6 ms however little is read, and 0.9 ms for so much; and what was
// packed next to a file are its neighbours in the directory.
const blockBytes = 262_144;

/** What it returns are views of large pieces: who keeps one keeps the piece, and must not post it. */
export class PackedContents implements ContentSource {
  readonly #places = new Map<ContentId, Place>();
  readonly #reader: BlockReader;
  /** Each of these was lost by the medium. */
  readonly #lost = new Set<ContentId>();
  readonly #packed: PackedSegment[] = [];
  #lastBlock: Block | undefined;

  constructor(maxCacheBytes: number = defaultCacheBytes) {
    this.#reader = new BlockReader(maxCacheBytes);
  }

  add(segment: PackedSegment): void {
    const { data, contents } = segment;
    if (data instanceof Uint8Array) {
      for (const { contentId, offset, length } of toPlaces(contents)) {
        this.#places.set(contentId, { source: data, offset, length });
      }
      return;
    }
    this.#packed.push(segment);
    this.#reader.add(data);
    let block: Block | undefined;
    for (const { contentId, offset, length } of toPlaces(contents)) {
      const to = offset + length;
      if (!block || to - block.from > blockBytes) {
        block = { data, from: offset, to, next: undefined, span: undefined };
        if (this.#lastBlock) this.#lastBlock.next = block;
        this.#lastBlock = block;
      } else block.to = Math.max(block.to, to);
      this.#places.set(contentId, { source: block, offset, length });
    }
  }

  /** Reading them fails with `EIO`, like on the medium itself. */
  addLost(contentIds: readonly ContentId[]): void {
    for (const contentId of contentIds) this.#lost.add(contentId);
  }

  packed(): readonly PackedSegment[] {
    return this.#packed;
  }

  readSync(contentId: ContentId): Uint8Array {
    const place = this.#placeOf(contentId);
    const { source } = place;
    if (source instanceof Uint8Array) return viewOf(source, 0, place);
    const { bytes, from } = this.#reader.readSync(source);
    return viewOf(bytes, from, place);
  }

  async readMany(contentIds: readonly ContentId[]): Promise<Uint8Array[]> {
    const places = contentIds.map((contentId) => this.#placeOf(contentId));
    const blocks = new Set<Block>();
    for (const { source } of places) if (!(source instanceof Uint8Array)) blocks.add(source);
    const loaded = await this.#reader.readMany(blocks);
    return places.map((place) => {
      const { source } = place;
      if (source instanceof Uint8Array) return viewOf(source, 0, place);
      const block = loaded.get(source);
      if (!block) throw new TypeError('Every block was read.');
      return viewOf(block.bytes, block.from, place);
    });
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
    "EIO: the medium lost this file's bytes. Write the file anew, or restore it from elsewhere.",
    { data: { contentId } },
  );
}

/** In the order of their offsets. So they were packed; but nothing else sees to it. */
function toPlaces(contents: PackedSegment['contents']) {
  const places: { contentId: ContentId; offset: number; length: number }[] = [];
  for (let at = 0; at < contents.length; at += 3) {
    const [contentId = 0, offset = 0, length = 0] = contents.slice(at, at + 3);
    places.push({ contentId, offset, length });
  }
  return places.sort((left, right) => left.offset - right.offset);
}

function viewOf(bytes: Uint8Array, from: number, { offset, length }: Place): Uint8Array {
  return bytes.subarray(offset - from, offset - from + length);
}
