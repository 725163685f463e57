// Checks the roots that a commit names: do they exist, and do they allow the request? It runs at
// the commit's turn, because earlier commits may have made or dropped them.
import { SdkError } from '../../core/errors.ts';
import type { RootChange } from '../state/record.ts';
import { mainRootId, rootOf, type NamedRoot, type WorkspaceState } from '../state/state.ts';

// Enough for a checkpoint at each message of a long conversation. Each costs memory for what
// changed since the one before, in images and in every snapshot for a replica too.
const maxRoots = 1024;

/** Throws `invalid-input`, and says what to do instead. */
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
      rootOf(state, rootChange.from);
      checkRoom(state, rootChange.id);
      return;
    case 'drop':
      rootOf(state, rootChange.id);
      return;
    case 'merge':
      findRoot(state, rootChange.id, 'branch');
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
  branch: 'A checkpoint is rewound to, or a branch is made from it.',
  checkpoint: 'A branch is merged, or dropped.',
};

/** The root of that id and kind. Throws `invalid-input`. */
export function findRoot(state: WorkspaceState, id: string, kind: NamedRoot['kind']): NamedRoot {
  rootOf(state, id);
  const named = state.roots.get(id);
  if (named?.kind === kind) return named;
  throw refusal(id, `'${id}' is no ${kind}. ${named ? instead[kind] : 'It is the tree itself.'}`);
}

function checkRoom({ roots }: WorkspaceState, id: string): void {
  if (roots.has(id)) throw refusal(id, `The workspace has a root '${id}' already.`);
  if (roots.size < maxRoots) return;
  throw refusal(id, `The workspace has ${maxRoots} checkpoints and branches. Drop some first.`);
}

function refusal(root: string, message: string): SdkError {
  return new SdkError('invalid-input', message, { data: { root } });
}
