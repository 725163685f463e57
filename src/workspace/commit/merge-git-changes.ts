// What a commit means to a git repository that has moved on. The writer asks it before it plans a
// commit that changes something below a `.git`.
import type { Change, ChangeContent, ChangeSet } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import { dirname } from '../../core/path.ts';
import { isSameBytes } from '../../text/merge-file.ts';
import { mergeIndex } from '../git/merge-index.ts';
import { mergeLog, mergePackedRefs, mergeShallow, readPackedRefs } from '../git/merge-lists.ts';
import { isSameNode } from '../tree/same-node.ts';
import { nodeAt, subtreeVersion, versionAt } from '../tree/tree.ts';
import type { DirectoryNode, FileNode, TreeNode } from '../tree/tree.ts';
import { conflictError } from './conflict-error.ts';
import type { MergeOptions } from './merge-change-set.ts';

type WriteChange = Extract<Change, { readonly type: 'write' }>;

/** The kinds of files below a `.git` that are merged by their meaning. */
type GitFile =
  /** Named by its content: two with one name are one. */
  | 'object'
  /** A hint for a person. The newest counts. */
  | 'latest'
  | 'index'
  | 'log'
  | 'packed-refs'
  | 'ref'
  | 'shallow';

/** Where a path below a `.git` is, and what it is. */
interface GitPath {
  /** The repository's directory, which its work trees share. */
  readonly repository: string;
  /** From there, or from a work tree's own directory. */
  readonly name: string;
  readonly file: GitFile | undefined;
}

/** Does it change anything below a `.git`? */
export function changesGit({ changes }: ChangeSet): boolean {
  return changes.some(({ path }) => path.includes('/.git/'));
}

/**
 * The change set rebased onto `root`, as far as git's files go. Objects are joined. The index is
 * merged path by path, `packed-refs`, `shallow` and logs line by line. Refs stay as they are, so
 * that `planCommit` compares their versions. So does all that can't be merged.
 *
 * Where objects are removed their directory is marked as changed: so whoever has seen them before can be told.
 *
 * @throws SdkError `ECONFLICT` where a ref stands in one file here and was changed in another
 * there. Also where objects are removed from a repository that has moved on. Also where a ref
 * or the index is written that was made before objects were removed, as it may need them.
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

/** One change set on one root. */
class GitMerge {
  readonly #root: DirectoryNode;
  readonly #changeSet: ChangeSet;
  readonly #options: MergeOptions;
  readonly #paths: ReadonlySet<string>;
  readonly #removed: ReadonlySet<string>;
  /** Directories that were made again for an object. */
  readonly #made = new Set<string>();
  readonly #movedRepositories = new Map<string, boolean>();
  /** Repositories that objects are removed from. */
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

  /** None where the other side has done it already. */
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

  /** Paths that must not be changed by `change`, whatever their versions say. */
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
      // The ref may have been packed, and have been changed or deleted there.
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
    // The directory stays for what others have made in it meanwhile.
    let isEmptied = true;
    theirs.entries.forEach((name) => {
      if (!this.#removed.has(`${change.path}/${name}`)) isEmptied = false;
    });
    return isEmptied ? [{ ...change, baseVersion: theirs.version }] : [];
  }

  /** Security: what stands under an object's name stays, whatever the other side says that it holds. */
  async #rebaseObject(change: WriteChange, theirs: TreeNode | undefined): Promise<Change[]> {
    const { parentVersion: _parent, base: _base, ...rest } = change;
    if (theirs?.kind === 'file' && theirs.version !== change.baseVersion) {
      if (!change.path.includes('/objects/pack/')) return [];
      // A pack of the same objects may have been packed otherwise. Its index would fit no more.
      return (await this.#isSame(change.content, theirs)) ? [] : [change];
    }
    const made = theirs ? [] : this.#makeAbove(change);
    return [...made, { ...rest, baseVersion: theirs?.version ?? 0 }];
  }

  /** The directories that an object needs, where the other side has removed them. */
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

  /** Undefined for a conflict. */
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

  /** The file as the draft saw it; undefined where its bytes are gone by now. */
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
      const isGone =
        SdkError.isInstance(error) && ['ECONFLICT', 'invalid-input'].includes(error.code);
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
    const [bytes] = await this.#options.contents.readMany([contentId]);
    if (bytes) return bytes;
    throw new TypeError('A ContentSource answered with fewer contents than were asked for.');
  }

  /** Was the path made, changed or replaced since the draft was taken? It can't tell about a removal. */
  #hasMoved(path: string): boolean {
    const { base } = this.#options;
    const theirs = nodeAt(this.#root, path);
    if (!base) return versionAt(this.#root, path) > this.#changeSet.baseSeq;
    const before = nodeAt(base, path);
    return before ? !isSameNode(before, theirs) : theirs !== undefined;
  }

  /** A change of each directory of objects that some are removed from, which gives it this commit's version. */
  markStores(): Change[] {
    return [...this.#emptied].flatMap((repository) => {
      const path = `${repository}/objects`;
      const node = nodeAt(this.#root, path);
      if (node?.kind !== 'directory' || this.#paths.has(path)) return [];
      const { mode, mtimeMs, version } = node;
      return [{ type: 'mkdir', path, mode, mtimeMs, baseVersion: version }];
    });
  }

  /** Were objects removed since the draft was taken? See {@link GitMerge.markStores}. */
  #hasLostObjects(repository: string): boolean {
    const path = `${repository}/objects`;
    if (this.#paths.has(path)) return false;
    const theirs = nodeAt(this.#root, path);
    // A commit that adds to a store that is gone has seen it. One that adds nothing has no store, or names what is gone
    // for all.
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

/** The files that name objects which must be there. */
const needsObjects: ReadonlySet<GitFile> = new Set(['ref', 'packed-refs', 'index']);

function removesObjects(change: Change, name: string, file: GitFile | undefined): boolean {
  if (file === 'object') return true;
  const isWhole = 'recursive' in change && change.recursive === true;
  return isWhole && (name === 'objects' || name.startsWith('objects/'));
}

/** Undefined for a conflict, and for what is no index that is understood here. */
async function mergeIndexes(
  base: Uint8Array,
  ours: Uint8Array,
  theirs: Uint8Array,
): Promise<Uint8Array | undefined> {
  try {
    const merged = await mergeIndex(base.length > 0 ? base : undefined, ours, theirs);
    return merged.type === 'clean' ? merged.bytes : undefined;
  } catch (error) {
    if (SdkError.isInstance(error) && error.code === 'invalid-input') return undefined;
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
