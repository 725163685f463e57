// The changes of calls as a part of the workspace's state: for each file its state before and after
// the call. It is a fold over the records (state.ts), so it is updated together with each commit.
import type { ContentId, Version } from '../../core/change-set.ts';
import { nodeAt, type DirectoryNode } from '../tree/tree.ts';
import type { WorkspaceRecord } from './record.ts';
import type { FileVersion } from './workspace-history.ts';

/** One path that a call has changed; null if there was or is no file. */
export interface ChangedFile {
  readonly path: string;
  readonly before: FileVersion | null;
  readonly after: FileVersion | null;
}

/** What one commit of a call has changed. It is JSON. */
export interface CallChanges {
  readonly seq: Version;
  readonly callId: string;
  readonly sessionId?: string;
  /** The id of the root; left out for `main`. */
  readonly root?: string;
  readonly files: readonly ChangedFile[];
  /** The bytes of all contents before and after. */
  readonly bytes: number;
}

/** Oldest first. Immutable. */
export type FileHistory = readonly CallChanges[];

export const noHistory: FileHistory = [];

/** 1 000: some weeks of work. Each call takes about 200 bytes in memory and in every image. */
export const maxHistoryCalls = 1000;

/** 64 MB: the limit of contents, before and after, that the log keeps only for the history. */
export const maxHistoryBytes = 67_108_864;

/** 20 000 in all calls, about 4 MB of an image. Small and empty files also take space there. */
export const maxHistoryEntries = 20_000;

/**
 * 1 000 in one call. A cell that changes more has a checkpoint, and its paths would fill the image.
 */
export const maxHistoryFiles = 1000;

/**
 * Returns the history after a record. `before` and `after` are the trees of the record's root.
 * Commits without a call, and those of session files, don't change it. The oldest calls beyond the
 * limits are dropped. A call that exceeds them by itself isn't added.
 */
export function withCallChanges(
  history: FileHistory,
  { seq, author, root, changes }: WorkspaceRecord,
  { before, after, isSession }: TreesOfRecord,
): FileHistory {
  const { callId, sessionId } = author;
  if (callId === undefined || isSession) return history;
  const files: ChangedFile[] = [];
  const paths = new Set<string>();
  for (const { path } of changes) {
    if (paths.has(path)) continue;
    paths.add(path);
    const file = { path, before: versionOf(before, path), after: versionOf(after, path) };
    if (file.before || file.after) files.push(file);
    if (files.length > maxHistoryFiles) return history;
  }
  if (files.length === 0) return history;
  const added: CallChanges = {
    seq,
    callId,
    ...(sessionId !== undefined && { sessionId }),
    ...(root !== undefined && { root }),
    files,
    bytes: bytesOf(files),
  };
  return added.bytes > maxHistoryBytes ? history : withinBounds([...history, added]);
}

/** The trees of a record's root. */
export interface TreesOfRecord {
  readonly before: DirectoryNode;
  readonly after: DirectoryNode;
  /** True if the root has a session's own files. */
  readonly isSession: boolean;
}

function withinBounds(history: FileHistory): FileHistory {
  let first = Math.max(0, history.length - maxHistoryCalls);
  let bytes = 0;
  let entries = 0;
  for (let at = history.length - 1; at >= first; at -= 1) {
    bytes += history[at]?.bytes ?? 0;
    entries += history[at]?.files.length ?? 0;
    if (bytes > maxHistoryBytes || entries > maxHistoryEntries) first = at + 1;
  }
  return first === 0 ? history : history.slice(first);
}

function bytesOf(files: readonly ChangedFile[]): number {
  let bytes = 0;
  for (const { before, after } of files) bytes += sizeOf(before) + sizeOf(after);
  return bytes;
}

function sizeOf(version: FileVersion | null): number {
  return version?.kind === 'file' ? version.size : 0;
}

/** Null also for a directory, which has no content. */
function versionOf(root: DirectoryNode, path: string): FileVersion | null {
  const node = nodeAt(root, path);
  if (node?.kind === 'symlink') return { kind: 'symlink', target: node.target };
  if (node?.kind !== 'file') return null;
  const { content: contentId, size, mode } = node;
  // Only drafts have bytes in their nodes. This is a committed tree.
  if (typeof contentId !== 'number') throw new TypeError('A committed file without a content.');
  return { kind: 'file', contentId, size, mode };
}

/**
 * Visits the contents that the history keeps. One that several calls have may be visited more than
 * once.
 */
export function visitHistoryContents(
  history: FileHistory,
  visitContent: (contentId: ContentId, size: number) => void,
): void {
  for (const { files } of history) {
    for (const { before, after } of files) {
      for (const version of [before, after]) {
        if (version?.kind === 'file') visitContent(version.contentId, version.size);
      }
    }
  }
}
