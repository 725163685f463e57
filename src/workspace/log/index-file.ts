// Stores the search index beside the log, so that reopening a workspace doesn't read all files. The
// bytes are opaque here. The search index validates them.
import type { ContentId } from '../../core/change-set.ts';
import { maxIndexBytes, type SavedIndex } from '../state/content-source.ts';
import { discardFile } from './discard-file.ts';
import { indexName, parseIndexName } from './file-name.ts';
import type { LogPosition } from './image-file.ts';
import { decodeBlock, encodeBlock, readBlockHeader, readFormatVersion } from './json-block.ts';
import type { LogLimits } from './log-limits.ts';
import type { LogMedium, MediumFile } from './log-medium.ts';
import type { LogSegments } from './log-segments.ts';

const magic = 'RKPLIDX\n';

// 1 024: longer than the block at the beginning of a file.
const maxHeaderBytes = 1024;

/** How much an index covers. */
interface IndexFacts {
  /** The number of contents it covers. */
  readonly contents: number;
  /** The first free content id when the index was offered. */
  readonly nextContentId: ContentId;
}

/** The header of a file, before the index. */
interface IndexHeader extends IndexFacts {
  /** All covered contents come from records before this position. */
  readonly position: LogPosition;
  /** The length of the index in bytes. */
  readonly byteLength: number;
}

interface KeptIndex extends IndexHeader {
  readonly name: string;
  /** The index: a part of the file if other realms can read it, otherwise bytes in memory. */
  data(): Promise<Blob>;
}

/**
 * A content id means one content as long as the log continues from the same records. So a file is
 * valid while the log still contains what it had when the file was written. The file names a
 * segment and a length in it. No other segment can get that name, because the file keeps its epoch
 * from being reused.
 */
export class IndexFile {
  readonly #medium: LogMedium;
  readonly #segments: LogSegments;
  readonly #limits: Pick<LogLimits, 'pieceBytes'>;
  #kept: KeptIndex | undefined;
  /**
   * What the last offer covered. The first offer is always accepted, because the file found at
   * opening may be useless.
   */
  #last: IndexFacts = { contents: 0, nextContentId: 0 };
  #offered: { readonly bytes: Uint8Array; readonly facts: IndexFacts } | undefined;
  #writing: AsyncIterator<void> | undefined;
  #count = 0;

  constructor(medium: LogMedium, segments: LogSegments, limits: Pick<LogLimits, 'pieceBytes'>) {
    this.#medium = medium;
    this.#segments = segments;
    this.#limits = limits;
  }

  /** Finds the newest valid file. An invalid one only costs time. */
  async find(files: readonly MediumFile[]): Promise<void> {
    const newestFirst = files
      .filter(({ name }) => parseIndexName(name))
      .sort((left, right) => (left.name < right.name ? 1 : -1));
    for (const file of newestFirst) {
      const kept = await this.#read(file).catch(() => undefined);
      if (!kept || !this.#segments.holds(kept.position)) continue;
      this.#kept = kept;
      return;
    }
  }

  /** Resolves to undefined if there is none, or if it can't be read any more. */
  async data(): Promise<Blob | undefined> {
    return this.#kept?.data().catch(() => undefined);
  }

  /** Queues the index for {@link step} if it covers enough more than the last one. */
  offer({ bytes, contents }: SavedIndex, nextContentId: ContentId): void {
    // Tool workers that have read the same files offer the same index.
    const isMore = contents > this.#last.contents * 1.25;
    const isOther = nextContentId - this.#last.nextContentId > contents / 4;
    if ((!isMore && !isOther) || bytes.length > maxIndexBytes) return;
    this.#last = { contents, nextContentId };
    this.#offered = { bytes, facts: this.#last };
  }

  /**
   * Writes one piece. Returns false if there is nothing to write. An index that can't be written is
   * dropped.
   */
  async step(): Promise<boolean> {
    this.#writing ??= await this.#begin();
    if (!this.#writing) return false;
    const writing = this.#writing;
    this.#writing = undefined;
    if (!(await writing.next()).done) this.#writing = writing;
    return true;
  }

  async #begin(): Promise<AsyncIterator<void> | undefined> {
    const offered = this.#offered;
    this.#offered = undefined;
    if (offered) return this.#write(offered.bytes, offered.facts);
    const kept = this.#kept;
    if (!kept || this.#segments.holds(kept.position)) return undefined;
    // Compaction has removed the segment that proves its validity. It is written again with the
    // current position.
    this.#kept = undefined;
    return this.#write(new Uint8Array(await (await kept.data()).arrayBuffer()), kept);
  }

  /**
   * Written to a new file. The previous one stays readable until the file after this one is
   * written.
   */
  async *#write(bytes: Uint8Array, { contents, nextContentId }: IndexFacts): AsyncGenerator<void> {
    const { epoch, position } = this.#segments;
    await this.#segments.flush();
    await this.#segments.checkFence();
    const name = indexName({ epoch, index: (this.#count += 1) });
    const header = { position, nextContentId, contents, byteLength: bytes.length };
    const file = await this.#medium.create(name);
    try {
      await file.append(encodeBlock(magic, epoch, header), 'process');
      for (let at = 0; at < bytes.length; at += this.#limits.pieceBytes) {
        yield;
        await file.append(bytes.subarray(at, at + this.#limits.pieceBytes), 'power');
      }
    } catch (error) {
      await file.close();
      await discardFile(this.#medium, name);
      throw error;
    }
    await file.close();
    const former = this.#kept?.name;
    this.#kept = await this.#read({ name, length: file.length() });
    for (const other of await this.#medium.list()) {
      if (!parseIndexName(other.name) || other.name === name || other.name === former) continue;
      await this.#segments.checkFence();
      await this.#medium.remove(other.name);
    }
  }

  /** Resolves to undefined for a torn or damaged file, or one of an unknown version. */
  async #read({ name, length }: MediumFile): Promise<KeptIndex | undefined> {
    const file = await this.#medium.open(name);
    try {
      const first = await file.read(0, Math.min(maxHeaderBytes, length));
      if (readFormatVersion(magic, first) === null) return undefined;
      const header = decodeBlock(first) as IndexHeader | null;
      const start = readBlockHeader(first).byteLength;
      if (!header || start + header.byteLength !== length) return undefined;
      const blob = await file.blob?.();
      let read: Promise<Blob> | undefined;
      const data = () => (read ??= this.#readRest(name, start, length));
      return { ...header, name, data: blob ? async () => blob.slice(start) : data };
    } finally {
      await file.close();
    }
  }

  async #readRest(name: string, start: number, length: number): Promise<Blob> {
    const file = await this.#medium.open(name);
    try {
      return new Blob([new Uint8Array(await file.read(start, length - start))]);
    } finally {
      await file.close();
    }
  }
}
