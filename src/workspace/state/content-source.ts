// Where file contents come from, by number. Contents never change, so what was read may be kept.
import type { ContentId } from '../../core/change-set.ts';
import type { PackedSegment } from '../feed/feed.ts';

/**
 * The bytes behind content ids. What it returns is shared: callers neither change nor transfer it.
 */
export interface ContentSource {
  /** Throws `unsupported-environment` where the medium can't be read synchronously. */
  readSync(contentId: ContentId): Uint8Array;
  /** In the order asked. One request for all, so that a batch costs one trip. */
  readMany(contentIds: readonly ContentId[]): Promise<Uint8Array[]>;
  /**
   * Segments that hold some of the contents as Blobs already: a feed passes them on without reading
   * them. They may hold others, too. Left out where nothing is packed.
   */
  packed?(wanted: ReadonlySet<ContentId>): Promise<readonly PackedSegment[]>;
  /**
   * A part of a stored segment that `packed` gave away, as the caller's own bytes; undefined where it
   * was let go of since: the segment's Blob can be read for longer. Left out where nothing is stored.
   */
  readStored?(part: StoredPart): Promise<Uint8Array | undefined>;
  /** The search index that was kept last, as one realm had made it. Left out where none ever is. */
  savedIndex?(): Promise<Blob | undefined>;
  /** Has it kept, if it tells enough that the last one didn't. Left out where none ever is. */
  saveIndex?(index: SavedIndex): void;
}

/** From `from` up to `to`, in bytes from the beginning of the file of a stored segment. */
export interface StoredPart {
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

/** In bytes: of 400 MB of text, more than a tab has in mind. What is longer is made anew each time. */
export const maxIndexBytes = 67_108_864;

/** What searches of one realm have learned of contents, by content ids: index/saved-index.ts. */
export interface SavedIndex {
  /** Given away. */
  readonly bytes: Uint8Array;
  /** Of how many contents. */
  readonly contents: number;
}
