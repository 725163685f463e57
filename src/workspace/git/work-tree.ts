// Compares files with the index: finds changed and untracked ones. The blob id of a content is
// cached permanently, because contents never change. So a realm hashes each content once.
import { sessionsDirectory } from '../../core/session/session-path.ts';
import {
  type DirectoryNode,
  type FileContent,
  type FileNode,
  type TreeNode,
} from '../tree/tree.ts';
import { compareNames } from '../tree/path-order.ts';
import { IgnoreRules, type IgnoreFileKind } from '../files/ignore-rules.ts';
import type { Oid } from './git.ts';
import type { IndexEntry } from './index-file.ts';
import { treeModes } from './object-codec.ts';
import { hashObject, toOid } from './objects/oid.ts';
import { absolutePath, nodeIn, readContents, type Repository } from './repository.ts';
import { modeOf, type Staged } from './staged.ts';

/** How a tracked file differs from the index: modified, another type, or deleted. */
export type WorkTreeChange = 'M' | 'T' | 'D';

export interface WorkTreeScan {
  /** Ordered by path. */
  readonly changed: ReadonlyMap<string, WorkTreeChange>;
  /** Ordered by path. A directory ends in a slash. */
  readonly untracked: readonly string[];
  readonly ignored: readonly string[];
}

export interface ScanOptions {
  /**
   * `directories` lists a directory without tracked files as one entry, as `git status` does.
   * `files` lists each file. A nested repository is always one entry.
   */
  readonly untracked: 'none' | 'directories' | 'files';
  /** Also lists ignored paths. @defaultValue false */
  readonly ignored?: boolean;
  /** Only these paths of the work tree. @defaultValue all */
  readonly matches?: (path: string) => boolean;
}

// 8 MB at a time: read bytes are dropped before the next batch.
const batchBytes = 8_388_608;

/** A file whose content wasn't hashed yet. */
interface Unhashed {
  readonly entry: IndexEntry;
  readonly node: FileNode;
}

/**
 * Compares the work tree with the index. A tracked path that the view's rules hide counts as
 * unchanged. An untracked one isn't listed.
 */
export async function scanWorkTree(
  repository: Repository,
  staged: Staged,
  options: ScanOptions,
): Promise<WorkTreeScan> {
  const scan = new Scan(repository, staged, options);
  const root = nodeIn(repository, repository.root);
  if (root?.kind === 'directory') scan.visit('', root, undefined);
  await scan.hash();
  scan.findDeleted();
  const sorted = [...scan.changed].sort(([left], [right]) => compareNames(left, right));
  return {
    changed: new Map(sorted),
    untracked: scan.untracked.sort(compareNames),
    ignored: scan.ignored.sort(compareNames),
  };
}

class Scan {
  readonly changed = new Map<string, WorkTreeChange>();
  readonly untracked: string[] = [];
  readonly ignored: string[] = [];
  readonly #repository: Repository;
  readonly #staged: Staged;
  readonly #options: ScanOptions;
  readonly #seen = new Set<IndexEntry>();
  readonly #unhashed: Unhashed[] = [];

  constructor(repository: Repository, staged: Staged, options: ScanOptions) {
    this.#repository = repository;
    this.#staged = staged;
    this.#options = options;
  }

  /** Visits a directory with tracked files, or the root. */
  visit(path: string, directory: DirectoryNode, outside: IgnoredIn | undefined): void {
    const { gate } = this.#repository;
    const rules = new IgnoredIn(this.#repository, path, directory, outside);
    directory.entries.forEach((name, node) => {
      if (name === '.git') return;
      const own = path === '' ? name : `${path}/${name}`;
      // The files of sessions aren't part of the workspace.
      if (absolutePath(this.#repository, own) === sessionsDirectory) return;
      if (!gate.isUniform && isHidden(this.#repository, own, node)) return;
      if (node.kind === 'directory') {
        if (this.#staged.directories.has(own)) this.visit(own, node, rules);
        else if (this.#staged.paths.get(own)?.mode === treeModes.submodule) this.#see(own);
        else this.#visitUntracked(own, node, rules);
        return;
      }
      const entry = this.#staged.paths.get(own);
      if (entry) {
        this.#seen.add(entry);
        // A person has told git to ignore changes of these files.
        if (!entry.isAssumedValid && !entry.skipsWorktree) this.#compare(entry, node);
      } else if (!this.#staged.conflicts.has(own)) this.#visitUntracked(own, node, rules);
    });
  }

  #see(path: string): void {
    const entry = this.#staged.paths.get(path);
    if (entry) this.#seen.add(entry);
  }

  #compare(entry: IndexEntry, node: Exclude<TreeNode, DirectoryNode>): void {
    const { matches } = this.#options;
    if (matches && !matches(entry.path)) return;
    const change = compareWithEntry(this.#repository, entry, node);
    if (change === 'unknown') {
      if (node.kind === 'file') this.#unhashed.push({ entry, node });
    } else if (change !== null) this.changed.set(entry.path, change);
  }

  #visitUntracked(path: string, node: TreeNode, rules: IgnoredIn): void {
    const { untracked, ignored, matches } = this.#options;
    if (untracked === 'none') return;
    const isDirectory = node.kind === 'directory';
    if (rules.isIgnored(path, isDirectory)) {
      if (ignored === true && (isDirectory || !matches || matches(path))) {
        this.ignored.push(isDirectory ? `${path}/` : path);
      }
      return;
    }
    if (!isDirectory) {
      if (!matches || matches(path)) this.untracked.push(path);
      return;
    }
    if (node.entries.get('.git') !== undefined) {
      if (!matches || matches(path)) this.untracked.push(`${path}/`);
      return;
    }
    const before = this.untracked.length;
    const inside = new IgnoredIn(this.#repository, path, node, rules);
    node.entries.forEach((name, child) => {
      const own = `${path}/${name}`;
      // One file is enough to show that the directory must be listed.
      if (untracked === 'directories' && ignored !== true && this.untracked.length > before) return;
      if (isHidden(this.#repository, own, child)) return;
      this.#visitUntracked(own, child, inside);
    });
    if (untracked === 'directories' && this.untracked.length > before) {
      this.untracked.length = before;
      this.untracked.push(`${path}/`);
    }
  }

  /** Reads and hashes unknown contents in batches. */
  async hash(): Promise<void> {
    const contents = this.#unhashed.map(({ node }) => node);
    await hashFiles(this.#repository, contents);
    for (const { entry, node } of this.#unhashed) {
      const change = compareWithEntry(this.#repository, entry, node);
      if (change !== null && change !== 'unknown') this.changed.set(entry.path, change);
    }
  }

  /** Finds tracked paths without a file. */
  findDeleted(): void {
    const { gate } = this.#repository;
    const { matches } = this.#options;
    if (this.#seen.size === this.#staged.paths.size) return;
    for (const entry of this.#staged.paths.values()) {
      if (this.#seen.has(entry) || entry.isAssumedValid || entry.skipsWorktree) continue;
      // A submodule that isn't checked out counts as unchanged.
      if (entry.mode === treeModes.submodule) continue;
      if (matches && !matches(entry.path)) continue;
      const path = absolutePath(this.#repository, entry.path);
      if (!gate.isUniform && !gate.mayRead(path)) continue;
      const node = nodeIn(this.#repository, path);
      this.changed.set(entry.path, node && node.kind !== 'directory' ? 'T' : 'D');
    }
  }
}

/** True if the view's rules hide the path. */
function isHidden(repository: Repository, path: string, node: TreeNode): boolean {
  const { gate } = repository;
  if (gate.isUniform) return false;
  const absolute = absolutePath(repository, path);
  return node.kind === 'directory' ? gate.isAbsent(absolute) : !gate.mayRead(absolute);
}

/** Returns the blob id of a node, or undefined if the file wasn't hashed yet. */
export function knownOid(
  { cache }: Pick<Repository, 'cache'>,
  node: Exclude<TreeNode, DirectoryNode>,
): Oid | undefined {
  if (node.kind === 'symlink') return toOid(hashObject('blob', encoder.encode(node.target)));
  return cache.oidOf(node.content);
}

const encoder = new TextEncoder();

function compareWithEntry(
  repository: Repository,
  entry: IndexEntry,
  node: Exclude<TreeNode, DirectoryNode>,
): WorkTreeChange | null | 'unknown' {
  const mode = modeOf(node);
  // The upper bits are the type.
  if (mode >> 12 !== entry.mode >> 12) return 'T';
  if (mode !== entry.mode) return 'M';
  const oid = knownOid(repository, node);
  if (oid !== undefined) return oid === entry.oid ? null : 'M';
  const size = node.kind === 'file' ? node.size % 2 ** 32 : 0;
  // A size of 0 means nothing, because git stores it for files that must be compared again.
  return entry.size !== 0 && entry.size !== size ? 'M' : 'unknown';
}

/** Reads and hashes those of these files that weren't hashed yet. */
export async function hashFiles(repository: Repository, nodes: readonly FileNode[]): Promise<void> {
  const { cache } = repository;
  const unknown = nodes.filter(({ content }) => cache.oidOf(content) === undefined);
  let batch: FileContent[] = [];
  let bytes = 0;
  let done = 0;
  const run = async (): Promise<void> => {
    repository.checkAborted();
    const read = await readContents(repository, batch);
    batch.forEach((content, at) => {
      cache.setOid(content, toOid(hashObject('blob', read[at] ?? new Uint8Array())));
    });
    done += batch.length;
    repository.progress({ phase: 'reading files', done, total: unknown.length });
    batch = [];
    bytes = 0;
    await letOthersRun();
  };
  for (const { content, size } of unknown) {
    batch.push(content);
    bytes += size;
    if (bytes >= batchBytes) await run();
  }
  if (batch.length > 0) await run();
}

/** Lets pending messages be handled, such as one that cancels the command. */
export function letOthersRun(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** The ignored paths of one directory. Its rules are read when it has untracked entries. */
class IgnoredIn {
  readonly #repository: Repository;
  readonly #path: string;
  readonly #directory: DirectoryNode;
  readonly #outside: IgnoredIn | undefined;
  #rules: IgnoreRules | undefined;
  #isIgnoredItself: boolean | undefined;

  constructor(
    repository: Repository,
    path: string,
    directory: DirectoryNode,
    outside: IgnoredIn | undefined,
  ) {
    this.#repository = repository;
    this.#path = path;
    this.#directory = directory;
    this.#outside = outside;
  }

  isIgnored(path: string, isDirectory: boolean): boolean {
    this.#isIgnoredItself ??= this.#outside?.isIgnored(this.#path, true) ?? false;
    if (this.#isIgnoredItself) return true;
    const verdict = this.#rulesInside().verdict(`/${path}`, isDirectory, doNothing);
    return verdict === 'ignored';
  }

  #rulesInside(): IgnoreRules {
    if (this.#rules) return this.#rules;
    const outside = this.#outside ? this.#outside.#rulesInside() : IgnoreRules.none;
    const texts = new Map<IgnoreFileKind, string>();
    const own = this.#directory.entries.get('.gitignore');
    const { gate, files, commonDirectory } = this.#repository;
    const name = this.#path === '' ? '.gitignore' : `${this.#path}/.gitignore`;
    const absolute = absolutePath(this.#repository, name);
    if (own?.kind === 'file' && gate.mayRead(absolute)) {
      texts.set('gitignore', files.sync.readFileSync(absolute, 'utf8'));
    }
    if (!this.#outside) {
      const exclude = `${commonDirectory}/info/exclude`;
      if (files.sync.existsSync(exclude)) {
        texts.set('exclude', files.sync.readFileSync(exclude, 'utf8'));
      }
    }
    // Starts at the work tree's root, so that rules outside of the repository don't apply.
    return (this.#rules = outside.enter(this.#path === '' ? '/' : `/${this.#path}`, texts, false));
  }
}

function doNothing(): void {}
