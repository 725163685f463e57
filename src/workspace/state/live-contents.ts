// Lists the contents to which a state refers. Those of files are what views and replicas need.
// Those of streams and of the file history are what only the log needs.
import type { ContentId } from '../../core/change-set.ts';
import { visitHistoryContents } from './file-history.ts';
import { withSessions } from './session-roots.ts';
import type { WorkspaceState } from './state.ts';
import { visitStreamContents } from './stream-state.ts';
import { childPath, type DirectoryNode } from '../tree/tree.ts';

/** The contents of `main`, of every named root and of its base. Each with its size. */
export function liveContents(state: WorkspaceState): Map<ContentId, number> {
  const live = new Map<ContentId, number>();
  visitContents(state, (contentId, size) => live.set(contentId, size));
  return live;
}

/** {@link liveContents}, and those of the streams and the file history: what compaction keeps, and an image lists. */
export function keptContents(state: WorkspaceState): Map<ContentId, number> {
  const kept = new Map<ContentId, number>();
  visitKeptContents(state, (contentId, size) => kept.set(contentId, size));
  return kept;
}

/** The same, without a list of them; one that several files have may be visited as often. */
export function visitKeptContents(
  state: WorkspaceState,
  visitContent: (contentId: ContentId, size: number) => void,
): void {
  visitContents(state, visitContent);
  visitStreamContents(state.streams, visitContent);
  visitHistoryContents(state.history, visitContent);
}

function visitContents(
  state: WorkspaceState,
  visitContent: (contentId: ContentId, size: number) => void,
): void {
  // Roots share most of their directories: each is visited once.
  const seen = new Set<DirectoryNode>();
  const visit = (directory: DirectoryNode): void => {
    if (seen.has(directory)) return;
    seen.add(directory);
    directory.entries.forEach((_name, node) => {
      if (node.kind === 'directory') visit(node);
      else if (node.kind === 'file' && typeof node.content === 'number') {
        visitContent(node.content, node.size);
      }
    });
  };
  visit(state.main);
  for (const { base, root } of state.roots.values()) {
    visit(base);
    visit(root);
  }
}

/** The paths of `main`, and of sessions, whose contents are among those, sorted by their directories. */
export function pathsOf(state: WorkspaceState, contentIds: ReadonlySet<ContentId>): string[] {
  const paths: string[] = [];
  const visit = (path: string, directory: DirectoryNode): void =>
    directory.entries.forEach((name, node) => {
      const child = childPath(path, name);
      if (node.kind === 'directory') visit(child, node);
      else if (node.kind === 'file' && contentIds.has(node.content as ContentId)) paths.push(child);
    });
  visit('/', withSessions(state.roots, state.main));
  return paths.sort();
}
