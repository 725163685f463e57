// Where file contents come from, by number. Contents never change, so what was read may be kept.
import type { ContentId } from '../core/change-set.ts';
import type { PackedSegment } from './feed.ts';

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
}
