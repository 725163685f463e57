// Replays segments from a known state, record by record. The first record that isn't whole, or
// isn't the next, ends the log: what follows was never acknowledged, or is damaged. A whole next
// record that can't be applied is an error: the log must then not be opened.
import type { ContentId } from '../../core/change-set.ts';
import { applyRecord, applyStreamRecord, type WorkspaceState } from '../state/state.ts';
import { addPlaces, type ContentPlaces } from './content-places.ts';
import type { LogPosition } from './image-file.ts';
import { createUnknownRecordError } from './log-error.ts';
import type { ReadFile } from './log-medium.ts';
import { decodeRecord, recordByteLength, recordHeaderBytes } from './record-codec.ts';
import type { DecodedRecord } from './record-codec.ts';

// 4 MB: large reads cost a browser's storage far less than many small ones.
const windowBytes = 4_194_304;

/** A segment that counts. `file` is undefined where it is missing, or its header is damaged. */
export interface ReplaySegment {
  readonly name: string;
  /** The length of the bytes that count and exist. */
  readonly length: number;
  /** The segment exists, but more of it counted once. */
  readonly isShort: boolean;
  /** Where its records begin; undefined where that is no longer known. */
  readonly start: number | undefined;
  readonly file: ReadFile | undefined;
}

/** The state that replay has reached. All of it is the caller's to keep. */
export interface Replayed {
  state: WorkspaceState;
  readonly places: ContentPlaces;
  nextContentId: ContentId;
  /** The position after the last whole record. */
  end: LogPosition;
  /** Bytes of records that were read: what an image would have spared. */
  replayedBytes: number;
}

/**
 * From `from.end` on through the segments in their order. Changes `from` and returns it. Throws `EIO`
 * for a whole record that this version can't carry out, and as the medium does.
 */
export async function replay(
  segments: readonly ReplaySegment[],
  from: Replayed,
): Promise<Replayed> {
  const first = segments.findIndex(({ name }) => name === from.end.segment);
  for (const segment of segments.slice(Math.max(first, 0))) {
    const isFirst = segment.name === from.end.segment;
    const offset = isFirst ? from.end.offset : segment.start;
    // The image covers everything up to there, so the segment may be missing.
    if (isFirst && from.end.offset >= segment.length) continue;
    if (offset === undefined || !segment.file) return from;
    from.end = { segment: segment.name, offset };
    if ((await replaySegment(segment, segment.file, from)) < segment.length) return from;
  }
  return from;
}

/** Resolves with the offset behind the last whole record. */
async function replaySegment(
  { length }: ReplaySegment,
  file: ReadFile,
  replayed: Replayed,
): Promise<number> {
  while (replayed.end.offset < length) {
    const before = replayed.end.offset;
    replayWindow(await readWindow(file, before, length), replayed);
    // Not one whole record in a window that was made to hold one: the log ends here.
    if (replayed.end.offset === before) break;
    replayed.replayedBytes += replayed.end.offset - before;
  }
  return replayed.end.offset;
}

/** At least one whole record, if one stands there. */
async function readWindow(file: ReadFile, offset: number, end: number): Promise<Uint8Array> {
  const rest = end - offset;
  const window = await file.read(offset, Math.min(windowBytes, rest));
  if (window.length < recordHeaderBytes) return window;
  const needed = recordByteLength(window);
  return needed > window.length && needed <= rest ? file.read(offset, needed) : window;
}

function replayWindow(window: Uint8Array, replayed: Replayed): void {
  for (let at = 0; ;) {
    const { segment, offset: start } = replayed.end;
    const decoded = carryOut(window.subarray(at), replayed);
    if (!decoded) return;
    addPlaces(replayed.places, decoded.contents, { segment, start });
    for (const { contentId } of decoded.contents) {
      replayed.nextContentId = Math.max(replayed.nextContentId, contentId + 1);
    }
    replayed.end = { segment, offset: start + decoded.byteLength };
    at += decoded.byteLength;
  }
}

/** Null where no whole next record stands at the head of `bytes`. */
function carryOut(bytes: Uint8Array, replayed: Replayed): DecodedRecord | null {
  try {
    const { state } = replayed;
    const decoded = decodeRecord(bytes, state);
    const record = decoded?.record;
    if (record) {
      replayed.state =
        'revision' in record ? applyStreamRecord(state, record) : applyRecord(state, record);
    }
    return decoded;
  } catch (error) {
    // Its checksum and its number are right: another version wrote it, or one of us made a mistake.
    // To go on without it would drop what was acknowledged.
    const { segment: file, offset } = replayed.end;
    throw createUnknownRecordError({ file, offset }, error);
  }
}
