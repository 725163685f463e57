// Caches which contents are certainly held by some root. The writer asks for each copied file, and
// a walk through all files would cost too much.
import type { ContentId } from '../../core/change-set.ts';
import { liveContents } from '../state/live-contents.ts';
import type { WorkspaceRecord } from '../state/record.ts';
import { nodeAt, type DirectoryNode } from '../tree/tree.ts';
import type { WorkspaceState } from '../state/state.ts';

export class LiveContentIds {
  /** Undefined until it is first needed, and after an invalidation. */
  #ids: Set<ContentId> | undefined;

  /** False means unknown; {@link collect} finds out. */
  has(contentId: ContentId): boolean {
    return this.#ids?.has(contentId) ?? false;
  }

  /** Returns all contents that the state's roots hold. Keep it up to date with {@link note}. */
  collect(state: WorkspaceState): ReadonlySet<ContentId> {
    this.#ids = new Set(liveContents(state).keys());
    return this.#ids;
  }

  /** Call this for each record. `before` is the root to which the record was applied. */
  note(before: DirectoryNode, { changes, rootChange }: WorkspaceRecord): void {
    const ids = this.#ids;
    if (!ids) return;
    if (rootChange?.type === 'drop' || rootChange?.type === 'merge') {
      this.#ids = undefined;
      return;
    }
    for (const { type, path } of changes) {
      // Changing a directory's attributes keeps its entries.
      if (type === 'mkdir') continue;
      const node = nodeAt(before, path);
      // Invalidates everything instead of visiting the removed subtree. The next copied file pays
      // for a new scan.
      if (node?.kind === 'directory') {
        this.#ids = undefined;
        return;
      }
      // Another file may have the same content. That is found out when the content is next needed.
      if (node?.kind === 'file' && typeof node.content === 'number') ids.delete(node.content);
    }
    for (const change of changes) if (change.type === 'write') ids.add(change.contentId);
  }
}
