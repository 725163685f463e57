// Checks that the roots of a commit exist and allow the request. It runs at the commit's turn,
// because earlier commits may create or drop roots.
import { SdkError } from '../../core/errors.ts';
import type { RootChange } from '../state/record.ts';
import { mainRootId, rootOf, type NamedRoot, type WorkspaceState } from '../state/state.ts';
import type { DirectoryNode } from '../tree/tree.ts';

// 1 024: enough for a checkpoint at each message of a long conversation. Each checkpoint costs
// memory for what changed since the one before, also in images and snapshots.
const maxRoots = 1024;
// 4 096: a year with ten sessions a day. A session's root costs memory only for its own files.
const maxSessions = 4096;

/** @throws SdkError `invalid-input` that says what to do instead. */
export function checkCommit(
  state: WorkspaceState,
  { root, rootChange }: { readonly root: string; readonly rootChange?: RootChange | undefined },
): void {
  rootOf(state, root);
  const target = state.roots.get(root);
  if (target?.kind === 'checkpoint') {
    throw refusal(root, `'${root}' is a checkpoint and stays as it is. Make a branch from it.`);
  }
  switch (rootChange?.type) {
    case undefined:
      return;
    case 'make':
      requireVersion(state, rootChange.from);
      checkRoom(state, rootChange.id);
      return;
    case 'make-session':
      checkSessionRoom(state, rootChange.id);
      return;
    case 'drop':
      rootOf(state, rootChange.id);
      return;
    case 'merge':
      findRoot(state, rootChange.id, 'branch');
      requireVersion(state, root);
      if (rootChange.id === root) throw refusal(root, `'${root}' can't be merged into itself.`);
      return;
    case 'rewind':
      findRoot(state, rootChange.id, 'checkpoint');
      checkRoom(state, rootChange.undo);
      if (root !== mainRootId) throw refusal(root, 'Only main can be rewound.');
      return;
  }
}

const instead = {
  session: "Only a session's own root holds its files.",
  branch: 'A checkpoint is rewound to, or a branch is made from it.',
  checkpoint: 'A branch is merged, or dropped.',
};

/** Returns the root of that id and kind. @throws SdkError `invalid-input` */
export function findRoot(state: WorkspaceState, id: string, kind: NamedRoot['kind']): NamedRoot {
  rootOf(state, id);
  const named = state.roots.get(id);
  if (named?.kind === kind) return named;
  if (named?.kind === 'session') throw sessionRefusal(id);
  throw refusal(id, `'${id}' is no ${kind}. ${named ? instead[kind] : 'It is the tree itself.'}`);
}

/** Returns the tree of any root except a session's. @throws SdkError `invalid-input` */
export function requireVersion(state: WorkspaceState, id: string): DirectoryNode {
  if (state.roots.get(id)?.kind === 'session') throw sessionRefusal(id);
  return rootOf(state, id);
}

function checkRoom({ roots }: WorkspaceState, id: string): void {
  if (roots.has(id)) throw refusal(id, `The workspace has a root '${id}' already.`);
  if (countSessions(roots, false) < maxRoots) return;
  throw refusal(id, `The workspace has ${maxRoots} checkpoints and branches. Drop some first.`);
}

function checkSessionRoom({ roots }: WorkspaceState, id: string): void {
  if (countSessions(roots, true) < maxSessions) return;
  throw refusal(id, `The workspace has the files of ${maxSessions} sessions. Drop some first.`);
}

function countSessions(roots: WorkspaceState['roots'], isSession: boolean): number {
  let count = 0;
  for (const { kind } of roots.values()) if ((kind === 'session') === isSession) count += 1;
  return count;
}

function sessionRefusal(id: string): SdkError {
  const message = `'${id}' holds a session's own files: it is no version of the workspace. Name a checkpoint, a branch or main.`;
  return refusal(id, message);
}

function refusal(root: string, message: string): SdkError {
  return new SdkError('invalid-input', message, { data: { root } });
}
