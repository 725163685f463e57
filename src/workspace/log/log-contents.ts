// Reads contents of the log by their places. Contents aren't kept in memory, except that a medium
// without synchronous reads gets an LRU cache with a byte limit. Checksums are verified, so damaged
// bytes are never returned.
import type { ContentId } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import { ByteCache } from '../state/byte-cache.ts';
import { checksum } from '../../core/hashes/checksum.ts';
import type { ContentPlace, ContentPlaces } from './content-places.ts';
import { createNoStoreError, isStoredName } from './content-store.ts';
import type { ReadFile } from './log-medium.ts';

// 64 MB: acceptable for a tab.
const maxCacheBytes = 67_108_864;

export class LogContents {
  readonly places: ContentPlaces;
  /**
   * Contents that are needed but missing or damaged, with their sizes. Reading them rejects with
   * `EIO`.
   */
  readonly lost: Map<ContentId, number>;
  nextContentId: ContentId;
  readonly #fileOf: (segment: string) => ReadFile | undefined;
  readonly #cache = new ByteCache<ContentId>(maxCacheBytes);

  constructor(
    recovered: Pick<LogContents, 'places' | 'lost' | 'nextContentId'>,
    fileOf: (segment: string) => ReadFile | undefined,
  ) {
    this.places = recovered.places;
    this.lost = recovered.lost;
    this.nextContentId = recovered.nextContentId;
    this.#fileOf = fileOf;
  }

  /** Also works for a lost content, because a file can be renamed or removed without its bytes. */
  sizeOf(contentId: ContentId): number {
    return this.lost.get(contentId) ?? this.#placeOf(contentId).length;
  }

  async read(contentId: ContentId): Promise<Uint8Array> {
    for (;;) {
      const place = this.#placeOf(contentId);
      const file = this.#fileOf(place.segment);
      if (!file) throw this.#missing(contentId, place);
      const cached = file.readSync ? undefined : this.#cache.get(contentId);
      if (cached) return cached;
      try {
        const bytes = await file.read(place.offset, place.length);
        this.#check(contentId, place, bytes);
        if (!file.readSync) this.#cache.set(contentId, bytes);
        return bytes;
      } catch (error) {
        // Compaction has moved the content meanwhile.
        if (this.places.get(contentId) === place) throw error;
      }
    }
  }

  /** Reads from `offset` within the content. From a store no more is read than needed. */
  async readPart(contentId: ContentId, offset: number, length: number): Promise<Uint8Array> {
    const place = this.#placeOf(contentId);
    if (!isStoredName(place.segment)) {
      return (await this.read(contentId)).subarray(offset, offset + length);
    }
    const file = this.#fileOf(place.segment);
    if (!file) throw this.#missing(contentId, place);
    // The store has verified this part. The checksum covers the whole content.
    return file.read(offset, length);
  }

  /** Throws `unsupported-environment` if the medium can't be read synchronously. */
  readSync(contentId: ContentId): Uint8Array {
    const place = this.#placeOf(contentId);
    const file = this.#fileOf(place.segment);
    if (!file) throw this.#missing(contentId, place);
    if (!file.readSync) {
      throw new SdkError(
        'unsupported-environment',
        "This workspace's medium can't be read synchronously; use the promises.",
      );
    }
    const bytes = file.readSync(place.offset, place.length);
    this.#check(contentId, place, bytes);
    return bytes;
  }

  #placeOf(contentId: ContentId): ContentPlace {
    const place = this.places.get(contentId);
    if (place && !this.lost.has(contentId)) return place;
    if (this.lost.has(contentId)) throw lostError(contentId);
    if (contentId > 0 && contentId < this.nextContentId) {
      // Only an old draft can still refer to the content.
      throw new SdkError(
        'ECONFLICT',
        `ECONFLICT: the content ${contentId} was overwritten and is gone by now; read the file again.`,
        { data: { contentId, paths: [] } },
      );
    }
    throw new SdkError('invalid-input', `The workspace holds no content ${contentId}.`);
  }

  /** A content in a store doesn't count as lost, because the store may be available later. */
  #missing(contentId: ContentId, place: ContentPlace): SdkError {
    return isStoredName(place.segment)
      ? createNoStoreError(place.segment)
      : this.#lose(contentId, place);
  }

  #check(contentId: ContentId, place: ContentPlace, bytes: Uint8Array): void {
    if (checksum(bytes) !== place.checksum) throw this.#lose(contentId, place);
  }

  #lose(contentId: ContentId, { length }: ContentPlace): SdkError {
    this.lost.set(contentId, length);
    return lostError(contentId);
  }
}

function lostError(contentId: ContentId): SdkError {
  return new SdkError(
    'EIO',
    "EIO: the medium lost this file's bytes (a part of the log is missing or damaged). Write the " +
      'file again, or restore it from elsewhere; info().lostFiles lists all of them.',
    { data: { contentId, isLost: true } },
  );
}
