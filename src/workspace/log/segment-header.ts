// A segment's first block. It lists the older valid segments in order, and how much of each was
// accepted when this one was created. So the newest complete header decides what is valid on the
// medium. Everything else was never acknowledged, is dead, or was set aside.
import {
  blockHeaderBytes,
  decodeBlock,
  encodeBlock,
  preludeBytes,
  readBlockHeader,
  readFormatVersion,
} from './json-block.ts';
import type { ReadFile } from './log-medium.ts';
import type { SegmentNumber } from './file-name.ts';

const magic = 'RKPLLOG\n';

/** A segment, and the number of its first bytes that are valid. */
export interface LiveSegment {
  readonly name: string;
  readonly length: number;
}

/** Where a segment's records begin, and which older segments its creator has accepted, in order. */
export interface SegmentHeader {
  readonly live: readonly LiveSegment[];
  /** Names of segments that must not be removed: see unreachable.ts. */
  readonly aside: readonly string[];
  readonly byteLength: number;
}

interface StoredHeader {
  readonly live: readonly LiveSegment[];
  readonly aside?: readonly string[];
}

/** Inverse: {@link readSegmentHeader}. */
export function encodeSegmentHeader(
  number: SegmentNumber,
  live: readonly LiveSegment[],
  aside: readonly string[] = [],
): Uint8Array {
  return encodeBlock(magic, number.epoch, { ...number, live, ...(aside.length > 0 && { aside }) });
}

/**
 * Returns null if there is no complete header. It is torn, and then nothing behind it was
 * acknowledged, or it is damaged. @throws SdkError `EIO` for a newer format. A log of format 1 is
 * read as a segment that has accepted nothing.
 */
export async function readSegmentHeader(
  file: ReadFile,
  fileLength: number,
): Promise<SegmentHeader | null> {
  const first = await file.read(0, Math.min(blockHeaderBytes, fileLength));
  const version = readFormatVersion(magic, first);
  if (version === 1) return { live: [], aside: [], byteLength: preludeBytes };
  if (version === null || first.length < blockHeaderBytes) return null;
  const { byteLength } = readBlockHeader(first);
  if (byteLength > fileLength) return null;
  const value = decodeBlock(await file.read(0, byteLength)) as StoredHeader | null;
  return value && { live: value.live, aside: value.aside ?? [], byteLength };
}
