// A tool worker's read-only copy of the tree. It follows the writer's feed and opens the views of
// calls. A call's writes become the view's change set.
import type { WorkspaceAddress } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import type { PathAccess } from '../../core/access/path-access.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { ReadStored } from './block-reader.ts';
import type { ContentEra } from '../state/content-era.ts';
import type { SavedIndex } from '../state/content-source.ts';
import { createDraftView } from '../draft/draft-view.ts';
import type { FeedMessage, PackedSegment } from './feed.ts';
import { PackedContents } from './packed-contents.ts';
import { fromPlainState } from '../state/plain-state.ts';
import { liveContents } from '../state/live-contents.ts';
import { shownRootOf } from '../state/session-roots.ts';
import { applyRecord, type WorkspaceState } from '../state/state.ts';
import type { ViewSource, WorkspaceView } from '../draft/view.ts';

/** How a replica reaches its feed, and how much it may cache. */
export interface ReplicaOptions {
  /**
   * Requests a new snapshot and the records after it. Called at the start, and when a record was
   * lost.
   */
  subscribe(): void;
  readonly clock: Clock;
  /** @defaultValue 64 MB */
  readonly maxCacheBytes?: number;
  /** Requests bytes from the source of the feed that are in its files. */
  readonly readStored?: ReadStored;
  /** Receives the search index of an era, for replicas that start later. */
  saveIndex?(era: string, index: SavedIndex): void;
}

/** Dispose of it to reject pending waits. Open views stay readable. */
export interface Replica extends ViewSource, Disposable {
  /** The number of the last record that arrived; -1 before the first snapshot. */
  seq(): number;
  /** Takes a message of the feed. Messages must arrive in the order of sending. */
  receive(message: FeedMessage): void;
  /**
   * Resolves once record `minSeq` has arrived with all contents. Subscribes again after each second
   * of waiting. Rejects with `worker-lost` after ten seconds, or if the replica is disposed of.
   */
  waitFor(minSeq: number): Promise<void>;
  /** Call this if the feed has failed: pending waits reject. A later wait subscribes again. */
  fail(reason: SdkError): void;
}

// 1 s: a record takes 60 µs to arrive. After a second the record or the feed was lost.
const patienceMs = 1000;
// 10 s in total: well before a call's own deadline, so that the call can report what is wrong.
const maxSubscriptions = 10;

// 64 MB: contents of records are kept until the next snapshot, whether they are needed or not.
const maxRecordBytes = 67_108_864;

/** Subscribes at once. */
export function createReplica(options: ReplicaOptions): Replica {
  return new FeedReplica(options);
}

/** A call that waits for a record. */
interface Waiting {
  readonly minSeq: number;
  resolve(): void;
  reject(error: SdkError): void;
}

/**
 * The state after one message. It is replaced as a whole, so a view never sees half of a record.
 */
interface ReplicaState {
  readonly workspace: WorkspaceState;
  /** Each snapshot has its own contents. Open views keep reading from the old ones. */
  readonly contents: PackedContents;
}

/** The era of the last snapshot. */
interface FollowedEra {
  /** See `FeedMessage`. Undefined if no later snapshot can continue this era. */
  readonly name: string | undefined;
  savedIndex: Blob | undefined;
  readonly face: ContentEra;
  end(): void;
}

class FeedReplica implements Replica {
  readonly #options: ReplicaOptions;
  readonly #waiting = new Set<Waiting>();
  #state: ReplicaState | undefined;
  #era: FollowedEra | undefined;
  #isBehind = false;
  /** True if a record came without its contents. A snapshot is requested when they are needed. */
  #isPending = false;
  /** The bytes that records have brought since the last snapshot. */
  #recordBytes = 0;
  #isDisposed = false;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    options.subscribe();
  }

  seq(): number {
    return this.#state?.workspace.seq ?? -1;
  }

  receive(message: FeedMessage): void {
    if (this.#isDisposed) return;
    if (message.type === 'snapshot') this.#takeSnapshot(message);
    else this.#takeRecord(message);
    for (const waiting of this.#waiting) {
      if (this.#hasAll(waiting.minSeq)) waiting.resolve();
    }
  }

  async waitFor(minSeq: number): Promise<void> {
    if (this.#isDisposed) throw closedError();
    if (this.#hasAll(minSeq)) return;
    if (this.#isPending) this.#options.subscribe();
    let tries = 1;
    let timer: Disposable | undefined;
    let waiting: Waiting | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        waiting = { minSeq, resolve, reject };
        this.#waiting.add(waiting);
        const again = () => {
          if (tries === maxSubscriptions) {
            reject(lostError(minSeq, this.seq()));
            return;
          }
          tries += 1;
          this.#options.subscribe();
          timer = this.#options.clock.after(patienceMs, again);
        };
        timer = this.#options.clock.after(patienceMs, again);
      });
    } finally {
      timer?.[Symbol.dispose]();
      if (waiting) this.#waiting.delete(waiting);
    }
  }

  fail(reason: SdkError): void {
    this.#isPending = true;
    for (const waiting of this.#waiting) waiting.reject(reason);
  }

  async openView(address: WorkspaceAddress, access: PathAccess): Promise<WorkspaceView> {
    await this.waitFor(address.minSeq);
    if (!this.#state || !this.#era) {
      throw new TypeError('A replica that has a sequence number has a state.');
    }
    const { workspace, contents } = this.#state;
    return createDraftView({
      root: shownRootOf(workspace, address.root),
      seq: workspace.seq,
      contents,
      access,
      era: this.#era.face,
      now: () => this.#options.clock.now(),
    });
  }

  #hasAll(minSeq: number): boolean {
    return minSeq <= this.seq() && !this.#isPending;
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#era?.end();
    for (const waiting of this.#waiting) waiting.reject(closedError());
  }

  #takeSnapshot({
    state,
    segments,
    lost = [],
    era,
    index,
  }: FeedMessage & { readonly type: 'snapshot' }): void {
    // A replica never goes back, so an acknowledged commit stays visible.
    if (state.seq < this.seq()) return;
    const contents = new PackedContents(this.#options);
    for (const segment of segments) contents.add(segment);
    contents.addLost(lost);
    this.#state = { workspace: fromPlainState(state), contents };
    if (!this.#era || era === undefined || era !== this.#era.name) {
      // Begins a new era. Open views keep the old one, in which their content ids stay valid.
      this.#era?.end();
      this.#era = this.#beginEra(era);
    }
    if (index) this.#era.savedIndex = index;
    this.#isBehind = false;
    this.#isPending = false;
    this.#recordBytes = 0;
  }

  #beginEra(name: string | undefined): FollowedEra {
    const ending = new AbortController();
    const { saveIndex } = this.#options;
    const era: FollowedEra = {
      name,
      savedIndex: undefined,
      end: () => ending.abort(),
      face: {
        signal: ending.signal,
        // In another era the same ids mean other contents.
        live: () =>
          this.#state && era === this.#era ? liveContents(this.#state.workspace) : new Map(),
        takeIndex() {
          const saved = era.savedIndex;
          era.savedIndex = undefined;
          return saved;
        },
        // Without a name, it couldn't be known later whether the ids still mean the same contents.
        ...(saveIndex &&
          name !== undefined && { saveIndex: (index: SavedIndex) => saveIndex(name, index) }),
      },
    };
    return era;
  }

  #takeRecord({ record, segment, isPending }: FeedMessage & { readonly type: 'record' }): void {
    const state = this.#state;
    if (!state || record.seq <= this.seq()) return;
    if (record.seq > this.seq() + 1) {
      // A record was lost. One request is enough, however many records follow.
      if (!this.#isBehind) this.#options.subscribe();
      this.#isBehind = true;
      return;
    }
    if (segment) state.contents.add(segment);
    if (isPending) this.#isPending = true;
    this.#state = { ...state, workspace: applyRecord(state.workspace, record) };
    this.#recordBytes += segment ? sizeOf(segment) : 0;
    if (this.#recordBytes <= maxRecordBytes) return;
    // Much of these contents was overwritten. A snapshot only has live contents, and shares the
    // others.
    this.#recordBytes = 0;
    this.#options.subscribe();
  }
}

function sizeOf({ data }: PackedSegment): number {
  return data instanceof Uint8Array ? data.length : data.size;
}

function lostError(minSeq: number, seq: number): SdkError {
  return new SdkError(
    'worker-lost',
    `The workspace's record ${minSeq} never arrived in this worker (it is at ${seq}).`,
    { data: { minSeq, seq } },
  );
}

function closedError(): SdkError {
  return new SdkError('worker-lost', 'The replica of the workspace is closed.');
}
