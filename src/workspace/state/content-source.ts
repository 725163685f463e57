// The port through which file contents are read, by content id. Contents never change, so they may
// be cached.
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
   * From `offset`, within the content; no more is read than is needed. Left out where a part costs as much as the
   * whole.
   */
  readPart?(contentId: ContentId, offset: number, length: number): Promise<Uint8Array>;
  /**
   * Segments that already hold some of the wanted contents as Blobs. A feed passes them on unread.
   * They may hold other contents too. Left out where nothing is packed.
   */
  packed?(wanted: ReadonlySet<ContentId>): Promise<readonly PackedSegment[]>;
  /**
   * A part of a stored segment that `packed` returned, as the caller's own bytes. Undefined where
   * compaction has removed the segment: its Blob stays readable for longer. Left out where nothing
   * is stored.
   */
  readStored?(part: StoredPart): Promise<Uint8Array | undefined>;
  /**
   * The search index that was saved last, as the realm that made it wrote it. Left out where an
   * index is never saved.
   */
  savedIndex?(): Promise<Blob | undefined>;
  /**
   * Saves the index, if it covers enough more than the last one. Left out where an index is never
   * saved.
   */
  saveIndex?(index: SavedIndex): void;
}

/** From `from` up to `to`, in bytes from the beginning of the file of a stored segment. */
export interface StoredPart {
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

/** 64 MB, the index of about 400 MB of text. A longer one isn't saved but rebuilt. */
export const maxIndexBytes = 67_108_864;

/** The search index of one realm, by content ids: see search/index/saved-index.ts. */
export interface SavedIndex {
  /** Ownership passes with it. */
  readonly bytes: Uint8Array;
  /** How many contents it covers. */
  readonly contents: number;
}
