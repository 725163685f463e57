// `Workspace.history` over a writer port. The changes of calls are read from the state. An undo is
// a commit by the user with its own id, so that it can be undone as well.
import { SdkError, hasCode } from '../../core/errors.ts';
import { createId } from '../../core/ids.ts';
import { describeDifference } from '../draft/describe-changes.ts';
import { openGate } from '../files/access.ts';
import { readContent } from '../state/content-source.ts';
import { invalid, isCount, toFields } from '../state/read-fields.ts';
import type { CallChanges, FileHistory } from '../state/file-history.ts';
import { mainRootId, rootOf } from '../state/state.ts';
import type {
  FileHistoryEntry,
  FileHistoryOptions,
  UndoCallOptions,
  UndoCallResult,
  WorkspaceHistory,
} from '../state/workspace-history.ts';
import { diffRoots } from '../tree/diff-roots.ts';
import { planUndo, type UndoPlan } from './undo-call.ts';
import { validateCallId, validateSessionId } from './validate-commit.ts';
import type { WriterPort } from './writer-port.ts';

/** The part of a writer that the history needs. */
export type HistoryWriter = Pick<WriterPort, 'state' | 'contents' | 'commit'>;

/** Security: requests from the page arrive here and are validated. */
export function createWriterHistory(writer: HistoryWriter): WorkspaceHistory {
  return {
    async list(options = {}) {
      const { path, limit, ...wanted } = toListOptions(options);
      const entries: FileHistoryEntry[] = [];
      for (const call of writer.state.history.toReversed()) {
        if (!isWanted(call, wanted)) continue;
        for (const entry of toEntries(call)) {
          if (path !== undefined && entry.path !== path) continue;
          if (entries.length === limit) return entries;
          entries.push(entry);
        }
      }
      return entries;
    },
    async readContent(contentId) {
      if (!isCount(contentId)) throw invalid('A content is named by a whole number.');
      return readContent(writer.contents, contentId);
    },
    async undo(callId, options = {}) {
      const wanted = { callId: validateCallId(callId), ...toUndoOptions(options) };
      for (let tries = 1; ; tries += 1) {
        try {
          return await undoOnce(writer, wanted);
        } catch (error) {
          // One of the files was changed meanwhile, so the undo must be planned again.
          const isLate = hasCode(error, 'ECONFLICT');
          if (!isLate || tries === maxTries) throw error;
        }
      }
    },
  };
}

// 5: even a second try is rare.
const maxTries = 5;

type WantedUndo = UndoCallOptions & { readonly callId: string };

async function undoOnce(writer: HistoryWriter, wanted: WantedUndo): Promise<UndoCallResult> {
  const { state, contents } = writer;
  const call = findCall(state.history, wanted);
  const { root: rootId = mainRootId, sessionId } = call;
  const root = rootOf(state, rootId);
  const plan = await planUndo(call.files, { root, contents, mtimeMs: Date.now() });
  const { planned, moved, conflicts } = plan;
  if (moved.length > 0 && (wanted.merge === undefined || conflicts.length > 0)) {
    return { type: 'moved', paths: moved, conflicts, message: describeMoved(plan) };
  }
  const changes = diffRoots(root, planned);
  if (changes.length === 0) return { type: 'undone', seq: state.seq, changes: [] };
  const described = await describeDifference(root, planned, { contents, gate: openGate });
  const undo = `undo-${createId()}`;
  const whose = { callId: undo, ...(sessionId !== undefined && { sessionId }) };
  const { seq } = await writer.commit(
    { baseSeq: state.seq, changes },
    { author: { kind: 'user', ...whose }, root: rootId },
  );
  return { type: 'undone', seq, changes: described, undo };
}

function toListOptions(options: FileHistoryOptions): FileHistoryOptions {
  const { callId, sessionId, path, limit } = toFields(options, 'Options');
  if (path !== undefined && (typeof path !== 'string' || !path.startsWith('/'))) {
    throw invalid('path is the absolute path of a file, or left out.');
  }
  if (limit !== undefined && (!isCount(limit) || limit === 0)) {
    throw invalid('limit is a whole number from 1, or left out.');
  }
  return {
    ...(callId !== undefined && { callId: validateCallId(callId) }),
    ...(sessionId !== undefined && { sessionId: validateSessionId(sessionId) }),
    ...(path !== undefined && { path }),
    ...(limit !== undefined && { limit }),
  };
}

function toUndoOptions(options: UndoCallOptions): UndoCallOptions {
  const { sessionId, merge } = toFields(options, 'Options');
  if (merge !== undefined && merge !== 'text') throw invalid("merge is 'text', or left out.");
  return {
    ...(sessionId !== undefined && { sessionId: validateSessionId(sessionId) }),
    ...(merge && { merge }),
  };
}

function isWanted(
  call: CallChanges,
  { callId, sessionId }: Pick<FileHistoryOptions, 'callId' | 'sessionId'>,
): boolean {
  if (callId !== undefined && call.callId !== callId) return false;
  return sessionId === undefined || call.sessionId === sessionId;
}

function toEntries({
  files,
  bytes: _,
  root = mainRootId,
  ...call
}: CallChanges): FileHistoryEntry[] {
  return files.map((file) => ({ ...call, root, ...file }));
}

/**
 * Returns the newest call of that id. @throws SdkError `invalid-input` if there is none, or if it
 * may belong to another session
 */
function findCall(history: FileHistory, wanted: WantedUndo): CallChanges {
  const { callId } = wanted;
  const found = history.filter((call) => isWanted(call, wanted));
  const sessions = new Set(found.map(({ sessionId }) => sessionId));
  const newest = found.at(-1);
  if (newest && sessions.size === 1) return newest;
  const message = newest
    ? `Several sessions have a call "${callId}": ${[...sessions].join(', ')}. Name the one that is meant in sessionId.`
    : `The file history has no call "${callId}": it changed no file, or is older than what is kept. Rewind to a checkpoint instead.`;
  throw new SdkError('invalid-input', message, { data: { callId } });
}

function describeMoved({ moved, conflicts }: UndoPlan): string {
  const have = (paths: readonly string[]) => {
    const shown = paths.slice(0, 5).join(', ') + (paths.length > 5 ? ', …' : '');
    return `${shown} ${paths.length === 1 ? 'has' : 'have'}`;
  };
  if (conflicts.length === 0) {
    return `${have(moved)} changed since the call. Undo with merge: 'text' to take only the call's own change out.`;
  }
  return `${have(conflicts)} changed since the call where the call did, so its change can't be taken out by itself. Nothing was changed: edit by hand, or rewind to a checkpoint.`;
}
