// The checkpoints that move with a session. Each is sent as its difference from the next newer one,
// the newest as its difference from the moved files. depart.ts lists them, arrive.ts restores them.
import type { ContentId } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import {
  isPinnedBy,
  listPinned,
  dropOldCheckpoints,
} from '../../agent/session/files/checkpoints.ts';
import { mainRoot } from '../../agent/session/files/session-root.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { maxContentBytes } from '../move-server.ts';
import { hashesOf, listAbove, listPaths, planArrival, toFileList } from './file-list.ts';
import type { FileList, KnownHashes, ListedNode, LocalNode } from './file-list.ts';
import type { MovedTrees } from './move-messages.ts';

/** One checkpoint of the list. */
export interface ListedCheckpoint {
  readonly id: string;
  readonly label: string;
  /**
   * The paths that differ from the next newer checkpoint of the list, and their nodes. Null: the
   * path doesn't exist.
   */
  readonly changes: readonly (readonly [path: string, node: ListedNode | null])[];
}

/** Checkpoints, and functions that read their contents. */
export interface LeavingCheckpoints {
  /** The newest first. */
  readonly checkpoints: readonly ListedCheckpoint[];
  /** Reads each content, by its hash. */
  readonly places: ReadonlyMap<string, () => Promise<Uint8Array>>;
}

const author = { kind: 'agent' } as const;

// 50: the newest checkpoints of a session, which thinning never removes.
const mostMoved = 50;

// 64 MB of contents that exist only in checkpoints, so that old ones don't make a move slow.
const maxBytes = 64_000_000;

/** The ids of the session's checkpoints that the workspace has. */
export async function listCheckpointIds(
  { roots }: Pick<Workspace, 'roots'>,
  session: string,
): Promise<string[]> {
  const pinned = await listPinned(roots, session);
  return pinned.flatMap(({ id, kind }) => (kind === 'checkpoint' ? [id] : []));
}

/**
 * Lists the newest checkpoints. `main`: the files that are moved. `has`: the ids of the checkpoints
 * that the other side has.
 */
export async function listCheckpoints(
  workspace: Workspace,
  session: string,
  {
    main,
    known,
    has,
  }: {
    readonly main: FileList;
    readonly known: KnownHashes;
    readonly has: readonly string[];
  },
): Promise<LeavingCheckpoints> {
  const { roots } = workspace;
  const pinned = (await listPinned(roots, session)).filter(({ kind }) => kind === 'checkpoint');
  const checkpoints: ListedCheckpoint[] = [];
  const places = new Map<string, () => Promise<Uint8Array>>();
  const seen = new Set(hashesOf(main));
  let newer = mainRoot;
  let left = maxBytes;
  for (const { id, label } of pinned.slice(-mostMoved).reverse()) {
    if (has.includes(id)) continue;
    const tree = workspace.at(id);
    const changed = (await roots.diff(id, { against: newer })).map(({ path }) => path);
    const paths = [...new Set(changed.flatMap((path) => [...listAbove(path), path]))];
    const nodes = await listPaths(tree, paths, known);
    const changes = paths.map((path, at) => [path, nodes[at]?.node ?? null] as const);
    const fresh = new Map<string, () => Promise<Uint8Array>>();
    for (const [path, node] of changes) {
      if (node?.[0] !== 'f' || seen.has(node[1])) continue;
      // The content is too large for a message. This checkpoint and older ones aren't moved.
      if (node[2] > maxContentBytes) left = -1;
      if (!fresh.has(node[1])) left -= node[2];
      fresh.set(node[1], () => tree.fs.readFile(path));
    }
    if (left < 0) break;
    for (const [hash, read] of fresh) {
      seen.add(hash);
      places.set(hash, read);
    }
    checkpoints.push({ id, label, changes });
    newer = id;
  }
  return { checkpoints, places };
}

/** All lists whose contents are needed. */
export function toLists({ main, own, checkpoints }: MovedTrees): FileList[] {
  const changed = checkpoints.map(({ changes }) =>
    changes.flatMap(([path, node]) => (node ? [[path, node] as const] : [])),
  );
  return [main, own, ...changed];
}

/** The sources of the arriving trees. */
interface ArrivingTrees {
  readonly main: FileList;
  readonly checkpoints: readonly ListedCheckpoint[];
  /** The current nodes of this workspace. */
  readonly here: ReadonlyMap<string, LocalNode>;
  readonly contentOf: (hash: string) => ContentId | undefined;
}

/**
 * Creates the checkpoints that this workspace lacks, the oldest first, on a separate branch. `main`
 * isn't changed. An interrupted attempt starts again.
 *
 * @throws SdkError `invalid-input` if a node is invalid; also the workspace's errors
 */
export async function bringCheckpoints(
  workspace: Workspace,
  session: string,
  { main, checkpoints, here, contentOf }: ArrivingTrees,
): Promise<void> {
  const { roots } = workspace;
  const there = new Set((await roots.list()).map(({ id }) => id));
  // Security: a label says whose checkpoint it is, which decides when it is thinned out.
  const isWanted = ({ id, label }: ListedCheckpoint) =>
    !there.has(id) && isPinnedBy(label, session);
  if (!checkpoints.some(isWanted)) return;
  const branch = `moving-tree-${session}`;
  if (there.has(branch)) await roots.drop(branch, { author });
  const tree = new Map(main);
  // For each checkpoint, the changes that lead to the next newer one.
  const forward = checkpoints.map(({ changes }) => {
    const undone = changes.map(([path]) => [path, tree.get(path)] as const);
    for (const [path, node] of changes) setNode(tree, path, node);
    return undone;
  });
  await roots.branch('A session that arrives', { id: branch, author });
  try {
    const oldest = planArrival(toFileList(here), [...tree], here, contentOf);
    await commitTo(workspace, branch, oldest);
    for (let at = checkpoints.length - 1; at >= 0; at -= 1) {
      const checkpoint = checkpoints[at];
      if (checkpoint && isWanted(checkpoint)) {
        const { id, label } = checkpoint;
        await dropOldCheckpoints(
          roots,
          checkpoints.map((one) => one.id),
        );
        await roots.checkpoint(label, { id, from: branch, author });
      }
      if (at > 0) await step(workspace, branch, { tree, changes: forward[at] ?? [], contentOf });
    }
  } finally {
    await roots.drop(branch, { author });
  }
}

/** Applies the changes to the branch and to the record of its paths. */
async function step(
  workspace: Workspace,
  branch: string,
  {
    tree,
    changes,
    contentOf,
  }: Pick<ArrivingTrees, 'contentOf'> & {
    readonly tree: Map<string, ListedNode>;
    readonly changes: readonly (readonly [path: string, node: ListedNode | undefined])[];
  },
): Promise<void> {
  const paths = [...new Set(changes.flatMap(([path]) => [...listAbove(path), path]))];
  const versions = await workspace.at(branch).versions(paths);
  const here = new Map<string, LocalNode>();
  for (const [at, path] of paths.entries()) {
    const node = tree.get(path);
    if (node) here.set(path, { node, version: versions[at] ?? 0 });
  }
  const changed = new Set(changes.map(([path]) => path));
  const base = toFileList(here).filter(([path]) => changed.has(path));
  const next = changes.flatMap(([path, node]) => (node ? [[path, node] as const] : []));
  await commitTo(workspace, branch, planArrival(base, next, here, contentOf));
  for (const [path, node] of changes) setNode(tree, path, node);
}

async function commitTo(
  workspace: Workspace,
  root: string,
  { changes, conflicts }: ReturnType<typeof planArrival>,
): Promise<void> {
  if (conflicts.length > 0) {
    const message =
      'The checkpoints of the session can’t be made of what has arrived. Nothing was taken over: move it again.';
    throw new SdkError('invalid-input', message, { data: { paths: conflicts } });
  }
  if (changes.length > 0) {
    await workspace.commit({ baseSeq: workspace.seq(), changes }, { author, root });
  }
}

function setNode(
  tree: Map<string, ListedNode>,
  path: string,
  node: ListedNode | null | undefined,
): void {
  if (node) tree.set(path, node);
  else tree.delete(path);
}
