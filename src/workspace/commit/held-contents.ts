// Caches which contents some root certainly holds. The writer asks for every copied file, and
// looking through all files each time would be slow.
import type { ContentId } from '../../core/change-set.ts';
import { liveContents } from '../state/live-contents.ts';
import type { WorkspaceRecord } from '../state/record.ts';
import { nodeAt, type DirectoryNode } from '../tree/tree.ts';
import type { WorkspaceState } from '../state/state.ts';

export class HeldContents {
  /** Undefined until the first question, and again once only another scan can answer. */
  #held: Set<ContentId> | undefined;

  /** False means no, or not known any more: then {@link look} tells. */
  has(contentId: ContentId): boolean {
    return this.#held?.has(contentId) ?? false;
  }

  /** Scans the state's roots for their contents. {@link note} keeps the result up to date. */
  look(state: WorkspaceState): ReadonlySet<ContentId> {
    this.#held = new Set(liveContents(state).keys());
    return this.#held;
  }

  /** Call it for each record. `before` is the root that the record was applied to. */
  note(before: DirectoryNode, { changes, rootChange }: WorkspaceRecord): void {
    const held = this.#held;
    if (!held) return;
    if (rootChange?.type === 'drop') {
      this.#held = undefined;
      return;
    }
    for (const { type, path } of changes) {
      // A directory that gets other attributes keeps what is in it.
      if (type === 'mkdir') continue;
      const node = nodeAt(before, path);
      // Invalidates everything instead of visiting the removed subtree. The next copy pays for a
      // scan.
      if (node?.kind === 'directory') {
        this.#held = undefined;
        return;
      }
      // The content may also be at another path. A later scan finds it there.
      if (node?.kind === 'file' && typeof node.content === 'number') held.delete(node.content);
    }
    for (const change of changes) if (change.type === 'write') held.add(change.contentId);
  }
}
