// Replays segments from a known state, record by record. The first record that isn't complete, or
// isn't the next number, ends the log: what follows was never acknowledged or is damaged. A
// complete next record that can't be applied is an error, and the log must then not be opened.
import type { ContentId } from '../../core/change-set.ts';
import { applyRecord, applyStreamRecord, type WorkspaceState } from '../state/state.ts';
import { addPlaces, type ContentPlaces } from './content-places.ts';
import type { LogPosition } from './image-file.ts';
import { createUnknownRecordError } from './log-error.ts';
import type { ReadFile } from './log-medium.ts';
import { decodeRecord, recordByteLength, recordHeaderBytes } from './record-codec.ts';
import type { DecodedRecord } from './record-codec.ts';

// 4 MB: large reads cost a browser far less than many small ones.
const windowBytes = 4_194_304;

/** A valid segment. `file` is undefined if it is missing or its header is damaged. */
export interface ReplaySegment {
  readonly name: string;
  /** The number of bytes that are valid and exist. */
  readonly length: number;
  /** True if the segment exists but was once longer. */
  readonly isShort: boolean;
  /** Where its records begin, or undefined if that isn't known. */
  readonly start: number | undefined;
  readonly file: ReadFile | undefined;
}

/** The state that replay has reached. It belongs to the caller. */
export interface Replayed {
  state: WorkspaceState;
  readonly places: ContentPlaces;
  nextContentId: ContentId;
  /** The position behind the last complete record. */
  end: LogPosition;
  /** Bytes of replayed records: what a newer image would have saved. */
  replayedBytes: number;
}

/**
 * Replays segments in order, starting at `from.end`. Changes and returns `from`. @throws SdkError
 * `EIO` for a complete record that this version can't apply, and what the medium throws
 */
export async function replay(
  segments: readonly ReplaySegment[],
  from: Replayed,
): Promise<Replayed> {
  const first = segments.findIndex(({ name }) => name === from.end.segment);
  for (const segment of segments.slice(Math.max(first, 0))) {
    const isFirst = segment.name === from.end.segment;
    const offset = isFirst ? from.end.offset : segment.start;
    // The image covers the whole segment, so it may be missing.
    if (isFirst && from.end.offset >= segment.length) continue;
    if (offset === undefined || !segment.file) return from;
    from.end = { segment: segment.name, offset };
    if ((await replaySegment(segment, segment.file, from)) < segment.length) return from;
  }
  return from;
}

/** Resolves to the offset behind the last complete record. */
async function replaySegment(
  { length }: ReplaySegment,
  file: ReadFile,
  replayed: Replayed,
): Promise<number> {
  while (replayed.end.offset < length) {
    const before = replayed.end.offset;
    replayWindow(await readWindow(file, before, length), replayed);
    // The window is large enough for a record but has no complete one: the log ends here.
    if (replayed.end.offset === before) break;
    replayed.replayedBytes += replayed.end.offset - before;
  }
  return replayed.end.offset;
}

/** Returns bytes that include at least one complete record, if there is one. */
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

/** Returns null if `bytes` doesn't begin with a complete next record. */
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
    // The record's checksum and number are right, so another version wrote it or there is a bug.
    // Skipping it would drop acknowledged data.
    const { segment: file, offset } = replayed.end;
    throw createUnknownRecordError({ file, offset }, error);
  }
}
