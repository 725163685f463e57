// The index as commands use it: parsed once for each content, changed as a whole, and written back.
// Its stat fields are those of the draft's files.
import { nodeAt, type FileNode, type SymlinkNode } from '../tree/tree.ts';
import type { Oid } from './git.ts';
import { readIndex, writeIndex, type IndexEntry } from './index-file.ts';
import { treeModes } from './object-codec.ts';
import type { Repository } from './repository.ts';
import type { FlatEntry } from './trees.ts';

/** A parsed index. Immutable: a command that changes it creates another. */
export class Staged {
  /** In git's order. */
  readonly entries: readonly IndexEntry[];
  #paths: ReadonlyMap<string, IndexEntry> | undefined;
  #directories: ReadonlySet<string> | undefined;
  #conflicts: ReadonlyMap<string, readonly IndexEntry[]> | undefined;

  constructor(entries: readonly IndexEntry[]) {
    this.entries = entries;
  }

  /** The staged entry of each path, without paths in conflict. */
  get paths(): ReadonlyMap<string, IndexEntry> {
    return (this.#paths ??= new Map(
      this.entries.filter(({ stage }) => stage === 0).map((entry) => [entry.path, entry]),
    ));
  }

  /** The paths in conflict with their stages. */
  get conflicts(): ReadonlyMap<string, readonly IndexEntry[]> {
    if (this.#conflicts) return this.#conflicts;
    const conflicts = new Map<string, IndexEntry[]>();
    for (const entry of this.entries) {
      if (entry.stage === 0) continue;
      const stages = conflicts.get(entry.path);
      if (stages) stages.push(entry);
      else conflicts.set(entry.path, [entry]);
    }
    return (this.#conflicts = conflicts);
  }

  /** Every directory that contains tracked files, without the root. */
  get directories(): ReadonlySet<string> {
    if (this.#directories) return this.#directories;
    const directories = new Set<string>();
    let last = '';
    for (const { path } of this.entries) {
      for (let at = path.lastIndexOf('/'); at !== -1; at = path.lastIndexOf('/', at - 1)) {
        const directory = path.slice(0, at);
        if (directory === last || directories.has(directory)) break;
        directories.add(directory);
      }
      last = path.slice(0, Math.max(path.lastIndexOf('/'), 0));
    }
    return (this.#directories = directories);
  }

  /** True if the path is tracked as a file, or as a directory with tracked files. */
  has(path: string): boolean {
    return this.paths.has(path) || this.conflicts.has(path) || this.directories.has(path);
  }

  /** Returns an index with these entries replaced. An empty list removes a path. */
  with(changes: ReadonlyMap<string, readonly IndexEntry[]>): Staged {
    if (changes.size === 0) return this;
    const fresh = [...changes.values()].flat().sort(compareStaged);
    const merged: IndexEntry[] = [];
    let at = 0;
    for (const entry of this.entries) {
      if (changes.has(entry.path)) continue;
      for (let next = fresh[at]; next && compareStaged(next, entry) < 0; next = fresh[at]) {
        merged.push(next);
        at += 1;
      }
      merged.push(entry);
    }
    for (; at < fresh.length; at += 1) {
      const next = fresh[at];
      if (next) merged.push(next);
    }
    return new Staged(merged);
  }
}

const collator = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);

/**
 * Git's order for paths without surrogates. When the index is written, paths are compared by bytes.
 */
function compareStaged(left: IndexEntry, right: IndexEntry): number {
  return collator(left.path, right.path) || left.stage - right.stage;
}

const none = new Staged([]);

/** Reads the work tree's index. Empty before the first `add`. */
export function readStaged(repository: Repository): Staged {
  const { draft, files, cache } = repository;
  const path = `${repository.gitDirectory}/index`;
  const node = nodeAt(draft.root, path);
  if (node?.kind !== 'file') return none;
  const known = cache.parsed(node.content);
  if (known instanceof Staged) return known;
  const bytes = files.sync.viewFileSync(path);
  const staged = cache.indexOf(bytes) ?? new Staged(readIndex(bytes));
  cache.setParsed(node.content, staged);
  cache.rememberIndex(bytes, staged);
  return staged;
}

/** False before the first `add`, and if the index was removed. */
export function hasIndex({ draft, gitDirectory }: Repository): boolean {
  return nodeAt(draft.root, `${gitDirectory}/index`) !== undefined;
}

/** Writes the index unless it is unchanged. */
export async function writeStaged(repository: Repository, staged: Staged): Promise<void> {
  const { draft, files, cache } = repository;
  const path = `${repository.gitDirectory}/index`;
  const before = nodeAt(draft.root, path);
  if (before?.kind === 'file' && cache.parsed(before.content) === staged) return;
  const bytes = await writeIndex(staged.entries);
  files.sync.writeFileSync(path, bytes);
  const node = nodeAt(draft.root, path);
  if (node?.kind === 'file') cache.setParsed(node.content, staged);
  cache.rememberIndex(bytes, staged);
}

/**
 * Returns git's mode of a node. Of the permissions, git only stores whether the owner may execute
 * the file.
 */
export function modeOf(node: FileNode | SymlinkNode): number {
  if (node.kind === 'symlink') return treeModes.symlink;
  return (node.mode & 0o100) === 0 ? treeModes.file : treeModes.executable;
}

/** Returns an index entry for a file of the work tree, with its stat fields. */
export function toStagedEntry(path: string, oid: Oid, node: FileNode | SymlinkNode): IndexEntry {
  const size = node.kind === 'file' ? node.size : encoder.encode(node.target).length;
  return {
    ...plainEntry({ path, oid, mode: modeOf(node) }),
    ...timesOf(node.mtimeMs),
    dev: 1,
    size: size % 2 ** 32,
  };
}

/** Returns an entry without stat fields, so that git compares the file itself. */
export function plainEntry({ path, oid, mode }: FlatEntry, stage = 0): IndexEntry {
  return {
    path,
    name: encoder.encode(path),
    stage,
    mode,
    oid,
    isAssumedValid: false,
    skipsWorktree: false,
    isIntentToAdd: false,
    ctimeSeconds: 0,
    ctimeNanoseconds: 0,
    mtimeSeconds: 0,
    mtimeNanoseconds: 0,
    dev: 0,
    ino: 0,
    uid: 0,
    gid: 0,
    size: 0,
  };
}

const encoder = new TextEncoder();

/** All times that `lstat` returns are that of the last change. */
function timesOf(mtimeMs: number) {
  const seconds = Math.floor(mtimeMs / 1000) % 2 ** 32;
  const nanoseconds = Math.floor((mtimeMs % 1000) * 1e6);
  return {
    ctimeSeconds: seconds,
    ctimeNanoseconds: nanoseconds,
    mtimeSeconds: seconds,
    mtimeNanoseconds: nanoseconds,
  };
}
