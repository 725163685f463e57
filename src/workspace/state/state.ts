// A workspace at one moment, as one immutable value: the sum of the log's records. The writer
// advances it, replicas follow it, images store it.
import type { Version } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import { copySubtrees } from '../tree/copy-subtree.ts';
import { PersistentMap } from '../tree/persistent-map.ts';
import { noHistory, withCallChanges, type FileHistory } from './file-history.ts';
import { applyChange } from './record.ts';
import type { CommitOrigin, RecordedChange, RootChange, WorkspaceRecord } from './record.ts';
import { applyStreamChange, noStreams } from './stream-state.ts';
import type { StreamChange, StreamRecord, Streams } from './stream-state.ts';
import { TreeEditor } from '../tree/tree-editor.ts';
import { childPath, emptyRoot, nodeAt, type DirectoryNode, type TreeNode } from '../tree/tree.ts';

/** The id of the tree that the user has. */
export const mainRootId = 'main';

/**
 * A tree beside `main`. A checkpoint stays as it is. A branch can be committed to. A session's own
 * files are no version of `main` (session-roots.ts).
 */
export interface NamedRoot {
  readonly id: string;
  readonly kind: 'checkpoint' | 'branch' | 'session';
  /** For people. */
  readonly label: string;
  readonly createdMs: number;
  /**
   * The tree that it was made from, and the number of the record that made it. What was merged of a
   * branch since is in its base too: the base is the next merge's ancestor.
   */
  readonly base: DirectoryNode;
  readonly baseSeq: number;
  /** The tree as it is now. */
  readonly root: DirectoryNode;
}

/** The results of a client's commits. A commit that is sent again is answered from here. */
export interface AnsweredOrigin {
  /** The highest that was applied. */
  readonly number: number;
  /** The client's newest record. */
  readonly seq: number;
  /**
   * Lower numbers that left no record because they were refused. A client that missed the refusal
   * may retry them. Only the last {@link maxOpenCommits}.
   */
  readonly refused: readonly number[];
}

/** Nothing in it is ever changed. */
export interface WorkspaceState {
  /** The number of the last commit. */
  readonly seq: number;
  /**
   * How many records have changed it: commits, and those that change streams alone. Tabs follow one
   * another by it, and of two states of one log the one with the higher revision is newer.
   */
  readonly revision: number;
  readonly main: DirectoryNode;
  /** The named roots by id, in the order in which they were made. */
  readonly roots: ReadonlyMap<string, NamedRoot>;
  /**
   * Paths of `main` that a person changed or removed, and by which record last: what a rewind may be
   * asked to keep. Only since the oldest checkpoint.
   */
  readonly userEdits: PersistentMap<Version>;
  /** The answered origins by client, the most recent at the end. */
  readonly origins: ReadonlyMap<string, AnsweredOrigin>;
  /** Outside all roots: no commit, rewind or branch touches them. */
  readonly streams: Streams;
  /** What calls have changed, within bounds. */
  readonly history: FileHistory;
}

/** A workspace that nothing was written to. */
export const emptyState: WorkspaceState = {
  seq: 0,
  revision: 0,
  main: emptyRoot,
  roots: new Map(),
  userEdits: PersistentMap.empty<Version>(),
  origins: new Map(),
  streams: noStreams,
  history: noHistory,
};

// 64 clients: more than the tabs that could be retrying a commit at one time.
const maxOrigins = 64;

/** How many commits a client may have sent without having been answered. */
export const maxOpenCommits = 256;

/** The record that a commit was answered with, or a later one; undefined if it wasn't applied yet. */
export function answerTo(
  { origins }: WorkspaceState,
  { client, number }: CommitOrigin,
): number | undefined {
  const last = origins.get(client);
  return last && number <= last.number && !last.refused.includes(number) ? last.seq : undefined;
}

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
  const tree = new TreeEditor(rootOf(state, record.root ?? mainRootId));
  for (const change of record.changes) applyChange(tree, change, record.seq);
  return withRecord(state, record, tree.root);
}

/** {@link applyRecord} where it is known already what the record's changes make of its root. */
export function withRecord(
  state: WorkspaceState,
  record: WorkspaceRecord,
  root: DirectoryNode,
): WorkspaceState {
  const id = record.root ?? mainRootId;
  const { seq, stream } = record;
  const revision = state.revision + 1;
  const isSession = state.roots.get(id)?.kind === 'session';
  const trees = { before: rootOf(state, id), after: root, isSession };
  const history = withCallChanges(state.history, record, trees);
  const changed: WorkspaceState = { ...withRoot(state, id, root), seq, revision, history };
  const edited = withUserEdits(changed, record, state.main);
  const rooted = withRootChange(edited, record.rootChange, state.main);
  return withOrigin(stream ? withStream(rooted, stream) : rooted, record);
}

/** The state after a record that changes a stream alone. It throws as {@link applyRecord} does. */
export function applyStreamRecord(
  state: WorkspaceState,
  { revision, stream, origin }: StreamRecord,
): WorkspaceState {
  if (revision !== state.revision + 1)
    throw new TypeError(`Record ${revision} isn't the next one.`);
  const changed = withStream({ ...state, revision }, stream);
  return withOrigin(changed, { seq: state.seq, ...(origin && { origin }) });
}

function withStream(state: WorkspaceState, change: StreamChange): WorkspaceState {
  return { ...state, streams: applyStreamChange(state.streams, change, state.revision) };
}

/** The state with another tree behind an id that is there. */
function withRoot(state: WorkspaceState, id: string, root: DirectoryNode): WorkspaceState {
  if (id === mainRootId) return { ...state, main: root };
  const named = state.roots.get(id);
  if (!named) throw new TypeError(`There is no root '${id}' to be changed.`);
  return { ...state, roots: new Map(state.roots).set(id, { ...named, root }) };
}

/** `before` is `main` as it was before the record. */
function withUserEdits(
  state: WorkspaceState,
  record: WorkspaceRecord,
  before: DirectoryNode,
): WorkspaceState {
  const { author, changes, root = mainRootId, rootChange, seq } = record;
  if (root !== mainRootId || rootChange?.type === 'rewind') return state;
  let { userEdits } = state;
  // Changes that come by a merge aren't a person's edits.
  if (author.kind === 'user' && !rootChange) {
    if (![...state.roots.values()].some(({ kind }) => kind === 'checkpoint')) return state;
    for (const change of changes) {
      userEdits = userEdits.set(change.path, seq);
      visitRemoved(before, change, (path) => (userEdits = userEdits.set(path, seq)));
    }
  } else if (userEdits.size > 0) {
    // A path that the agent removed holds no user edit. A path that it changed may still hold one.
    for (const change of changes) {
      if (change.type === 'remove') userEdits = userEdits.delete(change.path);
      visitRemoved(before, change, (path) => (userEdits = userEdits.delete(path)));
    }
  }
  return { ...state, userEdits };
}

/** Visits what a recursive removal takes with it, in no order; nothing for any other change. */
function visitRemoved(
  before: DirectoryNode,
  change: RecordedChange,
  visit: (path: string) => void,
): void {
  const visitNode = (path: string, node: TreeNode): void => {
    visit(path);
    if (node.kind !== 'directory') return;
    node.entries.forEach((name, child) => visitNode(childPath(path, name), child));
  };
  const node = change.type === 'remove' && change.recursive && nodeAt(before, change.path);
  if (node) visitNode(change.path, node);
}

/** `before` is `main` as it was before the record's changes. */
function withRootChange(
  state: WorkspaceState,
  change: RootChange | undefined,
  before: DirectoryNode,
): WorkspaceState {
  if (!change) return state;
  const roots = new Map(state.roots);
  const make = (named: Omit<NamedRoot, 'base' | 'baseSeq' | 'root'>, root: DirectoryNode) =>
    roots.set(named.id, { ...named, base: root, baseSeq: state.seq, root });
  switch (change.type) {
    case 'make': {
      const { id, kind, label, createdMs, from } = change;
      make({ id, kind, label, createdMs }, rootOf(state, from));
      return { ...state, roots };
    }
    case 'make-session': {
      const { id, createdMs } = change;
      const empty = { ...emptyRoot, mtimeMs: createdMs, version: state.seq };
      make({ id, kind: 'session', label: '', createdMs }, empty);
      return { ...state, roots };
    }
    case 'rewind': {
      const { undo, label, createdMs } = change;
      make({ id: undo, kind: 'checkpoint', label, createdMs }, before);
      return { ...state, roots };
    }
    case 'merge': {
      const named = roots.get(change.id);
      if (!named) throw new TypeError(`There is no root '${change.id}' to be merged.`);
      roots.set(change.id, { ...named, base: copySubtrees(named.base, named.root, change.paths) });
      return { ...state, roots };
    }
    case 'drop':
      roots.delete(change.id);
      return forgetUserEdits({ ...state, roots });
    default:
      throw new TypeError(`Unknown root change: ${JSON.stringify(change satisfies never)}`);
  }
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

function withOrigin(
  state: WorkspaceState,
  { origin, seq }: Pick<WorkspaceRecord, 'origin' | 'seq'>,
): WorkspaceState {
  if (!origin) return state;
  return { ...state, origins: rememberOrigin(state.origins, origin, seq) };
}

function rememberOrigin(
  origins: ReadonlyMap<string, AnsweredOrigin>,
  { client, number }: CommitOrigin,
  seq: number,
): ReadonlyMap<string, AnsweredOrigin> {
  const last = origins.get(client);
  const refused = last?.refused.filter((earlier) => earlier !== number) ?? [];
  // Clients send in order, so numbers missing between two applied commits were refused.
  const first = Math.max(last?.number ?? 0, number - maxOpenCommits) + 1;
  for (let skipped = first; skipped < number; skipped += 1) refused.push(skipped);
  const highest = Math.max(last?.number ?? 0, number);
  const next = new Map(origins);
  next.delete(client);
  next.set(client, {
    number: highest,
    seq,
    refused: refused.filter((skipped) => skipped > highest - maxOpenCommits),
  });
  for (const oldest of next.keys()) {
    if (next.size <= maxOrigins) break;
    next.delete(oldest);
  }
  return next;
}
