// Which contents some root certainly holds, without a look at all files for each question: the writer
// asks for every copy of a file.
import type { ContentId } from '../../core/change-set.ts';
import { liveContents } from '../state/live-contents.ts';
import type { WorkspaceRecord } from '../state/record.ts';
import { nodeAt, type DirectoryNode } from '../tree/tree.ts';
import type { WorkspaceState } from '../state/state.ts';

export class HeldContents {
  /** Undefined until somebody has asked, and where only another look can tell. */
  #held: Set<ContentId> | undefined;

  /** False: not, or not known any more; {@link look} tells. */
  has(contentId: ContentId): boolean {
    return this.#held?.has(contentId) ?? false;
  }

  /** Those that the state's roots hold. To be kept up to date by {@link note}. */
  look(state: WorkspaceState): ReadonlySet<ContentId> {
    this.#held = new Set(liveContents(state).keys());
    return this.#held;
  }

  /** To be told of each record. `before` is the root that it was applied to. */
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
      // To look again costs a copy what forgetting all below would cost the removal of a tree.
      if (node?.kind === 'directory') {
        this.#held = undefined;
        return;
      }
      // What stood there may stand elsewhere, too: that is found out when it is asked for.
      if (node?.kind === 'file' && typeof node.content === 'number') held.delete(node.content);
    }
    for (const change of changes) if (change.type === 'write') held.add(change.contentId);
  }
}
