// What a tab that follows has of the workspace: the leader's state by its snapshot and its records,
// and their contents, packed as they came.
import { PackedContents } from '../packed-contents.ts';
import { fromPlainState } from '../plain-state.ts';
import { toPathChanges } from '../record.ts';
import type { FedRecord } from '../serve-feed.ts';
import { applyRecord, mainRootId, rootOf, type WorkspaceState } from '../state.ts';
import { bytesOf } from './recent-records.ts';
import type { FeedRecord, FeedSnapshot } from './tab-message.ts';

// As many records may come before the one that they follow; more are asked for again.
const maxWaiting = 1000;
// 64 MB: what records bring is held for as long as their snapshot counts, whether it is needed or not.
const defaultMaxRecordBytes = 67_108_864;

/** One step: what was applied, and the state after it. */
export interface FollowedStep {
  readonly state: WorkspaceState;
  readonly fed: FedRecord;
  readonly message: FeedRecord;
}

export class Following {
  readonly #maxRecordBytes: number;
  /** Undefined until a snapshot has come. */
  #contents: PackedContents | undefined;
  /** Records that came too early, by their numbers. */
  readonly #waiting = new Map<number, FeedRecord>();
  /** What the records since the snapshot have brought. */
  #recordBytes = 0;

  constructor(maxRecordBytes: number = defaultMaxRecordBytes) {
    this.#maxRecordBytes = maxRecordBytes;
  }

  /** Can files be read, and records applied? */
  get isReady(): boolean {
    return this.#contents !== undefined;
  }

  /** Did a record come whose predecessor hasn't? */
  get hasGap(): boolean {
    return this.#waiting.size > 0;
  }

  /** Have records brought so much that a new snapshot should take its place? */
  get isFull(): boolean {
    return this.#recordBytes > this.#maxRecordBytes;
  }

  /** The state and contents of a snapshot. Throws a TypeError for one that is damaged. */
  start(snapshot: FeedSnapshot): { state: WorkspaceState; contents: PackedContents } {
    const started = { state: fromPlainState(snapshot.state), contents: toContents(snapshot) };
    this.#contents = started.contents;
    this.#recordBytes = 0;
    return started;
  }

  /**
   * The contents of the state of now by a snapshot that is no newer, and by `since`, the records
   * between. What is overwritten is gone from them; who holds the ones before reads on.
   */
  renew(snapshot: FeedSnapshot, since: readonly FeedRecord[]): PackedContents {
    const contents = toContents(snapshot);
    this.#recordBytes = 0;
    for (const message of since) {
      if (message.segment) contents.add(message.segment);
      this.#recordBytes += bytesOf(message);
    }
    this.#contents = contents;
    return contents;
  }

  /** Keeps them until their turn: {@link next}. */
  take(records: readonly FeedRecord[], state: WorkspaceState | undefined): void {
    for (const message of records) {
      const { seq } = message.record;
      if (seq > (state?.seq ?? -1) && this.#waiting.size < maxWaiting) {
        this.#waiting.set(seq, message);
      }
    }
  }

  /** The next step from that state, if its record is here. A damaged record throws, and is gone. */
  next(state: WorkspaceState): FollowedStep | undefined {
    const message = this.#waiting.get(state.seq + 1);
    if (!message || !this.#contents) return undefined;
    this.#waiting.delete(state.seq + 1);
    const { record, segment } = message;
    const { seq, author, root = mainRootId } = record;
    const after = applyRecord(state, record);
    const event = { seq, root, author, changes: toPathChanges(rootOf(state, root), record) };
    if (segment) this.#contents.add(segment);
    this.#recordBytes += bytesOf(message);
    return { state: after, fed: { record, event, contents: segment ?? [] }, message };
  }

  /** Forgets what waits up to that number. */
  dropUntil(seq: number): void {
    for (const waiting of this.#waiting.keys()) if (waiting <= seq) this.#waiting.delete(waiting);
  }

  /** Forgets all: another state is to come. */
  reset(): void {
    this.#contents = undefined;
    this.#recordBytes = 0;
    this.#waiting.clear();
  }
}

function toContents({ segments, index, lost = [] }: FeedSnapshot): PackedContents {
  const contents = new PackedContents({ index });
  for (const segment of segments) contents.add(segment);
  contents.addLost(lost);
  return contents;
}
