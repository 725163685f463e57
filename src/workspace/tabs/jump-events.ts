// What a tab tells its listeners when it goes from one state to a later one without having seen the
// records between: after a leader's death, or when it was frozen for long.
import { diffTrees } from '../diff-trees.ts';
import { mainRootId, type WorkspaceState } from '../state.ts';
import type { ChangeEvent, PathChange } from '../workspace.ts';

/**
 * One event for each root that is there on both sides and differs. Who made the changes isn't known
 * any more; as no call of this tab did, they count as the user's.
 */
export function toJumpEvents(before: WorkspaceState, after: WorkspaceState): ChangeEvent[] {
  const events: ChangeEvent[] = [];
  const add = (root: string, from: WorkspaceState['main'], to: WorkspaceState['main']) => {
    const changes: PathChange[] = [];
    diffTrees(from, to, ({ path, before: old, after: now }) => {
      // A state that came as a snapshot shares no node with another: versions tell what differs.
      if (old && now && old.kind === now.kind && old.version === now.version) return;
      if (now) {
        const type = old ? 'update' : 'create';
        changes.push({ path, type, kind: now.kind, version: now.version });
      } else if (old) changes.push({ path, type: 'delete', kind: old.kind, version: after.seq });
    });
    if (changes.length > 0)
      events.push({ seq: after.seq, root, author: { kind: 'user' }, changes });
  };
  add(mainRootId, before.main, after.main);
  for (const [id, { root }] of after.roots) {
    const old = before.roots.get(id);
    if (old) add(id, old.root, root);
  }
  return events;
}
