// The writer's side of a feed. Sends one snapshot, then every record in order and without a gap.
import type { ContentSource } from '../state/content-source.ts';
import { FeedPacker, withoutStream } from './feed-packer.ts';
import type { FeedMessage, PackedSegment } from './feed.ts';
import type { NewContent, WorkspaceRecord } from '../state/record.ts';
import type { WorkspaceState } from '../state/state.ts';
import type { ChangeEvent } from '../workspace.ts';

/** An applied commit with its new contents: as bytes, or packed if it came from a feed. */
export interface FedRecord {
  readonly record: WorkspaceRecord;
  /** New contents of files. */
  readonly contents: readonly NewContent[] | PackedSegment;
  /** New contents of a stream: for other tabs, never for tool workers. */
  readonly streamContents?: readonly NewContent[];
  readonly event: ChangeEvent;
}

/** A source that replicas can follow: a writer, or a tab that follows one. */
export interface FeedSource {
  readonly state: WorkspaceState;
  readonly contents: ContentSource;
  /** Called for each record after it is in `state`, in order. */
  onRecord(listener: (fed: FedRecord) => void): Disposable;
  /**
   * Called when `state` has jumped to a later one without the records between. The listener then
   * needs a new snapshot. Left out if that never happens.
   */
  onJump?(listener: (events: readonly ChangeEvent[]) => void): Disposable;
  /**
   * Called before stored segments that `contents.packed` returned are removed, after others have
   * replaced them. Left out if that never happens.
   */
  onMoved?(listener: () => void): Disposable;
}

/**
 * Packs bytes for sending. `bytes` may be a view of a larger buffer that is used again, so the
 * result must be a copy.
 */
export type PackSegment = (bytes: Uint8Array<ArrayBuffer>) => Blob | Uint8Array;

/**
 * For a tab: large segments become Blobs, which all workers share. Below 64 KB a copy for each
 * worker is cheaper than a Blob's round trip.
 */
export const packForTab: PackSegment = (bytes) =>
  bytes.length < 65_536 ? bytes.slice() : new Blob([bytes]);

// 2 MB: creating such a Blob takes about as long as a snapshot of 10 000 files, which refers to the
// log's own files. During an import no call waits for it.
const pendingBytes = 2_097_152;

/** The receiver of the messages. `send` must keep their order. */
export interface ServeFeedOptions {
  send(message: FeedMessage): void;
  /**
   * The packer that all followers of this source share. @defaultValue a new one, which packs bytes
   * as bytes
   */
  readonly packer?: FeedPacker;
  /** Called if the snapshot can't be created. The feed is then disposed of. */
  onError(error: unknown): void;
}

/**
 * Sends a snapshot and then the records after it, until disposed of. If the source jumps, sends
 * another snapshot. If a replica asks again, dispose of this feed and serve a new one.
 */
export function serveFeed(source: FeedSource, options: ServeFeedOptions): Disposable {
  const { packer = new FeedPacker(source, (bytes) => bytes.slice()) } = options;
  // Records that arrive while a snapshot is read are held back until it was sent.
  let waiting: FeedMessage[] | undefined;
  const listening = [
    source.onRecord((fed) => {
      const message: FeedMessage = isBulk(fed)
        ? { type: 'record', record: withoutStream(fed.record), segment: undefined, isPending: true }
        : packer.record(fed);
      if (waiting) waiting.push(message);
      else options.send(message);
    }),
    source.onJump?.(() => void sendSnapshot()),
    source.onMoved?.(() => void sendSnapshot()),
  ];
  const dispose = () => {
    waiting = undefined;
    for (const listener of listening) listener?.[Symbol.dispose]();
    if (!options.packer) packer[Symbol.dispose]();
  };
  async function sendSnapshot(): Promise<void> {
    const records: FeedMessage[] = [];
    waiting = records;
    try {
      const snapshot = await packer.snapshot();
      // The feed was disposed of, or restarted by a jump.
      if (waiting !== records) return;
      options.send(snapshot);
      for (const message of records) options.send(message);
      waiting = undefined;
    } catch (error) {
      if (waiting !== records) return;
      dispose();
      options.onError(error);
    }
  }
  void sendSnapshot();
  return { [Symbol.dispose]: dispose };
}

/** A bulk record is packed only when a replica needs it. One that arrived packed is passed on. */
function isBulk({ contents }: FedRecord): boolean {
  if ('data' in contents) return false;
  return contents.reduce((sum, { bytes }) => sum + bytes.length, 0) >= pendingBytes;
}
