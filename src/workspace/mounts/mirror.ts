// What the workspace knows of a mount's source: a branch that holds its tree as both sides last had it.
// Against it a change of either side is seen, merged, and found again after a kill.
import type { Change, ChangeContent, ContentId, Version } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import { isInside, joinPath } from '../../core/path.ts';
import { mirrorIdOf, mirrorModes } from '../state/mirror-roots.ts';
import type { RootTree, Workspace } from '../workspace.ts';
import { listStaying, type IsExcluded } from './exclusion.ts';
import type { HostFs } from './host-fs.ts';
import { isInAny } from './is-in-any.ts';

/** A path as both sides last had it. A file's size and time are the source's. */
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

/** What both sides have from now on; null: nothing. */
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
  /** The entries by path relative to the mount, in no order. */
  readonly entries = new Map<string, MirrorEntry>();
  /** Is it surely the same source? Otherwise only the name is the same. */
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
   * The mirror that an earlier mount of this source left at the path, or an empty one.
   *
   * @throws SdkError `EBUSY` where the path still belongs to another source, `ENOTEMPTY` where it holds
   *   files of the workspace's own that aren't excluded.
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
    // The mount's directory was removed, which means nothing for the source. It is mounted again.
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

  /** The tree of the branch. */
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

  /** In any order. One commit. */
  async apply(updates: readonly MirrorUpdate[]): Promise<void> {
    // A path sorts before those below it: removals go children first, what is made parents first.
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

  /** Says whether a rewind may take the path back to what it was since now, or must leave it as it is. */
  async setRead(isRead: boolean): Promise<void> {
    const { fs } = this.tree;
    const mode = isRead ? mirrorModes.read : mirrorModes.unread;
    if (((await fs.lstat(this.#path)).mode & 0o7777) !== mode) await fs.chmod(this.#path, mode);
  }

  /** From now on it is known to be that source's. */
  async setId(id: string | undefined): Promise<void> {
    if (id === undefined || (await this.#readId()) === id) return;
    await this.tree.fs.symlink(id, this.#idPlace);
  }

  /** Nothing of the source counts as known: what either side hasn't isn't removed from the other. */
  async empty(): Promise<void> {
    this.entries.clear();
    await this.tree.fs.rm(this.#path, { recursive: true });
    await this.tree.fs.mkdir(this.#path);
  }

  /** Forgets it: nothing is known of the source any more. */
  async drop(): Promise<void> {
    this.entries.clear();
    await this.#workspace.roots.drop(this.#id, { author: this.#author });
  }

  async #readId(): Promise<string | undefined> {
    const [state] = await this.tree.lookUp([this.#idPlace]);
    return state?.kind === 'symlink' ? state.target : undefined;
  }

  /** Beside the source's tree. */
  get #idPlace(): string {
    return isInside('/source', this.#path) ? '/id' : '/source';
  }

  #toChanges({ path, node }: MirrorUpdate): Change[] {
    const known = this.entries.get(path);
    // Versions are those before the change set, also where a node takes another one's place.
    const at = { path: joinPath(this.#path, path), baseVersion: known?.version ?? 0 };
    const changes: Change[] = [];
    if (known && isInTheWay(known.kind, node?.kind)) changes.push({ ...at, type: 'remove' });
    switch (node?.kind) {
      case undefined:
        break;
      case 'file': {
        const { content, mode, mtimeMs } = node;
        changes.push({ ...at, type: 'write', content, mode, mtimeMs });
        break;
      }
      case 'directory':
        if (known?.kind === 'directory') break;
        changes.push({ ...at, type: 'mkdir', mode: 0o755, mtimeMs: Date.now() });
        break;
      case 'symlink':
        changes.push({ ...at, type: 'symlink', target: node.target, mtimeMs: Date.now() });
        break;
    }
    return changes;
  }

  async #begin(name: string): Promise<void> {
    await this.#workspace.roots.branch(name, { author: this.#author, id: this.#id });
    // Else the branch would keep all of main's contents for as long as it is there.
    const { fs } = this.tree;
    for (const top of await fs.readdir('/')) {
      if (top !== 'session') await fs.rm(`/${top}`, { recursive: true });
    }
    await fs.mkdir(this.#path, { recursive: true });
  }

  async #load(): Promise<void> {
    const { fs } = this.tree;
    // A kill may have come before the branch had it.
    await fs.mkdir(this.#path, { recursive: true });
    const paths = await fs.readdir(this.#path, { recursive: true });
    await this.#learn(paths, (path) => fs.lstat(joinPath(this.#path, path)));
  }

  /**
   * Forgets what an earlier mount had and this one excludes. Otherwise a directory that was removed at the source would
   * stay.
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

/** Is there nothing but what a mount would leave alone? */
export async function hasRoom(
  { fs }: Workspace,
  path: string,
  isExcluded: IsExcluded,
): Promise<boolean> {
  const paths = await fs.readdir(path, { recursive: true });
  const staying = listStaying(paths, isExcluded);
  return paths.every((one) => staying.has(one));
}

/** Must what stands there be removed before the other is made? Files and links replace one another. */
export function isInTheWay(standing: MirrorEntry['kind'], made: MirrorEntry['kind'] | undefined) {
  return made === undefined || (standing === 'directory') !== (made === 'directory');
}

/** @throws SdkError `invalid-input` for a path that is too long to be one. */
function toMirrorId(path: string): string {
  const id = mirrorIdOf(path);
  if (id.length <= 256) return id;
  throw new SdkError('invalid-input', 'The path of a mount has at most 250 characters.');
}
