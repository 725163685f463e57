// The files of one tree as a list for another place: paths, kinds, and contents by their hashes. It
// also plans the changes to a tree that apply the changes of another place.
import type { Change, ContentId, Version } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import { sessionsDirectory } from '../../core/session/session-path.ts';
import { encodeBase64 } from '../../core/bytes/base64.ts';
import { dirname } from '../../core/path.ts';
import type { PathState, RootTree } from '../../workspace/workspace.ts';

/** The node at a path. `hash`: the content's SHA-256 in base64. */
export type ListedNode =
  | readonly [kind: 'f', hash: string, size: number, mode: number, mtimeMs: number]
  | readonly [kind: 'd', mode: number, mtimeMs: number]
  | readonly [kind: 'l', target: string, mtimeMs: number];

/** All nodes of a tree, parents first. */
export type FileList = readonly (readonly [path: string, node: ListedNode])[];

/** A node of a local tree. */
export interface LocalNode {
  readonly node: ListedNode;
  readonly version: Version;
  /** For a file. */
  readonly contentId?: ContentId;
}

/**
 * The hashes of contents of one workspace that were computed before. Valid as long as its content
 * ids are.
 */
export type KnownHashes = Map<ContentId, string>;

/** 64 at a time: in a tab, each is a request to another thread. */
const atOnce = 64;

export async function hashContent(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
  return encodeBase64(new Uint8Array(digest));
}

/** Lists all nodes of the tree, except the sessions' own files, sorted by path. */
export async function listFiles(
  tree: RootTree,
  known: KnownHashes,
): Promise<ReadonlyMap<string, LocalNode>> {
  const nodes = new Map<string, LocalNode>();
  await enter('/');
  return new Map([...nodes].sort(([a], [b]) => (a < b ? -1 : 1)));

  async function enter(directory: string): Promise<void> {
    const names = await tree.fs.readdir(directory);
    const paths = names
      .map((name) => (directory === '/' ? `/${name}` : `${directory}/${name}`))
      .filter((path) => path !== sessionsDirectory);
    for (const [at, node] of (await listPaths(tree, paths, known)).entries()) {
      if (node) nodes.set(paths[at] ?? '', node);
    }
    for (const path of paths) if (nodes.get(path)?.node[0] === 'd') await enter(path);
  }
}

/** Describes the node at the path. `state` is the tree's. */
async function describeNode(
  tree: RootTree,
  path: string,
  state: PathState,
  known: KnownHashes,
): Promise<LocalNode> {
  const { mode, mtimeMs } = await tree.fs.lstat(path);
  const { kind, version } = state;
  if (kind === 'file') {
    const { contentId, size } = state;
    const hash = known.get(contentId) ?? (await hashFile(tree, path, contentId, known));
    return { node: ['f', hash, size, mode & 0o7777, mtimeMs], version, contentId };
  }
  if (kind === 'directory') return { node: ['d', mode & 0o7777, mtimeMs], version };
  return { node: ['l', state.target, mtimeMs], version };
}

/** Returns the nodes at these paths of the tree, in their order; undefined if there is none. */
export async function listPaths(
  tree: RootTree,
  paths: readonly string[],
  known: KnownHashes,
): Promise<(LocalNode | undefined)[]> {
  const nodes: (LocalNode | undefined)[] = [];
  for (let at = 0; at < paths.length; at += atOnce) {
    const part = paths.slice(at, at + atOnce);
    const states = await tree.lookUp(part);
    const described = part.map((path, index) => {
      const state = states[index];
      return state ? describeNode(tree, path, state, known) : undefined;
    });
    nodes.push(...(await Promise.all(described)));
  }
  return nodes;
}

/**
 * Hashes a file. The hash is stored only for the content that was read, because somebody may write
 * meanwhile.
 */
async function hashFile(
  tree: RootTree,
  path: string,
  contentId: ContentId,
  known: KnownHashes,
): Promise<string> {
  const hash = await hashContent(await tree.fs.readFile(path));
  const [now] = await tree.lookUp([path]);
  if (now?.kind === 'file' && now.contentId === contentId) known.set(contentId, hash);
  return hash;
}

export function toFileList(nodes: ReadonlyMap<string, LocalNode>): FileList {
  return [...nodes].map(([path, { node }]) => [path, node] as const);
}

/** The hashes of all needed contents, without duplicates. */
export function hashesOf(...lists: readonly FileList[]): string[] {
  const files = lists.flat().flatMap(([, node]) => (node[0] === 'f' ? [node[1]] : []));
  return [...new Set(files)];
}

/** Times aren't compared, because each place writes at its own time. */
function isSame(a: ListedNode | undefined, b: ListedNode | undefined): boolean {
  if (!a || !b) return a === b;
  if (a[0] === 'f' && b[0] === 'f') return a[1] === b[1] && a[3] === b[3];
  if (a[0] === 'l' && b[0] === 'l') return a[1] === b[1];
  return a[0] === b[0];
}

/** The changes to a tree. */
export interface ArrivalPlan {
  readonly changes: readonly Change[];
  /** Paths that both sides have changed in different ways. They aren't among the changes. */
  readonly conflicts: readonly string[];
  /** Paths that have the sent state afterwards. */
  readonly arrived: ReadonlySet<string>;
}

/**
 * Plans the changes that apply the other side's changes since `base` to the local nodes. `base` is
 * the last common state; empty if there was none. `contentOf` returns the id of a content in this
 * workspace.
 */
export function planArrival(
  base: FileList,
  incoming: FileList,
  local: ReadonlyMap<string, LocalNode>,
  contentOf: (hash: string) => ContentId | undefined,
): ArrivalPlan {
  const before = new Map(base);
  const after = new Map(incoming);
  const removals: Change[] = [];
  const makings: Change[] = [];
  const conflicts: string[] = [];
  const arrived = new Set<string>();
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [was, will, here] = [before.get(path), after.get(path), local.get(path)];
    if (isSame(will, here?.node)) arrived.add(path);
    else if (isSame(was, will)) continue;
    else if (!isSame(was, here?.node)) conflicts.push(path);
    else {
      arrived.add(path);
      const isOther = here && will?.[0] !== here.node[0];
      if (here && isOther) removals.push({ type: 'remove', path, baseVersion: here.version });
      if (will) makings.push(toMaking(path, will, here?.version ?? 0, contentOf));
    }
  }
  const byPath = (a: Change, b: Change) => (a.path < b.path ? -1 : 1);
  removals.sort((a, b) => byPath(b, a));
  makings.sort(byPath);
  const changes = fitTree(removals, makings, local, conflicts);
  for (const path of conflicts) arrived.delete(path);
  return { changes, conflicts: [...new Set(conflicts)].sort(), arrived };
}

/**
 * Returns the changes that the tree allows. A directory isn't removed if somebody has created
 * something in it here. A file whose directory is missing isn't created: that directory is a
 * conflict.
 */
function fitTree(
  removals: readonly Change[],
  makings: readonly Change[],
  local: ReadonlyMap<string, LocalNode>,
  conflicts: string[],
): Change[] {
  const children = new Map<string, number>();
  const count = (path: string, by: number) => {
    const above = dirname(path);
    children.set(above, (children.get(above) ?? 0) + by);
  };
  for (const path of local.keys()) count(path, 1);
  const kinds = new Map([...local].map(([path, { node }]) => [path, node[0]]));
  const removed = removals.filter(({ path }) => {
    // The deepest paths come first, so the contents of a directory were handled before it.
    if ((children.get(path) ?? 0) > 0) return false;
    count(path, -1);
    kinds.delete(path);
    return true;
  });
  const made = makings.filter((making) => {
    const { path } = making;
    const isTaken = kinds.get(path) === 'd' && making.type !== 'mkdir';
    const missing = isTaken ? [path] : listAbove(path).filter((one) => kinds.get(one) !== 'd');
    conflicts.push(...missing);
    if (missing.length > 0) return false;
    kinds.set(path, making.type === 'mkdir' ? 'd' : 'f');
    return true;
  });
  return [...removed, ...made];
}

/** The parent directories of a path, without the root. */
export function listAbove(path: string): string[] {
  const above: string[] = [];
  for (let one = dirname(path); one !== '/'; one = dirname(one)) above.push(one);
  return above;
}

function toMaking(
  path: string,
  node: ListedNode,
  baseVersion: Version,
  contentOf: (hash: string) => ContentId | undefined,
): Change {
  if (node[0] === 'd') {
    const [, mode, mtimeMs] = node;
    return { type: 'mkdir', path, baseVersion, mode, mtimeMs };
  }
  if (node[0] === 'l') {
    const [, target, mtimeMs] = node;
    return { type: 'symlink', path, baseVersion, target, mtimeMs };
  }
  const [, hash, , mode, mtimeMs] = node;
  const contentId = contentOf(hash);
  if (contentId === undefined) throw lacks(path);
  return { type: 'write', path, baseVersion, content: { contentId }, mode, mtimeMs };
}

function lacks(path: string): SdkError {
  const message = `The content of ${path} has not arrived. Nothing was changed: move the session again.`;
  return new SdkError('invalid-input', message, { data: { path } });
}
