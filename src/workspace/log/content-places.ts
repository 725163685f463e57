// The place of each content: its segment, its offset and the checksum of its bytes. Every append
// updates it, and images store it. A content of a store (content-store.ts) is a segment of its own.
import type { ContentId } from '../../core/change-set.ts';
import type { EncodedContent } from './record-codec.ts';

export interface ContentPlace {
  /** The segment's name, or the name that the content has in a store. */
  readonly segment: string;
  readonly offset: number;
  readonly length: number;
  readonly checksum: number;
}

/** JSON: for each segment, four numbers a content in a row: id, offset, length, checksum. */
export type PlainPlaces = readonly (readonly [segment: string, numbers: readonly number[]])[];

export type ContentPlaces = Map<ContentId, ContentPlace>;

/** The contents of a record that begins at `start` of a segment. */
export function addPlaces(
  places: ContentPlaces,
  contents: readonly EncodedContent[],
  { segment, start }: { readonly segment: string; readonly start: number },
): void {
  for (const { contentId, offset, length, checksum, name } of contents) {
    const place =
      name === undefined ? { segment, offset: start + offset } : { segment: name, offset };
    places.set(contentId, { ...place, length, checksum });
  }
}

/** The places of those `contentIds` that have one. Inverse: {@link fromPlainPlaces}. */
export function toPlainPlaces(
  places: ReadonlyMap<ContentId, ContentPlace>,
  contentIds: Iterable<ContentId>,
): PlainPlaces {
  const bySegment = new Map<string, number[]>();
  for (const contentId of contentIds) {
    const place = places.get(contentId);
    if (!place) continue;
    let numbers = bySegment.get(place.segment);
    if (!numbers) bySegment.set(place.segment, (numbers = []));
    numbers.push(contentId, place.offset, place.length, place.checksum);
  }
  return [...bySegment];
}

/** Inverse: {@link toPlainPlaces}. */
export function fromPlainPlaces(plain: PlainPlaces): ContentPlaces {
  const places: ContentPlaces = new Map();
  for (const [segment, numbers] of plain) {
    for (let at = 0; at + 3 < numbers.length; at += 4) {
      places.set(numbers[at] ?? 0, {
        segment,
        offset: numbers[at + 1] ?? 0,
        length: numbers[at + 2] ?? 0,
        checksum: numbers[at + 3] ?? 0,
      });
    }
  }
  return places;
}
