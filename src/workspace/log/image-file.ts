// An image: a whole state in one file, so that opening doesn't replay earlier records. A torn or
// damaged image is ignored.
import type { ContentId } from '../../core/change-set.ts';
import type { PlainState } from '../state/plain-state.ts';
import type { PlainPlaces } from './content-places.ts';
import {
  blockHeaderBytes,
  decodeBlock,
  encodeBlock,
  readBlockHeader,
  readFormatVersion,
} from './json-block.ts';
import type { ReadFile } from './log-medium.ts';

const magic = 'RKPLIMG\n';

/** Where the next record would begin. */
export interface LogPosition {
  readonly segment: string;
  readonly offset: number;
}

export interface LogImage {
  /** The state includes every record before this position, and none behind it. */
  readonly position: LogPosition;
  readonly nextContentId: ContentId;
  /** The places of the contents that the state needs. A content without a place is missing. */
  readonly places: PlainPlaces;
  readonly state: PlainState;
}

/** Inverse: {@link readImage}. */
export function encodeImage(image: LogImage): Uint8Array {
  const { seq, revision = seq } = image.state;
  return encodeBlock(magic, revision, image);
}

/**
 * Returns the state's revision as the file states it, or null if it isn't an image. @throws
 * SdkError `EIO` for a newer format
 */
export async function readImageRevision(
  file: ReadFile,
  fileLength: number,
): Promise<number | null> {
  const first = await file.read(0, Math.min(blockHeaderBytes, fileLength));
  const version = readFormatVersion(magic, first);
  return version === null || first.length < blockHeaderBytes ? null : readBlockHeader(first).number;
}

/** Returns null for anything but a complete, undamaged image. */
export async function readImage(file: ReadFile, fileLength: number): Promise<LogImage | null> {
  if ((await readImageRevision(file, fileLength)) === null) return null;
  return decodeBlock(await file.read(0, fileLength)) as LogImage | null;
}
