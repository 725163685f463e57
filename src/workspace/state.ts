// All that a workspace is at one moment, as one immutable value: what the log's records add up to.
// The writer moves it on, replicas follow it, images hold it.
import type { Version } from '../core/change-set.ts';
import { SdkError } from '../core/errors.ts';
import { PersistentMap } from './persistent-map.ts';
import { applyChange, type CommitOrigin, type RootChange, type WorkspaceRecord } from './record.ts';
import { emptyRoot, type DirectoryNode } from './tree.ts';

/** The id of the tree that the user has. */
export const mainRootId = 'main';

/** A tree beside `main`: a checkpoint, which stays as it is, or a branch, which can be committed to. */
export interface NamedRoot {
  readonly id: string;
  readonly kind: 'checkpoint' | 'branch';
  /** For people. */
  readonly label: string;
  readonly createdMs: number;
  /** The tree that it was made from, and the number of the last record then: a merge's ancestor. */
  readonly base: DirectoryNode;
  readonly baseSeq: number;
  /** The tree as it is now. */
  readonly root: DirectoryNode;
}

/** What became of a client's last commit: sent again, it is answered with this. */
export interface AnsweredOrigin {
  readonly number: number;
  readonly seq: number;
}

/** Nothing in it is ever changed. */
export interface WorkspaceState {
  /** The number of the last record. */
  readonly seq: number;
  readonly main: DirectoryNode;
  /** By their ids, in the order in which they were made. */
  readonly roots: ReadonlyMap<string, NamedRoot>;
  /**
   * Paths of `main` that a person changed or removed, and by which record last: what a rewind may be
   * asked to keep. Only since the oldest checkpoint.
   */
  readonly userEdits: PersistentMap<Version>;
  /** By client, the last heard from at the end. */
  readonly origins: ReadonlyMap<string, AnsweredOrigin>;
}

/** A workspace that nothing was written to. */
export const emptyState: WorkspaceState = {
  seq: 0,
  main: emptyRoot,
  roots: new Map(),
  userEdits: PersistentMap.empty<Version>(),
  origins: new Map(),
};

// Tabs that come and go: 64 are more than send anything twice at one time.
const maxOrigins = 64;

/** The tree of that id. Throws `invalid-input` where there is none. */
export function rootOf(state: WorkspaceState, id: string): DirectoryNode {
  const root = id === mainRootId ? state.main : state.roots.get(id)?.root;
  if (root) return root;
  throw new SdkError(
    'invalid-input',
    `The workspace has no root '${id}': it was dropped, or never made. 'main' is always there.`,
    { data: { root: id } },
  );
}

/**
 * The state after a record. A record was checked before it was written, so one that doesn't fit is a
 * damaged log or a programmer's mistake: it throws.
 */
export function applyRecord(state: WorkspaceState, record: WorkspaceRecord): WorkspaceState {
  const id = record.root ?? mainRootId;
  let root = rootOf(state, id);
  for (const change of record.changes) root = applyChange(root, change, record.seq);
  const changed: WorkspaceState = { ...withRoot(state, id, root), seq: record.seq };
  return withOrigin(withRootChange(withUserEdits(changed, record), record.rootChange), record);
}

/** The state with another tree behind an id that is there. */
export function withRoot(state: WorkspaceState, id: string, root: DirectoryNode): WorkspaceState {
  if (id === mainRootId) return { ...state, main: root };
  const named = state.roots.get(id);
  if (!named) throw new TypeError(`There is no root '${id}' to be changed.`);
  return { ...state, roots: new Map(state.roots).set(id, { ...named, root }) };
}

function withUserEdits(state: WorkspaceState, record: WorkspaceRecord): WorkspaceState {
  const counts = record.author.kind === 'user' && (record.root ?? mainRootId) === mainRootId;
  if (!counts || ![...state.roots.values()].some(({ kind }) => kind === 'checkpoint')) return state;
  let { userEdits } = state;
  for (const { path } of record.changes) userEdits = userEdits.set(path, record.seq);
  return { ...state, userEdits };
}

function withRootChange(state: WorkspaceState, change: RootChange | undefined): WorkspaceState {
  if (!change) return state;
  const roots = new Map(state.roots);
  if (change.type === 'make') {
    const { id, kind, label, createdMs, from } = change;
    const base = rootOf(state, from);
    roots.set(id, { id, kind, label, createdMs, base, baseSeq: state.seq, root: base });
    return { ...state, roots };
  }
  roots.delete(change.id);
  return forgetUserEdits({ ...state, roots });
}

/** Edits from before the oldest checkpoint can't be asked for any more. */
function forgetUserEdits(state: WorkspaceState): WorkspaceState {
  const checkpoints = [...state.roots.values()].filter(({ kind }) => kind === 'checkpoint');
  const oldest = Math.min(...checkpoints.map(({ baseSeq }) => baseSeq));
  let { userEdits } = state;
  userEdits.forEach((path, seq) => {
    if (seq <= oldest) userEdits = userEdits.delete(path);
  });
  return { ...state, userEdits };
}

function withOrigin(state: WorkspaceState, { origin, seq }: WorkspaceRecord): WorkspaceState {
  if (!origin) return state;
  return { ...state, origins: rememberOrigin(state.origins, origin, seq) };
}

function rememberOrigin(
  origins: ReadonlyMap<string, AnsweredOrigin>,
  { client, number }: CommitOrigin,
  seq: number,
): ReadonlyMap<string, AnsweredOrigin> {
  const next = new Map(origins);
  next.delete(client);
  next.set(client, { number, seq });
  for (const oldest of next.keys()) {
    if (next.size <= maxOrigins) break;
    next.delete(oldest);
  }
  return next;
}
