// Which contents some root certainly holds, without a look at all files for each question: the writer
// asks for every copy of a file.
import type { ContentId } from '../core/change-set.ts';
import { liveContents } from './log/live-contents.ts';
import type { WorkspaceRecord } from './record.ts';
import { nodeAt, type DirectoryNode, type TreeNode } from './tree.ts';
import type { WorkspaceState } from './state.ts';

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
      // What stood there may stand elsewhere, too: that is found out when it is asked for.
      visitContents(nodeAt(before, path), (contentId) => held.delete(contentId));
    }
    for (const change of changes) if (change.type === 'write') held.add(change.contentId);
  }
}

/** Visits the contents of a node and of all below it, in no order. */
export function visitContents(
  node: TreeNode | undefined,
  visit: (contentId: ContentId) => void,
): void {
  if (node?.kind === 'file') {
    if (typeof node.content === 'number') visit(node.content);
  } else if (node?.kind === 'directory') {
    node.entries.forEach((_name, child) => visitContents(child, visit));
  }
}
