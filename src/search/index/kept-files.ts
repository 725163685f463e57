// The cached list of files below one directory: which exist, which ignore files exclude, and their
// order. Trees share unchanged nodes, so an update costs what changed, not a walk.
import { dirname } from '../../core/path.ts';
import { sessionsDirectory } from '../../core/session/session-path.ts';
import type { ContentSource } from '../../workspace/state/content-source.ts';
import type { AccessGate } from '../../workspace/files/access.ts';
import {
  enterIgnoreFiles,
  findIgnoreFiles,
  type IgnoreFiles,
} from '../../workspace/files/ignore-files.ts';
import { IgnoreRules } from '../../workspace/files/ignore-rules.ts';
import {
  childPath,
  nodeAt,
  sortedNames,
  type DirectoryNode,
  type FileNode,
} from '../../workspace/tree/tree.ts';
import type { ContentEntry, ContentIndex } from './content-index.ts';
import type { GlobSet } from '../../core/glob/search-glob.ts';
import { Pace } from './pace.ts';

/** A file to search, as it was when the list was made. */
export interface SearchFile {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  /** False: a person must be asked before this call may read it. */
  readonly isReadable: boolean;
  readonly entry: ContentEntry;
}

/** What a list is made from: one tree, and the part of it that a call may see. */
export interface FileSource {
  readonly root: DirectoryNode;
  readonly gate: AccessGate;
  readonly contents: ContentSource;
  readonly index: ContentIndex;
}

/** Files in one order, with the facts that a search needs of each. */
export class FileOrder {
  readonly files: readonly SearchFile[];
  /** The index rows of their contents. */
  readonly rows: Int32Array;
  /** In bytes. `Infinity` for files that the call may not read. */
  readonly readableSizes: Float64Array;

  constructor(files: readonly SearchFile[]) {
    this.files = files;
    this.rows = Int32Array.from(files, ({ entry }) => entry.row);
    this.readableSizes = Float64Array.from(files, ({ isReadable, size }) =>
      isReadable ? size : Infinity,
    );
  }

  /** The files from place `from` to before `to`. */
  slice(from: number, to: number): FileOrder {
    return new FileOrder(this.files.slice(from, to));
  }
}

/** Files in two orders, each created on first use. */
export class FileList {
  readonly #files: readonly SearchFile[];
  #byPath: FileOrder | undefined;
  #newestFirst: FileOrder | undefined;

  /** In the order of their paths. */
  constructor(files: readonly SearchFile[]) {
    this.#files = files;
  }

  get size(): number {
    return this.#files.length;
  }

  get byPath(): FileOrder {
    this.#byPath ??= new FileOrder(this.#files);
    return this.#byPath;
  }

  /** Newest first. Files that changed at the same moment are sorted by path. */
  get newestFirst(): FileOrder {
    this.#newestFirst ??= new FileOrder(
      this.#files.toSorted((left, right) => right.mtimeMs - left.mtimeMs),
    );
    return this.#newestFirst;
  }
}

interface ListedFile {
  readonly node: FileNode;
  readonly file: SearchFile;
  readonly isIgnored: boolean;
}

interface ListedDirectory {
  readonly path: string;
  readonly node: DirectoryNode;
  readonly isIgnored: boolean;
  /** Undefined below an ignored directory, until a glob asks for it. */
  inner: Listing | undefined;
}

/** A directory's ignore rules. */
interface Entered {
  readonly path: string;
  readonly rulesOutside: IgnoreRules;
  /** The files from which `rules` were made. While they are the same, the rules are, too. */
  readonly ignoreFiles: IgnoreFiles;
  readonly rules: IgnoreRules;
}

/**
 * One directory with everything below it. Changed parts are rebuilt; the rest is shared with the
 * old one.
 */
interface Listing extends Entered {
  readonly node: DirectoryNode;
  /** Files and directories, names in order. */
  readonly children: ReadonlyMap<string, ListedFile | ListedDirectory>;
}

/** Which of a directory's files a search wants. */
export interface FileChoice {
  /** The name of the choice. The same name gives the same list again while nothing changes. */
  readonly key: string;
  /** A glob that selects a file overrides ignore rules. */
  readonly globs: GlobSet;
  accepts(path: string): boolean;
}

/** The cached lists of one listing. They are valid as long as the listing. */
interface KeptLists {
  readonly listing: Listing;
  readonly lists: Map<string, FileList>;
}

// 8: a model often searches with the same few globs.
const maxLists = 8;

/** The kept list of one directory, for one set of access rules. */
export class KeptFiles {
  readonly #directory: string;
  #kept: KeptLists | undefined;
  #above: readonly Entered[] = [];

  /** Absolute, real and normal. The directory is entered even if a rule ignores it. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * The present files of the source below the directory, without those that ignore files leave out.
   * With a choice, the chosen files. The directory must be there. Throws as `pace` does.
   */
  async files(source: FileSource, choice?: FileChoice, pace = new Pace()): Promise<FileList> {
    const kept = await this.#update(source, pace);
    const key = choice?.key ?? '';
    const known = kept.lists.get(key);
    if (known) return known;
    const files: SearchFile[] = [];
    if (choice) await collectChosen({ source, pace, choice, files }, kept.listing);
    else await collect({ pace, files }, kept.listing);
    const made = new FileList(files);
    kept.lists.set(key, made);
    const [oldest] = kept.lists.keys();
    if (kept.lists.size > maxLists && oldest !== undefined) kept.lists.delete(oldest);
    return made;
  }

  /** Concurrent updates by other calls create separate lists. */
  async #update(source: FileSource, pace: Pace): Promise<KeptLists> {
    const node = nodeAt(source.root, this.#directory);
    if (node?.kind !== 'directory') throw new TypeError(`No directory at ${this.#directory}.`);
    const before = this.#kept;
    const rulesOutside = await this.#rulesAbove(source);
    const path = this.#directory;
    const entering = { before: before?.listing, path, node, rulesOutside };
    const listing = await list(source, entering, pace);
    if (before && listing === before.listing) return before;
    this.#kept = { listing, lists: new Map() };
    return this.#kept;
  }

  /**
   * The rules of the directories above, which are few. They are made again only when one of their
   * files changed.
   */
  async #rulesAbove(source: FileSource): Promise<IgnoreRules> {
    const paths: string[] = [];
    for (let at = this.#directory; at !== '/'; at = dirname(at)) paths.unshift(dirname(at));
    const above: Entered[] = [];
    let rules = IgnoreRules.none;
    for (const [at, path] of paths.entries()) {
      const node = nodeAt(source.root, path);
      if (node?.kind !== 'directory') continue;
      const made = await enter(source, {
        before: this.#above[at],
        path,
        node,
        rulesOutside: rules,
      });
      above.push(made);
      rules = made.rules;
    }
    this.#above = above;
    return rules;
  }
}

interface Entering<Before> {
  readonly before: Before | undefined;
  readonly path: string;
  readonly node: DirectoryNode;
  readonly rulesOutside: IgnoreRules;
}

/**
 * The rules inside a directory. The earlier ones stay as long as their ignore files are the same.
 */
async function enter(
  { contents, gate }: FileSource,
  { before, path, node, rulesOutside }: Entering<Entered>,
): Promise<Entered> {
  const ignoreFiles = findIgnoreFiles(gate, path, node);
  const isSame =
    before?.rulesOutside === rulesOutside &&
    before.ignoreFiles.isRepository === ignoreFiles.isRepository &&
    before.ignoreFiles.contents.every((content, at) => content === ignoreFiles.contents[at]);
  if (isSame) return before;
  const rules = await enterIgnoreFiles(contents, path, ignoreFiles, rulesOutside);
  return { path, rulesOutside, ignoreFiles, rules };
}

async function list(source: FileSource, entering: Entering<Listing>, pace: Pace): Promise<Listing> {
  const { before, path, node, rulesOutside } = entering;
  if (before?.node === node && before.rulesOutside === rulesOutside) return before;
  const entered = await enter(source, entering);
  const haveSameRules = before?.rules === entered.rules;
  const children = new Map<string, ListedFile | ListedDirectory>();
  for (const name of sortedNames(node)) {
    const resting = pace.step();
    if (resting) await resting;
    // `.git` is a directory, or a file in a worktree: never the user's own content.
    if (name === '.git') continue;
    const child = node.entries.get(name);
    if (!child || child.kind === 'symlink') continue;
    const old = before?.children.get(name);
    if (haveSameRules && old?.node === child) {
      children.set(name, old);
      continue;
    }
    const childPathName = childPath(path, name);
    // The sessions' own files aren't part of the workspace. Only a search that names their directory includes them.
    if (childPathName === sessionsDirectory) continue;
    if (source.gate.isAbsent(childPathName)) continue;
    const isDirectory = child.kind === 'directory';
    const { rules } = entered;
    const isIgnored = rules.verdict(childPathName, isDirectory, pace.checkTime) === 'ignored';
    if (child.kind === 'file') {
      children.set(name, { node: child, file: toFile(source, childPathName, child), isIgnored });
      continue;
    }
    const childEntering = {
      before: old && 'inner' in old ? old.inner : undefined,
      path: childPathName,
      node: child,
      rulesOutside: rules,
    };
    const inner = isIgnored ? undefined : await list(source, childEntering, pace);
    children.set(name, { path: childPathName, node: child, isIgnored, inner });
  }
  return { ...entered, node, children };
}

function toFile({ gate, index }: FileSource, path: string, node: FileNode): SearchFile {
  return {
    path,
    size: node.size,
    mtimeMs: node.mtimeMs,
    isReadable: gate.mayRead(path),
    entry: index.entryOf(node.content),
  };
}

// The directories of other version control systems' data. `.git` is in no list at all.
const versionControl: ReadonlySet<string> = new Set(['.svn', '.hg', '.bzr', '.jj', '.sl']);

interface Collecting {
  readonly pace: Pace;
  readonly files: SearchFile[];
}

async function collect(collecting: Collecting, listing: Listing): Promise<void> {
  const { pace, files } = collecting;
  for (const [name, child] of listing.children) {
    const resting = pace.step();
    if (resting) await resting;
    if (versionControl.has(name)) continue;
    if ('file' in child) {
      if (!child.isIgnored) files.push(child.file);
    } else if (!child.isIgnored && child.inner) await collect(collecting, child.inner);
  }
}

interface Choosing extends Collecting {
  readonly source: FileSource;
  readonly choice: FileChoice;
}

async function collectChosen(choosing: Choosing, listing: Listing): Promise<void> {
  const { source, pace, choice, files } = choosing;
  for (const [name, child] of listing.children) {
    const resting = pace.step();
    if (resting) await resting;
    const isDirectory = !('file' in child);
    const path = isDirectory ? child.path : child.file.path;
    const asked = choice.globs.verdict(path, isDirectory, pace.checkTime);
    const isLeftOut = child.isIgnored || versionControl.has(name);
    if (asked === 'excluded' || (asked === 'none' && isLeftOut)) continue;
    if (!isDirectory) {
      if (choice.accepts(path)) files.push(child.file);
      continue;
    }
    if (!child.inner) {
      const entering = { before: undefined, path, node: child.node, rulesOutside: listing.rules };
      child.inner = await list(source, entering, pace);
    }
    await collectChosen(choosing, child.inner);
  }
}
