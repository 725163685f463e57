// A cache of the contents that some root certainly holds. The writer asks it for every copy of a file,
// where a walk through all files would cost too much.
import type { ContentId } from '../../core/change-set.ts';
import { liveContents } from '../state/live-contents.ts';
import type { WorkspaceRecord } from '../state/record.ts';
import { nodeAt, type DirectoryNode } from '../tree/tree.ts';
import type { WorkspaceState } from '../state/state.ts';

export class LiveContentIds {
  /** Undefined until somebody has asked, and where only another look can tell. */
  #ids: Set<ContentId> | undefined;

  /** False: not, or not known any more; {@link collect} tells. */
  has(contentId: ContentId): boolean {
    return this.#ids?.has(contentId) ?? false;
  }

  /** Those that the state's roots hold. To be kept up to date by {@link note}. */
  collect(state: WorkspaceState): ReadonlySet<ContentId> {
    this.#ids = new Set(liveContents(state).keys());
    return this.#ids;
  }

  /** Call it for each record. `before` is the root that the record was applied to. */
  note(before: DirectoryNode, { changes, rootChange }: WorkspaceRecord): void {
    const ids = this.#ids;
    if (!ids) return;
    if (rootChange?.type === 'drop' || rootChange?.type === 'merge') {
      this.#ids = undefined;
      return;
    }
    for (const { type, path } of changes) {
      // A directory that gets other attributes keeps what is in it.
      if (type === 'mkdir') continue;
      const node = nodeAt(before, path);
      // Invalidates everything instead of visiting the removed subtree. The next copy pays for a
      // scan.
      if (node?.kind === 'directory') {
        this.#ids = undefined;
        return;
      }
      // The content may stand elsewhere, too. That is found out when the content is asked for.
      if (node?.kind === 'file' && typeof node.content === 'number') ids.delete(node.content);
    }
    for (const change of changes) if (change.type === 'write') ids.add(change.contentId);
  }
}
