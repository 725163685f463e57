// The port through which file contents are read, by content id. Contents never change, so they may
// be cached.
import type { ContentId } from '../../core/change-set.ts';
import type { PackedSegment } from '../feed/feed.ts';
import type { FileContent } from '../tree/tree.ts';

/** Reads contents by id. Results are shared: callers must not change or transfer them. */
export interface ContentSource {
  /** Throws `unsupported-environment` if the medium can't be read synchronously. */
  readSync(contentId: ContentId): Uint8Array;
  /** Returns contents in the requested order. All are read in one request. */
  readMany(contentIds: readonly ContentId[]): Promise<Uint8Array[]>;
  /**
   * Reads from `offset` within the content, and no more than needed. Left out if a part costs as
   * much as the whole.
   */
  readPart?(contentId: ContentId, offset: number, length: number): Promise<Uint8Array>;
  /**
   * Returns segments that already contain some of the wanted contents as Blobs. A feed passes them
   * on unread. They may contain other contents too. Left out if nothing is packed.
   */
  packed?(wanted: ReadonlySet<ContentId>): Promise<readonly PackedSegment[]>;
  /**
   * Returns a part of a stored segment that `packed` has returned. The bytes belong to the caller.
   * Undefined if compaction has removed the segment, whose Blob stays readable for longer. Left out
   * if nothing is stored.
   */
  readStored?(part: StoredPart): Promise<Uint8Array | undefined>;
  /**
   * Returns the search index that was saved last, in the format of the realm that wrote it. Left
   * out if indexes aren't saved.
   */
  savedIndex?(): Promise<Blob | undefined>;
  /**
   * Saves the index if it covers enough more than the last one. Left out if indexes aren't saved.
   */
  saveIndex?(index: SavedIndex): void;
}

/** A byte range of a stored segment's file, from `from` (included) to `to` (excluded). */
export interface StoredPart {
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

/** 64 MB: the index of about 400 MB of text. A larger one isn't saved, but built again. */
export const maxIndexBytes = 67_108_864;

/** The search index of one realm, by content ids: see search/index/saved-index.ts. */
export interface SavedIndex {
  /** Ownership passes to the receiver. */
  readonly bytes: Uint8Array;
  /** The number of contents it covers. */
  readonly contents: number;
}

/** Reads one content; bytes that a draft holds are given as they are. Rejects as `readMany` does. */
export async function readContent(
  contents: Pick<ContentSource, 'readMany'>,
  content: FileContent,
): Promise<Uint8Array> {
  if (typeof content !== 'number') return content;
  const [bytes] = await contents.readMany([content]);
  if (bytes) return bytes;
  throw new TypeError('A ContentSource answered with fewer contents than were asked for.');
}
