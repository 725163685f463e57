// The messages from the writer to its replicas: a snapshot first, then every record. Plain data.
// serve-feed.ts sends them and replica.ts receives them; the host only carries them.
import type { ContentId, Version } from '../../core/change-set.ts';
import type { PlainState } from '../state/plain-state.ts';
import type { WorkspaceRecord } from '../state/record.ts';

/**
 * Many contents packed in one piece. In a tab it is a Blob: it crosses without a copy, all workers
 * share it, and they can read it synchronously. Elsewhere it is bytes.
 */
export interface PackedSegment {
  readonly data: Blob | Uint8Array;
  /** Three numbers a content, in a row: its id, and its offset and length in bytes. */
  readonly contents: readonly number[];
  /**
   * The checksum of each content, in order. Only for a stored segment, whose Blob is a file of the
   * medium. It costs no memory, may be damaged, and is gone once compaction has freed it.
   */
  readonly checksums?: readonly number[];
  /** The file's name of a stored segment, for `ContentSource.readStored`. */
  readonly file?: string;
}

/** A tree as nested tuples: small, and quick to clone. Inverses: `toPlainNode`, `fromPlainNode`. */
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

/** A snapshot replaces all that came before; records follow it by their numbers, without a gap. */
export type FeedMessage =
  | {
      readonly type: 'snapshot';
      readonly state: PlainState;
      /** They may hold contents that no root needs any more. */
      readonly segments: readonly PackedSegment[];
      /**
       * Within one era a content id means the same content in every snapshot. Left out where that
       * isn't known: then everything cached by content id must be invalidated.
       */
      readonly era?: string;
      /** The saved search index, if there is one: `ContentSource.savedIndex`. */
      readonly index?: Blob;
      /** In no segment, because the medium lost them: reading them fails with `EIO`. */
      readonly lost?: readonly ContentId[];
    }
  | {
      readonly type: 'record';
      readonly record: WorkspaceRecord;
      /** Undefined when the record brought no new contents, or they are pending. */
      readonly segment: PackedSegment | undefined;
      /** The next snapshot brings the contents: a replica asks for one when they are needed. */
      readonly isPending?: boolean;
    };
