// Rebases changes below a `.git` directory onto a repository that has advanced. The writer calls it
// before it plans such a commit.
import type { Change, ChangeContent, ChangeSet } from '../../core/change-set.ts';
import { hasCode } from '../../core/errors.ts';
import { dirname } from '../../core/path.ts';
import { isSameBytes } from '../../core/bytes/same-bytes.ts';
import { mergeIndex } from '../git/merge-index.ts';
import { mergeLog, mergePackedRefs, mergeShallow, readPackedRefs } from '../git/merge-lists.ts';
import { readContent } from '../state/content-source.ts';
import { isSameNode } from '../tree/same-node.ts';
import { nodeAt, subtreeVersion, versionAt } from '../tree/tree.ts';
import type { DirectoryNode, FileNode, TreeNode } from '../tree/tree.ts';
import { conflictError } from './conflict-error.ts';
import type { MergeOptions, WriteChange } from './merge-change-set.ts';

/** The kinds of files below `.git` that are merged by their meaning. */
type GitFile =
  /** Named by its content, so two files of the same name are equal. */
  | 'object'
  /** Information for a person. The newest version wins. */
  | 'latest'
  | 'index'
  | 'log'
  | 'packed-refs'
  | 'ref'
  | 'shallow';

/** Where a path below `.git` is, and what kind of file it is. */
interface GitPath {
  /** The repository's `.git` directory, which its work trees share. */
  readonly repository: string;
  /** The path relative to that directory, or to a work tree's own one. */
  readonly name: string;
  readonly file: GitFile | undefined;
}

/** True if the change set changes anything below a `.git`. */
export function changesGit({ changes }: ChangeSet): boolean {
  return changes.some(({ path }) => path.includes('/.git/'));
}

/**
 * Rebases the git files of a change set onto `root`. Objects are united. The index is merged path
 * by path; `packed-refs`, `shallow` and logs are merged line by line. Refs and all else stay
 * unchanged, so that `planCommit` compares their versions.
 * When objects are removed, their directory is marked as changed. A commit that has relied on them
 * is then refused.
 *
 * @throws SdkError `ECONFLICT` if a ref is in one file here and was changed in another file there,
 * if objects are removed from a repository that has advanced, or if a ref or index from before such
 * a removal is written, because it may need the removed objects.
 */
export async function mergeGitChanges(
  root: DirectoryNode,
  changeSet: ChangeSet,
  options: MergeOptions,
): Promise<ChangeSet> {
  const merge = new GitMerge(root, changeSet, options);
  const removals: Change[] = [];
  const makings: Change[] = [];
  const refused: string[] = [];
  for (const change of changeSet.changes) {
    const list = change.type === 'remove' ? removals : makings;
    const git = findGitPath(change.path);
    if (!git) {
      list.push(change);
      continue;
    }
    refused.push(...(await merge.findRefused(change, git)));
    list.push(...(await merge.rebase(change, git)));
  }
  if (refused.length > 0) throw conflictError(refused);
  return { ...changeSet, changes: [...removals, ...makings, ...merge.markStores()] };
}

/** Rebases one change set onto one root. */
class GitMerge {
  readonly #root: DirectoryNode;
  readonly #changeSet: ChangeSet;
  readonly #options: MergeOptions;
  readonly #paths: ReadonlySet<string>;
  readonly #removed: ReadonlySet<string>;
  /** Directories that were created again for an object. */
  readonly #made = new Set<string>();
  readonly #movedRepositories = new Map<string, boolean>();
  /** Repositories from which the change set removes objects. */
  readonly #emptied = new Set<string>();

  constructor(root: DirectoryNode, changeSet: ChangeSet, options: MergeOptions) {
    this.#root = root;
    this.#changeSet = changeSet;
    this.#options = options;
    const { changes } = changeSet;
    this.#paths = new Set(changes.map(({ path }) => path));
    const removals = changes.filter(({ type }) => type === 'remove');
    this.#removed = new Set(removals.map(({ path }) => path));
  }

  /** Returns no changes if the other side has made the same one. */
  async rebase(change: Change, { file }: GitPath): Promise<readonly Change[]> {
    const theirs = nodeAt(this.#root, change.path);
    const hasMoved = (theirs?.version ?? 0) !== change.baseVersion;
    if (change.type === 'mkdir') return hasMoved && theirs?.kind === 'directory' ? [] : [change];
    if (change.type === 'remove') return this.#rebaseRemoval(change, theirs);
    if (change.type === 'symlink') return [change];
    if (file === 'object') return this.#rebaseObject(change, theirs);
    if (!hasMoved) return [change];
    const merged = await this.#mergeFile(change, file, theirs);
    if (merged === undefined) return [change];
    if (merged === 'theirs') return [];
    const { parentVersion: _parent, ...rest } = change;
    return [{ ...rest, content: merged, baseVersion: theirs?.version ?? 0 }];
  }

  /** Returns paths that `change` must not change, whatever their versions are. */
  async findRefused(change: Change, { repository, name, file }: GitPath): Promise<string[]> {
    if (change.type === 'remove') {
      if (!removesObjects(change, name, file)) return [];
      this.#emptied.add(repository);
      return this.#hasMovedRepository(repository) ? [change.path] : [];
    }
    if (change.type !== 'write') return [];
    if (file !== undefined && needsObjects.has(file) && this.#hasLostObjects(repository)) {
      return [change.path];
    }
    const packed = `${repository}/packed-refs`;
    if (file === 'ref' && change.baseVersion === 0) {
      // The ref may have been moved to packed-refs, and changed or deleted there.
      return name.startsWith('refs/') && this.#hasMoved(packed) ? [change.path] : [];
    }
    if (file !== 'packed-refs') return [];
    const before = await this.#baseOf(change, nodeAt(this.#root, change.path));
    if (before === undefined) return [];
    const [old, our] = [readPackedRefs(before), readPackedRefs(await this.#load(change.content))];
    const changed = [...new Set([...old.keys(), ...our.keys()])].filter(
      (ref) => old.get(ref)?.join() !== our.get(ref)?.join(),
    );
    return changed
      .map((ref) => `${repository}/${ref}`)
      .filter((path) => !this.#paths.has(path) && this.#hasMoved(path));
  }

  #rebaseRemoval(change: Change, theirs: TreeNode | undefined): readonly Change[] {
    if (!theirs) return [];
    if (theirs.kind !== 'directory' || ('recursive' in change && change.recursive)) return [change];
    // The directory stays if others have created files in it meanwhile.
    let isEmptied = true;
    theirs.entries.forEach((name) => {
      if (!this.#removed.has(`${change.path}/${name}`)) isEmptied = false;
    });
    return isEmptied ? [{ ...change, baseVersion: theirs.version }] : [];
  }

  /** Security: an existing object is never replaced, whatever content the other side claims. */
  async #rebaseObject(change: WriteChange, theirs: TreeNode | undefined): Promise<Change[]> {
    const { parentVersion: _parent, base: _base, ...rest } = change;
    if (theirs?.kind === 'file' && theirs.version !== change.baseVersion) {
      if (!change.path.includes('/objects/pack/')) return [];
      // A pack of the same objects may have been packed differently. The index in this change
      // wouldn't fit it.
      return (await this.#isSame(change.content, theirs)) ? [] : [change];
    }
    const made = theirs ? [] : this.#makeAbove(change);
    return [...made, { ...rest, baseVersion: theirs?.version ?? 0 }];
  }

  /** Creates the directories for an object again if the other side has removed them. */
  #makeAbove({ path, mtimeMs }: WriteChange): Change[] {
    const made: Change[] = [];
    for (let at = dirname(path); !at.endsWith('/.git'); at = dirname(at)) {
      const isThere = nodeAt(this.#root, at)?.kind === 'directory';
      if (isThere || this.#paths.has(at) || this.#made.has(at)) break;
      this.#made.add(at);
      made.unshift({ type: 'mkdir', path: at, baseVersion: 0, mode: 0o755, mtimeMs });
    }
    return made;
  }

  /** Returns undefined for a conflict. */
  async #mergeFile(
    change: WriteChange,
    file: Exclude<GitFile, 'object'> | undefined,
    node: TreeNode | undefined,
  ): Promise<ChangeContent | 'theirs' | undefined> {
    const theirs = node?.kind === 'file' ? node : undefined;
    if (node && !theirs) return undefined;
    if (file === 'latest') return change.content;
    if (theirs && (await this.#isSame(change.content, theirs))) return 'theirs';
    if (file === undefined || file === 'ref') return undefined;
    const base = await this.#baseOf(change, theirs);
    if (base === undefined) return undefined;
    const [ours, their] = await Promise.all([
      this.#load(change.content),
      theirs ? this.#load(theirs.content) : new Uint8Array(),
    ]);
    switch (file) {
      case 'index':
        return theirs && (await mergeIndexes(base, ours, their));
      case 'log':
        return mergeLog(base, ours, their);
      case 'shallow':
        return mergeShallow(base, ours, their);
      case 'packed-refs':
        return mergePackedRefs(base, ours, their);
    }
  }

  /** Returns the file as the draft saw it, or undefined if its bytes no longer exist. */
  async #baseOf(
    change: WriteChange,
    theirs: TreeNode | undefined,
  ): Promise<Uint8Array | undefined> {
    const { base: tree } = this.#options;
    const before = tree && nodeAt(tree, change.path);
    if (before) return before.kind === 'file' ? this.#load(before.content) : undefined;
    if (change.baseVersion === 0) return new Uint8Array();
    if (theirs?.kind === 'file' && theirs.version === change.baseVersion) {
      return this.#load(theirs.content);
    }
    if (!change.base) return undefined;
    try {
      return await this.#load({ contentId: change.base.contentId });
    } catch (error) {
      const isGone = hasCode(error, 'ECONFLICT', 'invalid-input');
      if (isGone) return undefined;
      throw error;
    }
  }

  async #isSame(ours: ChangeContent, theirs: FileNode): Promise<boolean> {
    if (ours instanceof Uint8Array) {
      if (ours.length !== theirs.size) return false;
    } else if (ours.contentId === theirs.content) {
      return true;
    }
    return isSameBytes(await this.#load(ours), await this.#load(theirs.content));
  }

  async #load(content: ChangeContent | FileNode['content']): Promise<Uint8Array> {
    if (content instanceof Uint8Array) return content;
    const contentId = typeof content === 'number' ? content : content.contentId;
    return readContent(this.#options.contents, contentId);
  }

  /**
   * True if the path was created, changed or replaced since the draft was taken. Doesn't detect a
   * removal.
   */
  #hasMoved(path: string): boolean {
    const { base } = this.#options;
    const theirs = nodeAt(this.#root, path);
    if (!base) return versionAt(this.#root, path) > this.#changeSet.baseSeq;
    const before = nodeAt(base, path);
    return before ? !isSameNode(before, theirs) : theirs !== undefined;
  }

  /**
   * Adds a change to each directory from which objects are removed, so that it gets this commit's
   * version.
   */
  markStores(): Change[] {
    return [...this.#emptied].flatMap((repository) => {
      const path = `${repository}/objects`;
      const node = nodeAt(this.#root, path);
      if (node?.kind !== 'directory' || this.#paths.has(path)) return [];
      const { mode, mtimeMs, version } = node;
      return [{ type: 'mkdir', path, mode, mtimeMs, baseVersion: version }];
    });
  }

  /** True if objects were removed since the draft was taken. See {@link GitMerge.markStores}. */
  #hasLostObjects(repository: string): boolean {
    const path = `${repository}/objects`;
    if (this.#paths.has(path)) return false;
    const theirs = nodeAt(this.#root, path);
    // The object store no longer exists. A commit that adds to it has seen it, and so has lost objects.
    if (!theirs) return [...this.#paths].some((changed) => changed.startsWith(`${path}/`));
    const { base } = this.#options;
    return base
      ? theirs.version !== versionAt(base, path)
      : theirs.version > this.#changeSet.baseSeq;
  }

  #hasMovedRepository(path: string): boolean {
    const known = this.#movedRepositories.get(path);
    if (known !== undefined) return known;
    const { base } = this.#options;
    const theirs = nodeAt(this.#root, path);
    const hasMoved = base
      ? theirs !== nodeAt(base, path)
      : theirs !== undefined && subtreeVersion(theirs) > this.#changeSet.baseSeq;
    this.#movedRepositories.set(path, hasMoved);
    return hasMoved;
  }
}

/** Files that refer to objects, which must therefore exist. */
const needsObjects: ReadonlySet<GitFile> = new Set(['ref', 'packed-refs', 'index']);

function removesObjects(change: Change, name: string, file: GitFile | undefined): boolean {
  if (file === 'object') return true;
  const isWhole = 'recursive' in change && change.recursive === true;
  return isWhole && (name === 'objects' || name.startsWith('objects/'));
}

/** Returns undefined for a conflict, and for an index that can't be parsed. */
async function mergeIndexes(
  base: Uint8Array,
  ours: Uint8Array,
  theirs: Uint8Array,
): Promise<Uint8Array | undefined> {
  try {
    const merged = await mergeIndex(base.length > 0 ? base : undefined, ours, theirs);
    return merged.type === 'clean' ? merged.bytes : undefined;
  } catch (error) {
    if (hasCode(error, 'invalid-input')) return undefined;
    throw error;
  }
}

const inGit = /^(?<repository>.*?\/\.git)\/(?:worktrees\/[^/]+\/)?(?<name>.+)$/u;
const objectName = /^objects\/(?:[\da-f]{2}\/[\da-f]{38}|pack\/pack-[\da-f]{40}\.\w+)$/u;
const latest: ReadonlySet<string> = new Set(['FETCH_HEAD', 'ORIG_HEAD', 'COMMIT_EDITMSG']);

function findGitPath(path: string): GitPath | undefined {
  if (!path.includes('/.git/')) return undefined;
  const { repository, name } = inGit.exec(path)?.groups ?? {};
  if (repository === undefined || name === undefined) return undefined;
  return { repository, name, file: toGitFile(name) };
}

function toGitFile(name: string): GitFile | undefined {
  if (name === 'index' || name === 'packed-refs' || name === 'shallow') return name;
  if (name === 'HEAD' || name.startsWith('refs/')) return 'ref';
  if (name.startsWith('logs/')) return 'log';
  if (latest.has(name)) return 'latest';
  return objectName.test(name) ? 'object' : undefined;
}
