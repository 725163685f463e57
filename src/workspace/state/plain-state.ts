// Converts a state to plain data and back, for messages (feed.ts) and images (log/). Each named
// root is stored as the difference from the previous one. So a thousand checkpoints cost only what
// changed between them.
import type { Version } from '../../core/change-set.ts';
import { diffTrees } from '../tree/diff-trees.ts';
import type { PlainNode } from '../feed/feed.ts';
import { noHistory, type FileHistory } from './file-history.ts';
import { PersistentMap } from '../tree/persistent-map.ts';
import { fromPlainNode, fromPlainTree, toPlainNode } from '../tree/plain-tree.ts';
import type { NamedRoot, WorkspaceState } from './state.ts';
import { fromPlainStreams, toPlainStreams, type PlainStream } from './stream-state.ts';
import { emptyRoot, nodeAt, withNode, type DirectoryNode } from '../tree/tree.ts';

/** JSON that can be structured-cloned. Inverses: {@link toPlainState}, {@link fromPlainState}. */
export interface PlainState {
  readonly seq: number;
  /** Left out if it equals `seq`, as in format 2, which had no streams. */
  readonly revision?: number;
  readonly main: PlainNode;
  readonly roots: readonly PlainRoot[];
  readonly userEdits: readonly (readonly [path: string, version: Version])[];
  readonly origins: readonly (readonly [
    client: string,
    number: number,
    seq: number,
    refused: readonly number[],
  ])[];
  /** Left out if there are none. */
  readonly streams?: readonly PlainStream[];
  /** Left out if there is none, as in older images. */
  readonly history?: FileHistory;
}

interface PlainRoot extends Omit<NamedRoot, 'base' | 'root'> {
  /**
   * Two differences: from the previous root's base (for the first root, from `main`) to this base,
   * and from this base to the root. A session's base is relative to the empty tree, because it
   * shares nothing with others, and no other base is relative to it.
   */
  readonly base: PlainDelta;
  readonly root: PlainDelta;
}

/** In order. Null removes a path; `a` changes the attributes of an existing directory. */
type PlainDelta = readonly (readonly [path: string, node: PlainNode | PlainAttributes | null])[];
type PlainAttributes = readonly [type: 'a', mode: number, mtimeMs: number, version: Version];

/** Only for committed trees. A file that isn't committed is a programming error. */
export function toPlainState(state: WorkspaceState): PlainState {
  const { seq, main, revision, history } = state;
  let previous = main;
  const roots = [...state.roots.values()].map((named) => {
    const isSession = named.kind === 'session';
    const base = toDelta(isSession ? emptyRoot : previous, named.base);
    if (!isSession) previous = named.base;
    return { ...named, base, root: toDelta(named.base, named.root) };
  });
  const userEdits: [string, Version][] = [];
  state.userEdits.forEach((path, version) => userEdits.push([path, version]));
  const origins = [...state.origins].map(
    ([client, { number, seq: answer, refused }]) => [client, number, answer, refused] as const,
  );
  const streams = toPlainStreams(state.streams);
  return {
    seq,
    ...(revision !== seq && { revision }),
    main: toPlainNode(main),
    roots,
    userEdits,
    origins,
    ...(streams.length > 0 && { streams }),
    ...(history.length > 0 && { history }),
  };
}

/** @throws TypeError for data that {@link toPlainState} didn't create */
export function fromPlainState(plain: PlainState): WorkspaceState {
  const main = fromPlainTree(plain.main);
  let previous = main;
  const roots = plain.roots.map((named): [string, NamedRoot] => {
    const isSession = named.kind === 'session';
    const base = applyDelta(isSession ? emptyRoot : previous, named.base);
    if (!isSession) previous = base;
    return [named.id, { ...named, base, root: applyDelta(base, named.root) }];
  });
  let userEdits = PersistentMap.empty<Version>();
  for (const [path, version] of plain.userEdits) userEdits = userEdits.set(path, version);
  const origins = plain.origins.map(
    ([client, number, seq, refused]) => [client, { number, seq, refused }] as const,
  );
  return {
    seq: plain.seq,
    revision: plain.revision ?? plain.seq,
    main,
    roots: new Map(roots),
    userEdits,
    origins: new Map(origins),
    streams: fromPlainStreams(plain.streams ?? []),
    history: plain.history ?? noHistory,
  };
}

function toDelta(from: DirectoryNode, to: DirectoryNode): PlainDelta {
  const delta: (readonly [string, PlainNode | PlainAttributes | null])[] = [];
  diffTrees(from, to, ({ path, before, after }) => {
    // A state from an image shares fewer nodes. For committed nodes, equal versions also mean equal
    // nodes.
    const isSame = before?.kind === after?.kind && before?.version === after?.version;
    if (isSame && after?.kind !== 'directory') return;
    if (!after) delta.push([path, null]);
    else if (before?.kind === 'directory' && after.kind === 'directory') {
      delta.push([path, ['a', after.mode, after.mtimeMs, after.version]]);
    } else if (after.kind === 'directory') {
      // Empty, because its entries follow.
      const { mode, mtimeMs, version } = after;
      delta.push([path, ['d', [], mode, mtimeMs, version]]);
    } else delta.push([path, toPlainNode(after)]);
  });
  return delta;
}

function applyDelta(from: DirectoryNode, delta: PlainDelta): DirectoryNode {
  let root = from;
  for (const [path, plain] of delta) {
    if (plain?.[0] === 'a') {
      const [, mode, mtimeMs, version] = plain;
      const directory = nodeAt(root, path);
      if (directory?.kind !== 'directory') throw new TypeError(`No directory at ${path}.`);
      root = withNode(root, path, { ...directory, mode, mtimeMs, version });
    } else if (plain) root = withNode(root, path, fromPlainNode(plain));
    else if (nodeAt(root, path)) root = withNode(root, path, undefined);
  }
  return root;
}
