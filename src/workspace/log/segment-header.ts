// A segment's first block: which older segments count, in order, and how much of each was accepted when this one was
// made. So the newest whole header decides what is valid on the medium. Whatever lies beyond it was never acknowledged,
// is dead, or was set aside.
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

/** A segment and its first bytes that count. */
export interface LiveSegment {
  readonly name: string;
  readonly length: number;
}

/** Where a segment's records begin, and what its maker accepted of the older ones, in order. */
export interface SegmentHeader {
  readonly live: readonly LiveSegment[];
  /** The names of those that nobody may remove: see unreachable.ts. */
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
 * Null where no whole header stands: torn, and then nothing behind it was ever acknowledged, or
 * damaged. Throws `EIO` for a newer format. A log of format 1 is read as a segment that accepted
 * nothing.
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
