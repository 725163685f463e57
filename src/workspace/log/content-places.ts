// Where each content is: its segment, its offset and its checksum. Every append updates it, and
// images store it. A content in a store (content-store.ts) counts as a segment of its own.
import type { ContentId } from '../../core/change-set.ts';
import type { EncodedContent } from './record-codec.ts';

export interface ContentPlace {
  /** The name of the segment, or of the content in a store. */
  readonly segment: string;
  readonly offset: number;
  readonly length: number;
  readonly checksum: number;
}

/** JSON: for each segment a flat list of id, offset, length and checksum for each content. */
export type PlainPlaces = readonly (readonly [segment: string, numbers: readonly number[]])[];

export type ContentPlaces = Map<ContentId, ContentPlace>;

/** Adds the contents of a record that begins at `start` of a segment. */
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

/** Returns the places of those `contentIds` that have one. Inverse: {@link fromPlainPlaces}. */
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
