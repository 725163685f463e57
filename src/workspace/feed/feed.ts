// The messages from the writer to its replicas: a snapshot, then every record. They are plain data.
// serve-feed.ts sends them, replica.ts receives them, and the host transports them.
import type { ContentId, Version } from '../../core/change-set.ts';
import type { PlainState } from '../state/plain-state.ts';
import type { WorkspaceRecord } from '../state/record.ts';

/**
 * Many contents packed in one piece. In a tab it is a Blob: it is sent without a copy, all workers
 * share it, and they can read it synchronously. Elsewhere it is bytes.
 */
export interface PackedSegment {
  readonly data: Blob | Uint8Array;
  /** Three numbers for each content: its id, and its offset and length in bytes. */
  readonly contents: readonly number[];
  /**
   * The checksum of each content, in order. Only for a stored segment, whose Blob is a file of the
   * medium: it takes no memory, may be damaged, and disappears when compaction removes the file.
   */
  readonly checksums?: readonly number[];
  /** The name of a stored segment's file, for `ContentSource.readStored`. */
  readonly file?: string;
}

/**
 * A tree as nested tuples, which are small and fast to clone. Converted by `toPlainNode` and
 * `fromPlainNode`.
 */
export type PlainNode =
  | readonly [
      type: 'f',
      contentId: ContentId,
      size: number,
      mode: number,
      mtimeMs: number,
      version: Version,
    ]
  | readonly [
      type: 'd',
      entries: readonly (readonly [name: string, node: PlainNode])[],
      mode: number,
      mtimeMs: number,
      version: Version,
    ]
  | readonly [type: 'l', target: string, mtimeMs: number, version: Version];

/** A snapshot replaces everything before it. Records follow by their numbers, without a gap. */
export type FeedMessage =
  | {
      readonly type: 'snapshot';
      readonly state: PlainState;
      /** May contain contents that no root needs any more. */
      readonly segments: readonly PackedSegment[];
      /**
       * Within an era, a content id means the same content in every snapshot. Left out if that
       * can't be guaranteed: everything cached by content id must then be dropped.
       */
      readonly era?: string;
      /** The saved search index, if any: `ContentSource.savedIndex`. */
      readonly index?: Blob;
      /**
       * Contents that the medium has lost, so that no segment has them. Reading them fails with
       * `EIO`.
       */
      readonly lost?: readonly ContentId[];
    }
  | {
      readonly type: 'record';
      readonly record: WorkspaceRecord;
      /** Undefined if the record brought no new contents, or if they are pending. */
      readonly segment: PackedSegment | undefined;
      /** The contents come with the next snapshot. A replica asks for one when it needs them. */
      readonly isPending?: boolean;
    };
