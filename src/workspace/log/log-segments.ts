// The log's segments. The current one is appended to, older ones are only read. Every append is
// fenced, and undone if it fails.

import { type SdkError, hasCode } from '../../core/errors.ts';
import type { Durability } from '../workspace.ts';
import { discardFile } from './discard-file.ts';
import { segmentName, type SegmentNumber } from './file-name.ts';
import type { LogPosition } from './image-file.ts';
import { createBrokenLogError, isClearedError, toMediumError } from './log-error.ts';
import type { AppendFile, LogMedium, ReadFile } from './log-medium.ts';
import type { RecoveredLog, SealedSegment } from './recover.ts';
import { encodeSegmentHeader } from './segment-header.ts';

interface ActiveSegment {
  readonly name: string;
  readonly file: AppendFile;
  readonly headerBytes: number;
}

export class LogSegments {
  readonly #medium: LogMedium;
  readonly #maxBytes: number;
  #sealed: readonly SealedSegment[];
  #active: ActiveSegment | undefined;
  #next: SegmentNumber;
  /** Files of former owners that may not survive a power loss yet. */
  #unflushed: readonly ReadFile[];
  /**
   * Set after a header's write has failed. The header may still be complete on the medium, and
   * records missing in its list of segments would then be lost.
   */
  #mustRollOver = false;
  /** Segments that are no longer valid but must not be removed. */
  readonly #aside: readonly string[];
  #refusal: SdkError | undefined;

  constructor(
    medium: LogMedium,
    maxBytes: number,
    recovered: Pick<RecoveredLog, 'segments' | 'nextNumber' | 'aside'>,
  ) {
    this.#medium = medium;
    this.#maxBytes = maxBytes;
    this.#sealed = recovered.segments;
    this.#next = recovered.nextNumber;
    this.#aside = recovered.aside;
    this.#unflushed = recovered.segments.flatMap(({ file }) => (file ? [file] : []));
  }

  /** Set once nothing can be appended any more: `EFENCED`, or `EIO` if the log's end is unknown. */
  get refusal(): SdkError | undefined {
    return this.#refusal;
  }

  /** The epoch of this owner's segments: higher than every earlier one. */
  get epoch(): number {
    return this.#next.epoch;
  }

  /** Where the next record will begin. */
  get position(): LogPosition {
    if (this.#active) return { segment: this.#active.name, offset: this.#active.file.length() };
    const last = this.#sealed.at(-1);
    return { segment: last?.name ?? '', offset: last?.length ?? 0 };
  }

  /** The bytes of all segments, live and dead. */
  get byteLength(): number {
    const sealed = this.#sealed.reduce((sum, { file, length }) => sum + (file ? length : 0), 0);
    return sealed + (this.#active?.file.length() ?? 0);
  }

  /** The segments that are only read. */
  get sealed(): readonly SealedSegment[] {
    return this.#sealed;
  }

  /**
   * True if everything before that position still exists as this owner has accepted or appended it.
   */
  holds({ segment, offset }: LogPosition): boolean {
    const { position } = this;
    if (segment === position.segment) return offset <= position.offset;
    return this.#sealed.some(({ name, length }) => name === segment && offset <= length);
  }

  fileOf(name: string): ReadFile | undefined {
    if (name === this.#active?.name) return this.#active.file;
    return this.#sealed.find((segment) => segment.name === name)?.file;
  }

  /**
   * Appends complete records in one write. Resolves to their position once they have the requested
   * durability and the ownership was confirmed. A failure leaves the log unchanged.
   */
  async append(bytes: Uint8Array, durability: Durability): Promise<LogPosition> {
    if (this.#refusal) throw this.#refusal;
    const { file: current, headerBytes = 0 } = this.#active ?? {};
    const length = current?.length() ?? 0;
    const isFull = length > headerBytes && length + bytes.length > this.#maxBytes;
    if (!current || isFull || this.#mustRollOver) await this.rollOver();
    const { name, file } = this.#requireActive();
    const offset = file.length();
    try {
      if (durability === 'power') await this.flushFormerOwners();
      await file.append(bytes, durability);
      if (!this.#medium.refusesFormerOwners) await this.#medium.checkFence();
    } catch (error) {
      await this.#undo(file, offset, toMediumError(error));
    }
    return { segment: name, offset };
  }

  /**
   * Begins a new segment. First makes the previous one durable, so that a power loss can't remove
   * its records.
   */
  async rollOver(): Promise<void> {
    if (this.#refusal) throw this.#refusal;
    try {
      await this.#active?.file.append(new Uint8Array(0), 'power');
      if (!this.#active) await this.flushFormerOwners();
      const { name, file, headerBytes } = await this.#createSegment();
      if (this.#active) {
        const { name: sealed, file: sealedFile } = this.#active;
        const length = sealedFile.length();
        this.#sealed = [...this.#sealed, { name: sealed, length, file: sealedFile }];
      }
      this.#active = { name, file, headerBytes };
      this.#mustRollOver = false;
    } catch (error) {
      throw this.#noteFence(toMediumError(error));
    }
  }

  /** Makes all appended data survive a power loss. */
  async flush(): Promise<void> {
    if (this.#refusal) throw this.#refusal;
    await this.flushFormerOwners();
    await this.#active?.file.append(new Uint8Array(0), 'power');
  }

  /**
   * Returns false while a former owner still holds a file, because only that owner can flush it.
   */
  async flushFormerOwners(): Promise<boolean> {
    if (this.#unflushed.length === 0) return true;
    const left: ReadFile[] = [];
    for (const file of this.#unflushed) {
      if (file.flush && !(await file.flush())) left.push(file);
    }
    this.#unflushed = left;
    return left.length === 0;
  }

  /** The names of the segments that were set aside. */
  get aside(): readonly string[] {
    return this.#aside;
  }

  /**
   * Closes and removes sealed segments. Files that were set aside stay, and so do files that other
   * realms still read. Stops at the first file that another owner may have taken over.
   */
  async remove(
    names: ReadonlySet<string>,
    { isLeft }: { isLeft(name: string): boolean },
  ): Promise<void> {
    for (const { name, file } of this.#sealed.filter((segment) => names.has(segment.name))) {
      await this.checkFence();
      this.#sealed = this.#sealed.filter((segment) => segment.name !== name);
      this.#unflushed = this.#unflushed.filter((unflushed) => unflushed !== file);
      await file?.close();
      if (!this.#aside.includes(name) && !isLeft(name)) await this.#medium.remove(name);
    }
  }

  async checkFence(): Promise<void> {
    try {
      await this.#medium.checkFence();
    } catch (error) {
      throw this.#noteFence(toMediumError(error));
    }
  }

  async #createSegment(): Promise<ActiveSegment> {
    await this.#medium.checkFence();
    const file = await this.#createFile();
    const number = this.#next;
    const name = segmentName(number);
    // A name is never used twice, even if creating this file fails.
    this.#next = { ...number, index: number.index + 1 };
    try {
      const live = this.#sealed.map((segment) => ({ name: segment.name, length: segment.length }));
      if (this.#active) live.push({ name: this.#active.name, length: this.#active.file.length() });
      const header = encodeSegmentHeader(number, live, this.#aside);
      await file.append(header, 'power');
      await this.#medium.checkFence();
      return { name, file, headerBytes: header.length };
    } catch (error) {
      this.#mustRollOver = true;
      const isFenced = toMediumError(error).code === 'EFENCED';
      // The first segment of an epoch stays as an empty file. Otherwise the next owner would reuse
      // the epoch, and this owner's next segment would be newer than that owner's first.
      const isFirst = number.index === 0;
      if (isFirst && !isFenced) await emptyFile(this.#medium, file);
      await file.close();
      // If the file stays, a newer segment will follow it.
      if (!isFirst && !isFenced) await discardFile(this.#medium, name);
      throw error;
    }
  }

  /**
   * A former owner that still runs may have created a file of the same epoch. The next epoch is
   * tried then.
   */
  async #createFile(): Promise<AppendFile> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#medium.create(segmentName(this.#next));
      } catch (error) {
        if (!hasCode(error, 'EEXIST') || tries === 8) throw error;
        // If the file belongs to the next owner, this owner must not create one that would follow
        // it.
        await this.#medium.checkFence();
        this.#next = this.#active
          ? { ...this.#next, index: this.#next.index + 1 }
          : { epoch: this.#next.epoch + 1, index: 0 };
      }
    }
  }

  /**
   * Removes bytes that were appended but not acknowledged, so that they aren't found when the log
   * is reopened.
   */
  async #undo(file: AppendFile, length: number, cause: SdkError): Promise<never> {
    if (cause.code === 'EFENCED') throw this.#noteFence(cause);
    try {
      // A new owner may have accepted these bytes as its own. That isn't possible if the data was
      // cleared.
      if (!isClearedError(cause)) await this.#medium.checkFence();
      await file.truncate(length);
    } catch (error) {
      const failure = toMediumError(error);
      if (failure.code === 'EFENCED') throw this.#noteFence(failure);
      // The content of the log's end is now unknown: a half-written record could be taken for an
      // acknowledged one. Reopening the log removes it.
      throw (this.#refusal = createBrokenLogError(new AggregateError([cause, failure])));
    }
    throw cause;
  }

  #noteFence(error: SdkError): SdkError {
    if (error.code === 'EFENCED') this.#refusal ??= error;
    return error;
  }

  #requireActive(): ActiveSegment {
    if (!this.#active) throw new TypeError('A segment was just begun.');
    return this.#active;
  }
}

/** Empties a file. Never rejects, like {@link discardFile}. */
async function emptyFile(medium: LogMedium, file: AppendFile): Promise<void> {
  try {
    await medium.checkFence();
    await file.truncate(0);
  } catch {
    // A file that stays only takes room.
  }
}
