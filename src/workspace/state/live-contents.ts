// Lists the contents to which a state refers. Views and replicas need those of files. Only the log
// needs those of streams and of the file history.
import type { ContentId } from '../../core/change-set.ts';
import { visitHistoryContents } from './file-history.ts';
import { withSessions } from './session-roots.ts';
import type { WorkspaceState } from './state.ts';
import { visitStreamContents } from './stream-state.ts';
import { childPath, type DirectoryNode } from '../tree/tree.ts';

/** Returns the contents of `main`, of every named root and of its base, with their sizes. */
export function liveContents(state: WorkspaceState): Map<ContentId, number> {
  const live = new Map<ContentId, number>();
  visitContents(state, (contentId, size) => live.set(contentId, size));
  return live;
}

/**
 * Returns {@link liveContents} and those of streams and the file history: everything that
 * compaction keeps and an image lists.
 */
export function keptContents(state: WorkspaceState): Map<ContentId, number> {
  const kept = new Map<ContentId, number>();
  visitKeptContents(state, (contentId, size) => kept.set(contentId, size));
  return kept;
}

/**
 * Visits the same contents without building a list. A content that several files have may be
 * visited more than once.
 */
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
  // Roots share most of their directories, so each is visited once.
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

/** Returns the paths of `main` and of sessions with these contents, ordered by directory. */
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
