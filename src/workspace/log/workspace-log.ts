// A workspace's log on a medium. The writer appends to it and reads contents from it. Images and
// compaction keep it small and fast to open. The writer decides what goes into it.
import type { ContentId } from '../../core/change-set.ts';
import type { SdkError } from '../../core/errors.ts';
import { joinBytes } from '../../core/bytes/join-bytes.ts';
import type { SavedIndex, StoredPart } from '../state/content-source.ts';
import { toPlainState } from '../state/plain-state.ts';
import type { PackedSegment } from '../feed/feed.ts';
import type { WorkspaceState } from '../state/state.ts';
import type { Durability } from '../workspace.ts';
import { chooseVictim, chooseVictims, Compaction, contentOverheadBytes } from './compaction.ts';
import { addPlaces, toPlainPlaces } from './content-places.ts';
import { isStoredName, type ContentStore } from './content-store.ts';
import { oldLogName, parseSegmentName } from './file-name.ts';
import type { LogImage } from './image-file.ts';
import { ImageSlots } from './image-slots.ts';
import { IndexFile } from './index-file.ts';
import { keptContents, pathsOf } from '../state/live-contents.ts';
import { LogContents } from './log-contents.ts';
import { toMediumError } from './log-error.ts';
import { defaultLogLimits, type LogLimits } from './log-limits.ts';
import type { LogMedium } from './log-medium.ts';
import { LogSegments } from './log-segments.ts';
import type { EncodedRecord } from './record-codec.ts';
import { recoverLog, type RecoveredLog } from './recover.ts';
import { StoredSegments } from './stored-segments.ts';

/** A log that was just opened, and the state of its records. */
export interface OpenedLog {
  readonly log: WorkspaceLog;
  readonly state: WorkspaceState;
}

/**
 * Recovers a log and takes ownership: what a former owner appends from now on is invalid. The log
 * owns the medium; if opening fails, the caller must close it. @throws SdkError `EIO` for a log
 * that this version can't read, `ENOSPC` if not even an empty log fits
 */
export async function openWorkspaceLog(
  medium: LogMedium,
  limits: Partial<LogLimits> = {},
): Promise<OpenedLog> {
  try {
    const recovered = await recoverLog(medium);
    const log = new WorkspaceLog(medium, { ...defaultLogLimits, ...limits }, recovered);
    await log.begin(recovered);
    return { log, state: recovered.state };
  } catch (error) {
    throw toMediumError(error);
  }
}

/** One call at a time, except for reads. The writer ensures that. */
export class WorkspaceLog {
  readonly droppedBytes: number;
  /**
   * Called when segments returned by {@link WorkspaceLog.packed} were replaced. The next compaction
   * removes them, so readers must use the new ones by then.
   */
  onWithdrawn = (): void => {};
  readonly #medium: LogMedium;
  readonly #limits: LogLimits;
  readonly #segments: LogSegments;
  readonly #contents: LogContents;
  readonly #images: ImageSlots;
  readonly #stored = new StoredSegments();
  readonly #index: IndexFile;
  #compaction: Compaction | undefined;
  /** True if this owner has searched the store for unneeded contents. */
  #hasSwept = false;
  /** Has this owner written an image? */
  #hasOwnImage = false;
  /** Bytes appended since the last image, or read at opening because no image covered them. */
  #bytesSinceImage: number;
  /** The cost of replaying them: see {@link LogLimits.imageBytes}. */
  #replayBytes: number;
  /** The bytes of the contents in the last image. */
  #liveBytes: number;
  /** Upkeep that failed or freed nothing isn't tried again before the log has this size. */
  #nextUpkeepBytes = 0;
  #nextCompactionBytes = 0;
  #upkeepError: SdkError | undefined;

  constructor(medium: LogMedium, limits: LogLimits, recovered: RecoveredLog) {
    this.#medium = medium;
    this.#limits = limits;
    this.droppedBytes = recovered.droppedBytes;
    this.#segments = new LogSegments(medium, limits.segmentBytes, recovered);
    this.#contents = new LogContents(recovered, (name) =>
      isStoredName(name) ? medium.contents?.file(name) : this.#segments.fileOf(name),
    );
    this.#images = new ImageSlots(medium, recovered.images);
    this.#index = new IndexFile(medium, this.#segments, limits);
    this.#bytesSinceImage = recovered.replayedBytes;
    this.#replayBytes = recovered.replayedBytes / contentDiscount;
    this.#liveBytes = [...recovered.places.values()].reduce(
      (sum, { segment, length }) =>
        isStoredName(segment) ? sum : sum + length + contentOverheadBytes,
      0,
    );
  }

  /** The epoch of this owner: higher than every earlier one. */
  get epoch(): number {
    return this.#segments.epoch;
  }

  get driver(): string {
    return this.#medium.driver;
  }

  get isPersistent(): boolean {
    return this.#medium.isPersistent;
  }

  /** {@link LogLimits.packBytes} */
  get packBytes(): number {
    return this.#limits.packBytes;
  }

  /** The bytes of all segments, live and dead. */
  get byteLength(): number {
    return this.#segments.byteLength;
  }

  /**
   * The store for large contents, which are put there before the record is appended. Undefined:
   * they go into the log's files.
   */
  get store(): ContentStore | undefined {
    return this.#medium.contents;
  }

  /** The first free content id. */
  get nextContentId(): ContentId {
    return this.#contents.nextContentId;
  }

  /** Set once nothing can be appended any more: `EFENCED`, or `EIO` if the log's end is unknown. */
  get refusal(): SdkError | undefined {
    return this.#segments.refusal;
  }

  /** Why the last image or compaction failed. Nothing is lost, but the log grows. */
  get upkeepError(): SdkError | undefined {
    return this.#upkeepError;
  }

  /** Called once, by {@link openWorkspaceLog}. */
  async begin({ state, indexes }: RecoveredLog): Promise<void> {
    const finding = this.#index.find(indexes);
    // An owner that only reads needs no segment, because no header must say which bytes of a former
    // owner are valid.
    const isSafe = this.#medium.refusesFormerOwners === true && state.revision > 0;
    if (isSafe) return finding;
    try {
      await this.#segments.rollOver();
    } catch (error) {
      // A full medium can still be read. The first commit tries again.
      if (toMediumError(error).code !== 'ENOSPC' || state.revision === 0) throw error;
    }
    await finding;
  }

  /**
   * Appends records in one write. Once it resolves they have the requested durability, and their
   * contents can be read. If it rejects, nothing of them exists. `state` is the state before them.
   */
  async append(
    records: readonly EncodedRecord[],
    durability: Durability,
    state: WorkspaceState,
  ): Promise<void> {
    if (durability === 'power') await this.#outliveFormerOwners(state);
    const [only] = records;
    // One record, as most writes are, isn't copied.
    const bytes =
      only && records.length === 1 ? only.bytes : joinBytes(records.map((record) => record.bytes));
    const { segment, offset } = await this.#segments.append(bytes, durability);
    this.#bytesSinceImage += bytes.length;
    this.#replayBytes += replayBytesOf(records);
    let start = offset;
    for (const record of records) {
      addPlaces(this.#contents.places, record.contents, { segment, start });
      const last = record.contents.at(-1);
      if (last) this.#contents.nextContentId = last.contentId + 1;
      start += record.bytes.length;
    }
  }

  /** Also works for a lost content. Throws for a content that doesn't exist. */
  sizeOf(contentId: ContentId): number {
    return this.#contents.sizeOf(contentId);
  }

  /** Rejects with `EIO` if the bytes were lost. They are shared and must not be changed. */
  read(contentId: ContentId): Promise<Uint8Array> {
    return this.#contents.read(contentId);
  }

  /** Reads from `offset` within the content. Rejects as `read`. */
  readPart(contentId: ContentId, offset: number, length: number): Promise<Uint8Array> {
    return this.#contents.readPart(contentId, offset, length);
  }

  /** Same as `read`, but synchronous. Throws `unsupported-environment` if the medium can't. */
  readSync(contentId: ContentId): Uint8Array {
    return this.#contents.readSync(contentId);
  }

  /**
   * Returns segments with the wanted contents that other realms can read directly from the log's
   * files. Contents in the current segment are included only if it is worth starting a new one.
   */
  async packed(wanted: ReadonlySet<ContentId>): Promise<readonly PackedSegment[]> {
    const { segment: active } = this.#segments.position;
    const isShareable = this.#segments.fileOf(active)?.blob !== undefined;
    if (isShareable && !this.refusal && this.#bytesIn(active, wanted) >= this.#smallBytes()) {
      try {
        await this.#segments.rollOver();
      } catch (error) {
        // The medium is probably full. The caller then reads these contents and packs them itself.
        this.#upkeepError = toMediumError(error);
      }
    }
    return this.#stored.pack(wanted, this.#contents.places, this.#segments.sealed);
  }

  /**
   * Reads a part of a segment that {@link WorkspaceLog.packed} has returned and that is still
   * valid.
   */
  async readStored({ file: name, from, to }: StoredPart): Promise<Uint8Array | undefined> {
    if (!this.#stored.isShared(name)) return undefined;
    return this.#segments.fileOf(name)?.read(from, to - from);
  }

  /** The saved search index, if any: {@link IndexFile}. */
  savedIndex(): Promise<Blob | undefined> {
    return this.#index.data();
  }

  /** Queues the index for the next idle upkeep, and takes ownership of its bytes. */
  saveIndex(index: SavedIndex): void {
    if (this.isPersistent) this.#index.offer(index, this.nextContentId);
  }

  /**
   * A power loss could remove what a former owner still holds, and the log would then end before
   * acknowledged records. With an image behind that point, only contents that could not be flushed
   * are lost.
   */
  async #outliveFormerOwners(state: WorkspaceState): Promise<void> {
    if (this.#hasOwnImage || (await this.#segments.flushFormerOwners())) return;
    await this.#writeImage(state);
  }

  #bytesIn(segment: string, contentIds: ReadonlySet<ContentId>): number {
    let bytes = 0;
    for (const contentId of contentIds) {
      const place = this.#contents.places.get(contentId);
      if (place?.segment === segment) bytes += place.length;
    }
    return bytes;
  }

  /** Returns the paths of `main` whose bytes are missing or damaged, as far as known. */
  lostFiles(state: WorkspaceState): string[] {
    const { lost } = this.#contents;
    return lost.size === 0 ? [] : pathsOf(state, new Set(lost.keys()));
  }

  /**
   * Does one piece of upkeep if needed: an image, or a part of a compaction. Call it between
   * commits; true asks for another call. While commits wait, only overdue work is done. Never
   * rejects: a failure is stored in `upkeepError`, and nothing is lost.
   */
  async upkeep(state: WorkspaceState, isIdle: boolean): Promise<boolean> {
    if (this.refusal || this.byteLength < this.#nextUpkeepBytes) return false;
    try {
      const isDone = await this.#upkeepStep(state, isIdle);
      if (isDone) this.#upkeepError = undefined;
      return isDone;
    } catch (error) {
      this.#compaction = undefined;
      this.#upkeepError = toMediumError(error);
      this.#nextUpkeepBytes = this.byteLength + this.#limits.imageBytes;
      return false;
    }
  }

  /**
   * Frees `bytes` on a full medium, or as much as is dead. Segments with the least to copy come
   * first. Call it between commits. Returns false if nothing could be freed. Never rejects.
   */
  async makeRoom(state: WorkspaceState, bytes: number): Promise<boolean> {
    // Before the first record nothing is dead, and there must be no image.
    if (this.refusal || state.revision === 0) return false;
    // The compaction starts again with other segments.
    this.#compaction = undefined;
    let freed = 0;
    try {
      freed += await this.#removeStrays();
      while (freed < bytes) {
        const before = this.byteLength;
        const victim = await this.#chooseVictim(state);
        if (victim === undefined) break;
        const compaction = this.#compactionOf(new Set([victim]));
        while (await compaction.copyPiece(state));
        await this.#finishCompaction(state);
        // Segments with damaged contents are kept.
        if (this.byteLength >= before) break;
        freed += before - this.byteLength;
      }
      // On a full medium segments aren't kept for readers, which are told to read again.
      await this.#removeStrays();
    } catch (error) {
      this.#upkeepError = toMediumError(error);
    }
    return freed > 0;
  }

  /** Writes an image, so that the next opening is fast, and closes the medium. */
  async close(state: WorkspaceState): Promise<void> {
    try {
      if (this.#bytesSinceImage > 0 && !this.refusal) await this.#writeImage(state);
      if (!this.refusal && this.#mustSweep()) this.#sweepStore(state);
      while (!this.refusal && (await this.#index.step()));
    } catch (error) {
      // The next opening replays the records instead, so nothing is lost.
      this.#upkeepError = toMediumError(error);
    } finally {
      await this.#medium.close();
    }
  }

  async #upkeepStep(state: WorkspaceState, isIdle: boolean): Promise<boolean> {
    // During constant load the log may become eight times as long as otherwise.
    const factor = isIdle ? 1 : 8;
    if (this.#compaction && (isIdle || this.#deadBytes() > this.#limits.deadBytes * factor)) {
      if (!(await this.#compaction.copyPiece(state))) await this.#finishCompaction(state);
      return true;
    }
    const { imageBytes } = this.#limits;
    const dueBytes = Math.max(imageBytes, this.#images.byteLength / 4) * factor;
    if (this.#replayBytes > dueBytes) {
      await this.#writeImage(state);
      return true;
    }
    if (isIdle && this.#isCompactionDue()) return this.#startCompaction(state);
    if (isIdle && this.#mustSweep()) return this.#sweepStore(state);
    return isIdle && this.#index.step();
  }

  /**
   * Returns true once for each owner, because searching all files takes a while. What the sweep
   * drops is known at the next opening.
   */
  #mustSweep(): boolean {
    return !this.#hasSwept && this.store !== undefined;
  }

  #sweepStore(state: WorkspaceState): boolean {
    this.#hasSwept = true;
    const { store } = this;
    if (!store || store.isEmpty()) return true;
    const { places } = this.#contents;
    const needed = new Set<string>();
    for (const contentId of keptContents(state).keys()) {
      const { segment = '' } = places.get(contentId) ?? {};
      if (isStoredName(segment)) needed.add(segment);
    }
    const gone = store.sweep(needed);
    // Only old drafts could still refer to them.
    for (const [contentId, { segment }] of places) {
      if (gone.has(segment)) places.delete(contentId);
    }
    return true;
  }

  #deadBytes(): number {
    return this.byteLength - this.#liveBytes - this.#bytesSinceImage;
  }

  #isCompactionDue(): boolean {
    const { deadBytes, smallSegments } = this.#limits;
    if (this.byteLength < this.#nextCompactionBytes) return false;
    const dead = this.#deadBytes();
    if (dead > deadBytes && dead * 2 > this.byteLength) return true;
    const small = this.#segments.sealed.filter(({ length }) => length < this.#smallBytes());
    return small.length > smallSegments;
  }

  #smallBytes(): number {
    return this.#limits.segmentBytes / 64;
  }

  async #startCompaction(state: WorkspaceState): Promise<boolean> {
    // Dead bytes of the current segment can only be freed after a roll-over.
    if (this.#segments.position.offset >= this.#smallBytes()) await this.#segments.rollOver();
    const victims = chooseVictims(this.#segments, this.#liveBytesOf(state), this.#smallBytes());
    this.#compaction = this.#compactionOf(victims);
    return true;
  }

  /**
   * Returns the next segment to free on a full medium. The current one only if there is no other.
   */
  async #chooseVictim(state: WorkspaceState): Promise<string | undefined> {
    const liveBytes = this.#liveBytesOf(state);
    const victim = chooseVictim(this.#segments, liveBytes);
    if (victim !== undefined) return victim;
    const { segment, offset } = this.#segments.position;
    if (offset < this.#smallBytes() || (liveBytes.get(segment) ?? 0) * 3 >= offset * 2) return;
    await this.#segments.rollOver();
    return chooseVictim(this.#segments, liveBytes);
  }

  /** Returns how many bytes of each segment the state needs. */
  #liveBytesOf(state: WorkspaceState): Map<string, number> {
    const liveBytes = new Map<string, number>();
    for (const [contentId, size] of keptContents(state)) {
      const { segment = '' } = this.#contents.places.get(contentId) ?? {};
      liveBytes.set(segment, (liveBytes.get(segment) ?? 0) + size + contentOverheadBytes);
    }
    return liveBytes;
  }

  #compactionOf(victims: ReadonlySet<string>): Compaction {
    const log = { segments: this.#segments, contents: this.#contents };
    return new Compaction(log, victims, this.#limits.pieceBytes);
  }

  /** Nothing is removed before two images exist that don't need it. */
  async #finishCompaction(state: WorkspaceState): Promise<void> {
    this.#compaction = undefined;
    await this.#segments.flush();
    const image = this.#createImage(state);
    await this.#images.writeBoth(image, this.#segments.epoch);
    this.#noteImage(image);
    const needed = new Set(image.places.map(([segment]) => segment));
    // The image ends in a former owner's segment until this owner has appended. Without that
    // segment no image would be valid.
    needed.add(image.position.segment);
    const { sealed } = this.#segments;
    const dead = new Set(sealed.flatMap(({ name }) => (needed.has(name) ? [] : [name])));
    // Contents to which only old drafts refer are removed with their segments.
    for (const [contentId, { segment }] of this.#contents.places) {
      if (dead.has(segment)) this.#contents.places.delete(contentId);
    }
    // Files left by the last compaction are removed first. Those that this one leaves for readers
    // stay until the next.
    await this.#removeStrays();
    const shared = new Set([...dead].filter((name) => this.#stored.isShared(name)));
    await this.#segments.remove(dead, { isLeft: (name) => shared.has(name) });
    for (const name of dead) this.#stored.forget(name);
    if (shared.size > 0) this.onWithdrawn();
    this.#nextCompactionBytes = this.byteLength + this.#limits.deadBytes / 4;
  }

  /**
   * Removes files of former owners that were never valid, and files that the last compaction has
   * left for readers. Resolves to their bytes.
   */
  async #removeStrays(): Promise<number> {
    let bytes = 0;
    const { segment: active } = this.#segments.position;
    const { aside, sealed } = this.#segments;
    const known = new Set([active, ...aside, ...sealed.map(({ name }) => name)]);
    for (const { name, length } of await this.#medium.list()) {
      const isOurs = parseSegmentName(name) !== null || name === oldLogName;
      if (!isOurs || known.has(name)) continue;
      await this.#segments.checkFence();
      await this.#medium.remove(name);
      bytes += length;
    }
    return bytes;
  }

  async #writeImage(state: WorkspaceState): Promise<void> {
    await this.#segments.flush();
    const image = this.#createImage(state);
    await this.#images.write(image, this.#segments.epoch);
    this.#noteImage(image);
  }

  #createImage(state: WorkspaceState): LogImage {
    const { places, nextContentId } = this.#contents;
    return {
      position: this.#segments.position,
      nextContentId,
      // Includes damaged contents: their segments stay until no root refers to them.
      places: toPlainPlaces(places, keptContents(state).keys()),
      state: toPlainState(state),
    };
  }

  #noteImage({ places }: LogImage): void {
    this.#hasOwnImage = true;
    this.#bytesSinceImage = 0;
    this.#replayBytes = 0;
    this.#liveBytes = 0;
    for (const [segment, numbers] of places) {
      if (isStoredName(segment)) continue;
      for (let at = 2; at < numbers.length; at += 4) {
        this.#liveBytes += (numbers[at] ?? 0) + contentOverheadBytes;
      }
    }
  }
}

// 8: at replay a content's bytes are only hashed, which takes an eighth of the time of parsing a
// record's JSON.
const contentDiscount = 8;

function replayBytesOf(records: readonly EncodedRecord[]): number {
  let bytes = 0;
  for (const record of records) {
    const contentBytes = record.contents.reduce(
      (sum, { length, name }) => (name === undefined ? sum + length : sum),
      0,
    );
    bytes += record.bytes.length - contentBytes + contentBytes / contentDiscount;
  }
  return bytes;
}
