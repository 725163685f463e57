// The names of the log's files. Each contains the epoch of the owner that created the file. So late
// writes of a former owner are never mistaken for the current owner's, and never take their names.

/** The single file of format 1, which had no segments. */
export const oldLogName = 'log';

/** `epoch` counts the ownerships of a medium, `index` the segments of one epoch. */
export interface SegmentNumber {
  readonly epoch: number;
  readonly index: number;
}

/** Names sort like their numbers. Inverse: {@link parseSegmentName}. */
export function segmentName({ epoch, index }: SegmentNumber): string {
  return `segment-${String(epoch).padStart(8, '0')}-${String(index).padStart(6, '0')}`;
}

/** Returns null for any other name. */
export function parseSegmentName(name: string): SegmentNumber | null {
  const match = /^segment-(\d{8})-(\d{6})$/.exec(name);
  return match && { epoch: Number(match[1]), index: Number(match[2]) };
}

/** Returns the name of a search index file: see index-file.ts. Inverse: {@link parseIndexName}. */
export function indexName({ epoch, index }: SegmentNumber): string {
  return segmentName({ epoch, index }).replace('segment', 'index');
}

/** Returns null for any other name. */
export function parseIndexName(name: string): SegmentNumber | null {
  return name.startsWith('index') ? parseSegmentName(name.replace('index', 'segment')) : null;
}

/** Each owner writes two slots alternately. */
export type ImageSlot = 0 | 1;

/** Inverse: {@link parseImageName}. */
export function imageName(epoch: number, slot: ImageSlot): string {
  return `image-${String(epoch).padStart(8, '0')}-${slot}`;
}

/** Returns null for any other name. */
export function parseImageName(name: string): { epoch: number; slot: ImageSlot } | null {
  const match = /^image-(\d{8})-([01])$/.exec(name);
  return match && { epoch: Number(match[1]), slot: match[2] === '0' ? 0 : 1 };
}
