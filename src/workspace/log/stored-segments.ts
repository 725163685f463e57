// Provides sealed segments as Blobs of their files. Other realms read contents from them directly,
// so nothing is copied here. Creating memory Blobs of 41 MB took the FS worker 150 ms.
import type { ContentId } from '../../core/change-set.ts';
import type { PackedSegment } from '../feed/feed.ts';
import type { ContentPlaces } from './content-places.ts';
import type { SealedSegment } from './recover.ts';

export class StoredSegments {
  /** One Blob for each requested file, because sealed segments don't change. */
  readonly #blobs = new Map<string, Promise<Blob | undefined>>();

  /** True if the segment's Blob was sent to another realm, which may still read it. */
  isShared(name: string): boolean {
    return this.#blobs.has(name);
  }

  /** Call this before the segment is removed. */
  forget(name: string): void {
    this.#blobs.delete(name);
  }

  /** Packs the wanted contents that are in these segments, by segment. */
  async pack(
    wanted: ReadonlySet<ContentId>,
    places: ContentPlaces,
    sealed: readonly SealedSegment[],
  ): Promise<PackedSegment[]> {
    const lists = new Map<string, { contents: number[]; checksums: number[] }>();
    for (const { name } of sealed) lists.set(name, { contents: [], checksums: [] });
    for (const contentId of wanted) {
      const place = places.get(contentId);
      const list = place && lists.get(place.segment);
      if (!list) continue;
      list.contents.push(contentId, place.offset, place.length);
      list.checksums.push(place.checksum);
    }
    const packed: PackedSegment[] = [];
    for (const segment of sealed) {
      const list = lists.get(segment.name);
      if (!list || list.checksums.length === 0) continue;
      const data = await this.#blobOf(segment);
      if (data) packed.push({ data, ...list, file: segment.name });
    }
    return packed;
  }

  #blobOf({ name, file }: SealedSegment): Promise<Blob | undefined> | undefined {
    const known = this.#blobs.get(name);
    if (known) return known;
    const blob = file?.blob?.();
    if (blob) this.#blobs.set(name, blob);
    return blob;
  }
}
