// The last common state of a mount's two sides, stored as a branch. Changes of either side are
// found by comparing with it, merged, and found again after a kill.
import type { Change, ChangeContent, ContentId, Version } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import { isInside, joinPath } from '../../core/path.ts';
import { mirrorIdOf, mirrorModes } from '../state/mirror-roots.ts';
import type { RootTree, Workspace } from '../workspace.ts';
import { listStaying, type IsExcluded } from './exclusion.ts';
import type { HostFs } from './host-fs.ts';
import { isInAny } from './is-in-any.ts';

/** A path as both sides last had it. A file's size and time are those in the source. */
export type MirrorEntry =
  | {
      readonly kind: 'file';
      readonly size: number;
      readonly mtimeMs: number;
      readonly mode: number;
      readonly contentId: ContentId;
      readonly version: Version;
    }
  | { readonly kind: 'directory'; readonly version: Version }
  | { readonly kind: 'symlink'; readonly target: string; readonly version: Version };

/** The new common state of a path; null if both sides have removed it. */
export interface MirrorUpdate {
  /** Relative to the mount. */
  readonly path: string;
  readonly node:
    | null
    | {
        readonly kind: 'file';
        readonly content: ChangeContent;
        readonly mtimeMs: number;
        readonly mode: number;
      }
    | { readonly kind: 'directory' }
    | { readonly kind: 'symlink'; readonly target: string };
}

interface FileStats {
  readonly mode: number;
  readonly mtimeMs: number;
}

/** How many paths are looked up at a time. */
const lookUpPaths = 2000;

export class Mirror {
  /** The entries by path relative to the mount, in no particular order. */
  readonly entries = new Map<string, MirrorEntry>();
  /**
   * True if the mirror certainly belongs to the same source. Otherwise only the name is the same.
   */
  isCertain = false;
  readonly #workspace: Workspace;
  readonly #id: string;
  readonly #path: string;
  readonly #author: { readonly kind: 'user'; readonly name: string };

  private constructor(workspace: Workspace, path: string, name: string) {
    this.#workspace = workspace;
    this.#path = path;
    this.#id = toMirrorId(path);
    this.#author = { kind: 'user', name };
  }

  /**
   * Opens the mirror that an earlier mount of this source has left at the path, or an empty one.
   *
   * @throws SdkError `EBUSY` if the path belongs to another source, `ENOTEMPTY` if it has files of
   * the
   *   workspace that aren't excluded.
   */
  static async open(
    workspace: Workspace,
    path: string,
    { name, id }: Pick<HostFs, 'name' | 'id'>,
    isExcluded: IsExcluded,
  ): Promise<Mirror> {
    const mirror = new Mirror(workspace, path, name);
    const [state = null] = await workspace.lookUp([path]);
    const known = (await workspace.roots.list()).find(({ id }) => id === mirror.#id);
    if (known && state?.kind === 'directory') {
      const mirrored = await mirror.#readId();
      const isOther = id !== undefined && mirrored !== undefined && id !== mirrored;
      if (known.label !== name || isOther) {
        const which = `${isOther ? 'another ' : ''}"${known.label}"`;
        const what = `${path} still holds files of ${which}. Mount that and unmount it, or remove ${path}.`;
        throw new SdkError('EBUSY', what, { data: { path, mounted: known.label } });
      }
      mirror.isCertain = id !== undefined && id === mirrored;
      await mirror.#load();
      await mirror.#forget(isExcluded);
      return mirror;
    }
    // The mount's directory was removed in the workspace while it wasn't mounted. That doesn't mean
    // anything for the source, which is read again.
    if (known) await mirror.drop();
    const isFree =
      !state || (state.kind === 'directory' && (await hasRoom(workspace, path, isExcluded)));
    if (!isFree) {
      const what = `${path} isn't empty. Mount at a path where nothing is, or at an empty directory.`;
      throw new SdkError('ENOTEMPTY', what, { data: { path } });
    }
    await workspace.fs.mkdir(path, { recursive: true });
    await mirror.#begin(name);
    mirror.isCertain = true;
    await mirror.setId(id);
    return mirror;
  }

  /** The branch's tree. */
  get tree(): RootTree {
    return this.#workspace.at(this.#id);
  }

  /** The paths among these, and below them. */
  below(tops: ReadonlySet<string>): string[] {
    const isDirectory = (path: string) =>
      path === '' || this.entries.get(path)?.kind === 'directory';
    // Mostly files have changed, below which nothing is.
    if (![...tops].some(isDirectory)) return [...tops].filter((path) => this.entries.has(path));
    return [...this.entries.keys()].filter((path) => isInAny(tops, path));
  }

  /** Applies updates in one commit. They may be in any order. */
  async apply(updates: readonly MirrorUpdate[]): Promise<void> {
    // In sorted order a directory comes before its entries: entries are created after it, and
    // removed before it.
    const sorted = [...updates].sort((left, right) => (left.path < right.path ? -1 : 1));
    const removed = sorted.filter(({ node }) => !node).reverse();
    const made = sorted.filter(({ node }) => node);
    const changes = [...removed, ...made].flatMap((update) => this.#toChanges(update));
    if (changes.length === 0) return;
    const changeSet = { baseSeq: this.#workspace.seq(), changes };
    const { seq } = await this.#workspace.commit(changeSet, {
      author: this.#author,
      root: this.#id,
    });
    const files = new Map<string, FileStats>();
    for (const { path, node } of updates) {
      if (!node) this.entries.delete(path);
      else if (node.kind === 'file') files.set(path, node);
      else this.entries.set(path, { ...node, version: seq });
    }
    await this.#learn([...files.keys()], async (path) => files.get(path));
  }

  /**
   * Records whether a rewind may restore the path to states from now on, or must leave it
   * unchanged.
   */
  async setRead(isRead: boolean): Promise<void> {
    const { fs } = this.tree;
    const mode = isRead ? mirrorModes.read : mirrorModes.unread;
    if (((await fs.lstat(this.#path)).mode & 0o7777) !== mode) await fs.chmod(this.#path, mode);
  }

  /** Records that the mirror belongs to the source with this id. */
  async setId(id: string | undefined): Promise<void> {
    if (id === undefined || (await this.#readId()) === id) return;
    await this.tree.fs.symlink(id, this.#idPlace);
  }

  /** Makes the mirror empty. A path that is missing on one side then isn't removed on the other. */
  async empty(): Promise<void> {
    this.entries.clear();
    await this.tree.fs.rm(this.#path, { recursive: true });
    await this.tree.fs.mkdir(this.#path);
  }

  /** Removes the mirror, so nothing of the source is known any more. */
  async drop(): Promise<void> {
    this.entries.clear();
    await this.#workspace.roots.drop(this.#id, { author: this.#author });
  }

  async #readId(): Promise<string | undefined> {
    const [state] = await this.tree.lookUp([this.#idPlace]);
    return state?.kind === 'symlink' ? state.target : undefined;
  }

  /** Outside of the source's tree in the branch. */
  get #idPlace(): string {
    return isInside('/source', this.#path) ? '/id' : '/source';
  }

  #toChanges({ path, node }: MirrorUpdate): Change[] {
    const known = this.entries.get(path);
    // Versions are those before the change set, even if one node replaces another.
    const at = { path: joinPath(this.#path, path), baseVersion: known?.version ?? 0 };
    return toNodeChanges(at, known?.kind, node);
  }

  async #begin(name: string): Promise<void> {
    await this.#workspace.roots.branch(name, { author: this.#author, id: this.#id });
    // Otherwise the branch would keep all contents of `main` as long as it exists.
    const { fs } = this.tree;
    for (const top of await fs.readdir('/')) {
      if (top !== 'session') await fs.rm(`/${top}`, { recursive: true });
    }
    await fs.mkdir(this.#path, { recursive: true });
  }

  async #load(): Promise<void> {
    const { fs } = this.tree;
    // The directory may be missing after a kill.
    await fs.mkdir(this.#path, { recursive: true });
    const paths = await fs.readdir(this.#path, { recursive: true });
    await this.#learn(paths, (path) => fs.lstat(joinPath(this.#path, path)));
  }

  /**
   * Removes paths that this mount excludes but an earlier one didn't. Otherwise a directory that
   * was removed in the source would stay.
   */
  async #forget(isExcluded: IsExcluded): Promise<void> {
    const excluded = [...this.entries.keys()].filter((path) => isExcluded(path));
    await this.apply(excluded.map((path) => ({ path, node: null })));
  }

  /** `statOf`: a file's, which the states that are looked up don't have. */
  async #learn(
    paths: readonly string[],
    statOf: (path: string) => Promise<FileStats | undefined>,
  ): Promise<void> {
    for (let at = 0; at < paths.length; at += lookUpPaths) {
      const some = paths.slice(at, at + lookUpPaths);
      const places = some.map((path) => joinPath(this.#path, path));
      const states = await this.tree.lookUp(places);
      const entries = await Promise.all(
        states.map(async (state, n): Promise<MirrorEntry | undefined> => {
          if (state?.kind !== 'file') return state ?? undefined;
          const stats = await statOf(some[n] ?? '');
          if (!stats) return undefined;
          return { ...state, mode: stats.mode & 0o7777, mtimeMs: stats.mtimeMs };
        }),
      );
      some.forEach((path, n) => {
        const entry = entries[n];
        if (entry) this.entries.set(path, entry);
      });
    }
  }
}

/** True if there are only paths that a mount would leave unchanged. */
export async function hasRoom(
  { fs }: Workspace,
  path: string,
  isExcluded: IsExcluded,
): Promise<boolean> {
  const paths = await fs.readdir(path, { recursive: true });
  const staying = listStaying(paths, isExcluded);
  return paths.every((one) => staying.has(one));
}

/**
 * True if the existing node must be removed before the new one is created. Files and links can
 * replace each other.
 */
export function isInTheWay(standing: MirrorEntry['kind'], made: MirrorEntry['kind'] | undefined) {
  return made === undefined || (standing === 'directory') !== (made === 'directory');
}

/** The changes that put a node in the place of the standing one; null only removes that. */
export function toNodeChanges(
  at: Pick<Change, 'path' | 'baseVersion'>,
  standing: MirrorEntry['kind'] | undefined,
  node: MirrorUpdate['node'],
): Change[] {
  const changes: Change[] = [];
  if (standing && isInTheWay(standing, node?.kind)) changes.push({ ...at, type: 'remove' });
  switch (node?.kind) {
    case undefined:
      break;
    case 'file': {
      const { content, mode, mtimeMs } = node;
      changes.push({ ...at, type: 'write', content, mode, mtimeMs });
      break;
    }
    case 'directory':
      if (standing === 'directory') break;
      changes.push({ ...at, type: 'mkdir', mode: 0o755, mtimeMs: Date.now() });
      break;
    case 'symlink':
      changes.push({ ...at, type: 'symlink', target: node.target, mtimeMs: Date.now() });
      break;
  }
  return changes;
}

/** @throws SdkError `invalid-input` for a path that is too long for an id. */
function toMirrorId(path: string): string {
  const id = mirrorIdOf(path);
  if (id.length <= 256) return id;
  throw new SdkError('invalid-input', 'The path of a mount has at most 250 characters.');
}
