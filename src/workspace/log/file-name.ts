// The names of the log's files. A name contains the epoch of the owner that made the file. Late
// writes of a former owner are therefore never mistaken for the present owner's, and never take
// their names.

/** The one file of format 1, which knew no segments. */
export const oldLogName = 'log';

/** Epochs count the ownerships of a medium; indexes count the segments of one epoch. */
export interface SegmentNumber {
  readonly epoch: number;
  readonly index: number;
}

/** Names sort as their numbers do. Inverse: {@link parseSegmentName}. */
export function segmentName({ epoch, index }: SegmentNumber): string {
  return `segment-${String(epoch).padStart(8, '0')}-${String(index).padStart(6, '0')}`;
}

/** Null for what is no segment's name. */
export function parseSegmentName(name: string): SegmentNumber | null {
  const match = /^segment-(\d{8})-(\d{6})$/.exec(name);
  return match && { epoch: Number(match[1]), index: Number(match[2]) };
}

/** The name of a search index's file: see index-file.ts. Inverse: {@link parseIndexName}. */
export function indexName({ epoch, index }: SegmentNumber): string {
  return segmentName({ epoch, index }).replace('segment', 'index');
}

/** Null for what is no search index's name. */
export function parseIndexName(name: string): SegmentNumber | null {
  return name.startsWith('index') ? parseSegmentName(name.replace('index', 'segment')) : null;
}

/** Each owner has two slots, which it writes alternately. */
export type ImageSlot = 0 | 1;

/** Inverse: {@link parseImageName}. */
export function imageName(epoch: number, slot: ImageSlot): string {
  return `image-${String(epoch).padStart(8, '0')}-${slot}`;
}

/** Null for what is no image's name. */
export function parseImageName(name: string): { epoch: number; slot: ImageSlot } | null {
  const match = /^image-(\d{8})-([01])$/.exec(name);
  return match && { epoch: Number(match[1]), slot: match[2] === '0' ? 0 : 1 };
}
