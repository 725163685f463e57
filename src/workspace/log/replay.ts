// Replays segments, record by record, from a known state on. The first record that isn't whole, or
// isn't the next, ends the log: what stands behind it was never acknowledged, or is damaged.
import type { ContentId } from '../../core/change-set.ts';
import { applyRecord, type WorkspaceState } from '../state.ts';
import { addPlaces, type ContentPlaces } from './content-places.ts';
import type { LogPosition } from './image-file.ts';
import type { ReadFile } from './log-medium.ts';
import { decodeRecord, recordByteLength, recordHeaderBytes } from './record-codec.ts';

// 4 MB: large reads cost a browser's storage far less than many small ones.
const windowBytes = 4_194_304;

/** A segment that counts. `file` is undefined where it is missing, or its header is damaged. */
export interface ReplaySegment {
  readonly name: string;
  /** Of the bytes that count and are there. */
  readonly length: number;
  /** Where its records begin; undefined where nobody can tell any more. */
  readonly start: number | undefined;
  readonly file: ReadFile | undefined;
}

/** What has been reached. Everything of it is the caller's to keep. */
export interface Replayed {
  state: WorkspaceState;
  readonly places: ContentPlaces;
  nextContentId: ContentId;
  /** Behind the last whole record. */
  end: LogPosition;
  /** Bytes of records that were read: what an image would have spared. */
  replayedBytes: number;
}

/** From `from.end` on through the segments in their order. Changes `from` and returns it. */
export async function replay(
  segments: readonly ReplaySegment[],
  from: Replayed,
): Promise<Replayed> {
  const first = segments.findIndex(({ name }) => name === from.end.segment);
  for (const segment of segments.slice(Math.max(first, 0))) {
    const isFirst = segment.name === from.end.segment;
    const offset = isFirst ? from.end.offset : segment.start;
    // Up to there the image knows all: it doesn't matter whether the segment is still there.
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
    const decoded = decodeRecord(window.subarray(at), replayed.state.seq);
    if (!decoded) return;
    const { segment, offset: start } = replayed.end;
    if (decoded.record) {
      try {
        replayed.state = applyRecord(replayed.state, decoded.record);
      } catch {
        // Whole, and yet it doesn't fit what is before it: some part of the log is another's. As
        // with a damaged record, all before it is kept, and what is dropped is counted.
        return;
      }
    }
    addPlaces(replayed.places, decoded.contents, { segment, start });
    for (const { contentId } of decoded.contents) {
      replayed.nextContentId = Math.max(replayed.nextContentId, contentId + 1);
    }
    replayed.end = { segment, offset: start + decoded.byteLength };
    at += decoded.byteLength;
  }
}
