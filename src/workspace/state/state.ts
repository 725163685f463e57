// A workspace at one moment, as one immutable value: the sum of the log's records. The writer
// advances it, replicas follow it, and images store it.
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

/** The id of the user's tree. */
export const mainRootId = 'main';

/**
 * A tree beside `main`. A checkpoint never changes. A branch accepts commits. A session root has a
 * session's own files and isn't a version of `main` (session-roots.ts).
 */
export interface NamedRoot {
  readonly id: string;
  readonly kind: 'checkpoint' | 'branch' | 'session';
  /** For people. */
  readonly label: string;
  readonly createdMs: number;
  /**
   * The tree and record number from which it was created. A merge adds the merged changes to the
   * base, which is the common ancestor of the next merge.
   */
  readonly base: DirectoryNode;
  readonly baseSeq: number;
  /** The current tree. */
  readonly root: DirectoryNode;
}

/** The results of a client's commits. A repeated commit is answered from here. */
export interface AnsweredOrigin {
  /** The highest applied number. */
  readonly number: number;
  /** The client's newest record. */
  readonly seq: number;
  /**
   * Lower numbers without a record, because they were refused. A client that missed the refusal may
   * retry them. Only the last {@link maxOpenCommits}.
   */
  readonly refused: readonly number[];
}

/** Immutable. */
export interface WorkspaceState {
  /** The number of the last commit. */
  readonly seq: number;
  /**
   * The number of records that have changed the state: commits, and changes of streams alone. Tabs
   * follow each other by it. Of two states of one log, the one with the higher revision is newer.
   */
  readonly revision: number;
  readonly main: DirectoryNode;
  /** The named roots by id, in the order of their creation. */
  readonly roots: ReadonlyMap<string, NamedRoot>;
  /**
   * Paths of `main` that a person changed or removed since the oldest checkpoint, with the last
   * record. A rewind can keep them.
   */
  readonly userEdits: PersistentMap<Version>;
  /** The answered origins by client. The most recent is the last. */
  readonly origins: ReadonlyMap<string, AnsweredOrigin>;
  /** Outside of all roots: no commit, rewind or branch affects them. */
  readonly streams: Streams;
  /** The changes of calls, within limits. */
  readonly history: FileHistory;
}

/** A new, empty workspace. */
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

// 64 clients: more than the tabs that could retry a commit at the same time.
const maxOrigins = 64;

/** 256: how many unanswered commits a client may have. */
export const maxOpenCommits = 256;

/**
 * Returns the record with which the commit was answered, or a later one. Undefined if it wasn't
 * applied.
 */
export function answerTo(
  { origins }: WorkspaceState,
  { client, number }: CommitOrigin,
): number | undefined {
  const last = origins.get(client);
  return last && number <= last.number && !last.refused.includes(number) ? last.seq : undefined;
}

/** Returns the tree of that id. @throws SdkError `invalid-input` if there is none */
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
 * Returns the state after a record. Records are validated before they are written, so it throws
 * only if the log is damaged or there is a bug.
 */
export function applyRecord(state: WorkspaceState, record: WorkspaceRecord): WorkspaceState {
  const tree = new TreeEditor(rootOf(state, record.root ?? mainRootId));
  for (const change of record.changes) applyChange(tree, change, record.seq);
  return withRecord(state, record, tree.root);
}

/** Same as {@link applyRecord}, with the root after the record's changes already known. */
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

/**
 * Returns the state after a record that only changes a stream. Throws as {@link applyRecord} does.
 */
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

/** Replaces the tree of an existing id. */
function withRoot(state: WorkspaceState, id: string, root: DirectoryNode): WorkspaceState {
  if (id === mainRootId) return { ...state, main: root };
  const named = state.roots.get(id);
  if (!named) throw new TypeError(`There is no root '${id}' to be changed.`);
  return { ...state, roots: new Map(state.roots).set(id, { ...named, root }) };
}

/** `before` is `main` before the record. */
function withUserEdits(
  state: WorkspaceState,
  record: WorkspaceRecord,
  before: DirectoryNode,
): WorkspaceState {
  const { author, changes, root = mainRootId, rootChange, seq } = record;
  if (root !== mainRootId || rootChange?.type === 'rewind') return state;
  let { userEdits } = state;
  // Changes by a merge aren't a person's edits.
  if (author.kind === 'user' && !rootChange) {
    if (![...state.roots.values()].some(({ kind }) => kind === 'checkpoint')) return state;
    for (const change of changes) {
      userEdits = userEdits.set(change.path, seq);
      visitRemoved(before, change, (path) => (userEdits = userEdits.set(path, seq)));
    }
  } else if (userEdits.size > 0) {
    // A path that the agent removed contains no user edit. A path that it changed may still contain
    // one.
    for (const change of changes) {
      if (change.type === 'remove') userEdits = userEdits.delete(change.path);
      visitRemoved(before, change, (path) => (userEdits = userEdits.delete(path)));
    }
  }
  return { ...state, userEdits };
}

/**
 * Visits what a recursive removal removes, in no particular order. Does nothing for other changes.
 */
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

/** `before` is `main` before the record's changes. */
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

/** Edits from before the oldest checkpoint can't be requested any more. */
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
  // Clients send commits in order, so missing numbers between two applied ones were refused.
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
