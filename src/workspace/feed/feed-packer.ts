// Packs contents and records for all followers of one source, and caches the packed segments.
// Several workers share one Blob, so a second tool worker doesn't read any contents again. In a
// workspace of 10 000 files and 41 MB, that was most of a worker's start.
import type { ContentId } from '../../core/change-set.ts';
import { hasCode } from '../../core/errors.ts';
import { createSerialQueue } from '../../core/async/serial-queue.ts';
import { joinBytes } from '../../core/bytes/join-bytes.ts';
import type { ContentSource } from '../state/content-source.ts';
import type { FeedMessage, PackedSegment } from './feed.ts';
import { keptContents, liveContents } from '../state/live-contents.ts';
import { toPlainState } from '../state/plain-state.ts';
import type { NewContent, WorkspaceRecord } from '../state/record.ts';
import { noHistory } from '../state/file-history.ts';
import { noStreams } from '../state/stream-state.ts';
import type { FedRecord, FeedSource, PackSegment } from './serve-feed.ts';

type Snapshot = FeedMessage & { readonly type: 'snapshot' };
type RecordMessage = FeedMessage & { readonly type: 'record' };
/**
 * The part of a source that is packed. It includes jumps, because content ids may mean other
 * contents after one.
 */
type PackedSource = Pick<FeedSource, 'state' | 'contents' | 'onJump'>;
type BlobSegment = PackedSegment & { readonly data: Blob };

// 8 MB: packing a snapshot needs no more memory than this at once, besides the medium's.
const segmentBytes = 8_388_608;
// 1 MB: smaller segments are inefficient to read. If there are many, they are packed together.
const smallBytes = 1_048_576;
const maxSmallSegments = 16;
// 64 MB of records between two snapshots. Records beyond that are packed again for the next
// snapshot.
const maxRecordBytes = 67_108_864;
// 5: compaction may drop contents while a snapshot is read. Even a second try is rare.
const maxTries = 5;

/**
 * Packs one source. Caches only Blobs: at most twice the workspace's bytes at the last snapshot,
 * and 64 MB of later records. Dispose of it to release them.
 */
export class FeedPacker implements Disposable {
  readonly #source: PackedSource;
  readonly #pack: PackSegment;
  readonly #hasStreams: boolean;
  readonly #listening: Disposable | undefined;
  /** Replaced when content ids may mean other contents from then on. */
  #kept: BlobSegment[] = [];
  #recordBytes = 0;
  /** The era of the source until it jumps. It is unique to this packer. */
  #era = crypto.randomUUID();
  /** Weak, because a record's contents may be large, and aren't needed once they are packed. */
  #messages = new WeakMap<FedRecord, RecordMessage>();
  readonly #inTurn = createSerialQueue();

  /**
   * `hasStreams` is true for other tabs, whose snapshots also have streams and the file history.
   * Tool workers get neither.
   */
  constructor(source: PackedSource, pack: PackSegment, { hasStreams = false } = {}) {
    this.#source = source;
    this.#pack = pack;
    this.#hasStreams = hasStreams;
    this.#listening = source.onJump?.(() => {
      this.#forget();
      this.#era = crypto.randomUUID();
    });
  }

  get era(): string {
    return this.#era;
  }

  /** Returns a state with all of its contents: that at the time of the call, or a later one. */
  snapshot(): Promise<Snapshot> {
    // One snapshot after the other, because the second can use the segments of the first.
    return this.#inTurn(() => this.#createSnapshot());
  }

  /** Packed once, however many followers ask for it. Without appended stream contents. */
  record(fed: FedRecord): RecordMessage {
    const made = this.#messages.get(fed);
    if (made) return made;
    const message = toRecordMessage(fed, this.#pack);
    const { segment } = message;
    if (segment && isBlobSegment(segment) && this.#recordBytes < maxRecordBytes) {
      this.#kept.push(segment);
      this.#recordBytes += segment.data.size;
    }
    this.#messages.set(fed, message);
    return message;
  }

  [Symbol.dispose](): void {
    this.#listening?.[Symbol.dispose]();
    this.#forget();
  }

  #forget(): void {
    this.#kept = [];
    this.#recordBytes = 0;
    this.#messages = new WeakMap();
  }

  async #createSnapshot(): Promise<Snapshot> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#packState(this.#source);
      } catch (error) {
        // The content was overwritten and compacted away during the read. The current state doesn't
        // need it.
        const isGone = hasCode(error, 'ECONFLICT');
        if (!isGone || tries === maxTries) throw error;
      }
    }
  }

  async #packState({ state, contents }: PackedSource): Promise<Snapshot> {
    const indexing = contents.savedIndex?.();
    const missing = this.#hasStreams ? keptContents(state) : liveContents(state);
    const kept = toUseful(this.#kept, missing);
    this.#kept = kept;
    this.#recordBytes = 0;
    const segments: PackedSegment[] = [...kept];
    removeAll(missing, kept);
    const given = (await contents.packed?.(new Set(missing.keys()))) ?? [];
    const packed = toUseful(given.filter(isBlobSegment), missing);
    segments.push(...packed);
    removeAll(missing, packed);
    const lost: ContentId[] = [];
    for (const group of toGroups(missing)) {
      const read = await readGroup(contents, group);
      const named: NewContent[] = [];
      group.forEach((contentId, at) => {
        const bytes = read[at];
        if (bytes) named.push({ contentId, bytes });
        else lost.push(contentId);
      });
      const segment = packContents(named, this.#pack);
      segments.push(segment);
      if (isBlobSegment(segment)) kept.push(segment);
    }
    const index = await indexing;
    const shown = this.#hasStreams ? state : { ...state, streams: noStreams, history: noHistory };
    const plain = toPlainState(shown);
    return {
      type: 'snapshot',
      state: plain,
      segments,
      lost,
      era: this.#era,
      ...(index && { index }),
    };
  }
}

/** Contents that arrived packed are passed on unchanged. */
function toRecordMessage(fed: FedRecord, pack: PackSegment): RecordMessage {
  const record = withoutStream(fed.record);
  const { contents } = fed;
  if ('data' in contents) return { type: 'record', record, segment: contents };
  return { type: 'record', record, segment: packNew(contents, pack) };
}

/** Returns the record as tool workers get it. */
export function withoutStream(record: WorkspaceRecord): WorkspaceRecord {
  if (!record.stream) return record;
  const { stream: _left, ...rest } = record;
  return rest;
}

/** Returns undefined if there is nothing to pack. */
export function packNew(
  contents: readonly NewContent[],
  pack: PackSegment,
): PackedSegment | undefined {
  return contents.length === 0 ? undefined : packContents(contents, pack);
}

function isBlobSegment(segment: PackedSegment): segment is BlobSegment {
  return !(segment.data instanceof Uint8Array);
}

/**
 * Keeps stored segments, and those of which at least half is in use. Small ones are kept only if
 * they are few.
 */
function toUseful(
  segments: readonly BlobSegment[],
  live: ReadonlyMap<ContentId, number>,
): BlobSegment[] {
  const useful = segments.filter(({ data, contents, checksums }) => {
    if (checksums) return true;
    let bytes = 0;
    for (let at = 0; at < contents.length; at += 3) bytes += live.get(contents[at] ?? 0) ?? 0;
    return bytes * 2 > data.size;
  });
  const isLarge = ({ data, checksums }: BlobSegment) => checksums || data.size >= smallBytes;
  const large = useful.filter(isLarge);
  return useful.length - large.length > maxSmallSegments ? large : useful;
}

function removeAll(missing: Map<ContentId, number>, segments: readonly PackedSegment[]): void {
  for (const { contents } of segments) {
    for (let at = 0; at < contents.length; at += 3) missing.delete(contents[at] ?? 0);
  }
}

/**
 * In the order of writing: contents that were written together are read together, and the medium is
 * read from front to back.
 */
function toGroups(sizes: ReadonlyMap<ContentId, number>): ContentId[][] {
  const groups: ContentId[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const [contentId, size] of [...sizes].sort(([left], [right]) => left - right)) {
    if (bytes + size > segmentBytes) {
      groups.push([]);
      bytes = 0;
    }
    groups.at(-1)?.push(contentId);
    bytes += size;
  }
  return groups;
}

/**
 * Returns undefined for contents that the medium has lost, because one damaged file must not keep
 * all others from a worker.
 */
async function readGroup(
  stored: ContentSource,
  group: readonly ContentId[],
): Promise<readonly (Uint8Array | undefined)[]> {
  try {
    return await stored.readMany(group);
  } catch (error) {
    if (!hasCode(error, 'EIO')) throw error;
    return Promise.all(
      group.map(async (contentId) => {
        try {
          return (await stored.readMany([contentId]))[0];
        } catch (reason) {
          if (hasCode(reason, 'EIO')) return undefined;
          throw reason;
        }
      }),
    );
  }
}

function packContents(contents: readonly NewContent[], pack: PackSegment): PackedSegment {
  const places: number[] = [];
  let length = 0;
  for (const { contentId, bytes } of contents) {
    places.push(contentId, length, bytes.length);
    length += bytes.length;
  }
  return { data: pack(joinContents(contents, length)), contents: places };
}

/** Without a copy if the contents are adjacent in memory, as those of a record are. */
function joinContents(contents: readonly NewContent[], length: number): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset } = contents[0]?.bytes ?? new Uint8Array(0);
  let end = byteOffset;
  const isOnePiece = contents.every(({ bytes }) => {
    const isNext = bytes.buffer === buffer && bytes.byteOffset === end;
    end += bytes.length;
    return isNext;
  });
  if (isOnePiece && buffer instanceof ArrayBuffer) {
    return new Uint8Array(buffer, byteOffset, length);
  }
  return joinBytes(contents.map(({ bytes }) => bytes));
}
