// Opening a log: replays its records from the first on and cuts it at the first that isn't whole.
// What was acknowledged stands before that place; what stands behind it never was, or is damaged.
import type { ContentId } from '../core/change-set.ts';
import {
  checkHeader,
  decodeRecord,
  encodeHeader,
  headerBytes,
  recordByteLength,
  recordHeaderBytes,
} from './log.ts';
import type { LogStore } from './log-store.ts';
import { applyRecord, emptyState, type WorkspaceState } from './state.ts';

/** Where each content stands in the log. */
export type ContentPlaces = Map<ContentId, { readonly offset: number; readonly length: number }>;

/** What a writer goes on from. */
export interface RecoveredLog {
  readonly state: WorkspaceState;
  readonly places: ContentPlaces;
  readonly nextContentId: ContentId;
  /** What was cut off at the end. */
  readonly droppedBytes: number;
}

// 4 MB: large reads cost a browser's storage far less than many small ones.
const windowBytes = 4_194_304;

/**
 * Replays the whole log in windows, so that memory holds one window and the tree.
 *
 * Throws `EIO` when the header is no log's of this format: then nothing is touched.
 */
export async function recoverLog(store: LogStore): Promise<RecoveredLog> {
  const length = store.length();
  if (length < headerBytes) {
    // New, or torn while it was made: nothing can have been acknowledged yet.
    await store.truncate(0);
    await store.append(encodeHeader());
    await store.flush();
    return { ...nothing(), droppedBytes: 0 };
  }
  checkHeader(await store.read(0, headerBytes));
  const state = { ...nothing(), end: headerBytes };
  while (state.end < length) {
    const window = await readWindow(store, state.end, length);
    const before = state.end;
    replayWindow(window, state);
    // Not one whole record in a window that was made to hold one: the log ends here.
    if (state.end === before) break;
  }
  if (state.end < length) {
    await store.truncate(state.end);
    await store.flush();
  }
  const { end, ...recovered } = state;
  return { ...recovered, droppedBytes: length - end };
}

function nothing() {
  const places: ContentPlaces = new Map();
  return { state: emptyState, places, nextContentId: 1 };
}

/** At least one whole record, if one stands there. */
async function readWindow(store: LogStore, offset: number, length: number): Promise<Uint8Array> {
  const rest = length - offset;
  const window = await store.read(offset, Math.min(windowBytes, rest));
  if (window.length < recordHeaderBytes) return window;
  const needed = recordByteLength(window);
  return needed > window.length && needed <= rest ? store.read(offset, needed) : window;
}

/** The replay as far as it has come; `end` is the offset behind the last whole record. */
interface ReplayState {
  state: WorkspaceState;
  readonly places: ContentPlaces;
  nextContentId: ContentId;
  end: number;
}

function replayWindow(window: Uint8Array, state: ReplayState): void {
  for (let at = 0; ;) {
    const decoded = decodeRecord(window.subarray(at), state.state.seq + 1);
    if (!decoded) return;
    state.state = applyRecord(state.state, decoded.record);
    for (const { contentId, offset, length } of decoded.contents) {
      state.places.set(contentId, { offset: state.end + offset, length });
      state.nextContentId = Math.max(state.nextContentId, contentId + 1);
    }
    state.end += decoded.byteLength;
    at += decoded.byteLength;
  }
}
