// Trees of commits: reads them through the cache, lists and compares them, and writes them from the
// index. Trees with equal ids are equal, so only differences are read.
import { SdkError } from '../../core/errors.ts';
import { byteLengthExceeds, maxPathBytes } from '../files/file-limits.ts';
import { compareNames } from '../tree/path-order.ts';
import type { GitTreeEntry, Oid } from './git.ts';
import { parseTree, serializeTree, treeModes, type TreeEntry } from './object-codec.ts';
import type { Repository } from './repository.ts';

/** A file, link or submodule by its path from the work tree's root. */
export interface FlatEntry extends GitTreeEntry {
  readonly path: string;
}

/** A path's entries in two trees; null if missing. Never both null. */
export interface EntryPair {
  readonly path: string;
  readonly before: GitTreeEntry | null;
  readonly after: GitTreeEntry | null;
}

type TreeSource = Pick<Repository, 'cache' | 'objects'>;

/** The empty tree, used before the first commit. It is known without being written. */
export const emptyTree: Oid = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

// 1 000 000: ten times as many as in Linux, and more than a tab can hold.
const maxTreeEntries = 1_000_000;

/**
 * Creates a counter that limits expanded trees. Security: a few trees that contain each other many
 * times can stand for more files than any machine has.
 *
 * @throws SdkError `limit-exceeded` from the returned function, which must be called for each file
 * and directory with its location
 */
function createTreeMeter(): (directory: string) => void {
  let count = 0;
  return (directory) => {
    count += 1;
    const why =
      count > maxTreeEntries
        ? `more than ${maxTreeEntries} files and directories`
        : byteLengthExceeds(directory, maxPathBytes)
          ? `a path that is longer than ${maxPathBytes} bytes`
          : undefined;
    if (why === undefined) return;
    throw new SdkError(
      'limit-exceeded',
      `A commit of the repository has ${why}, which is too much here. Nothing was changed. Use git on another machine.`,
      { data: { maxTreeEntries, maxPathBytes } },
    );
  };
}

/** Returns a tree's own entries in git's order. */
function readTree({ cache, objects }: TreeSource, oid: Oid): readonly TreeEntry[] {
  if (oid === emptyTree) return [];
  const known = cache.tree(oid);
  if (known) return known;
  const entries = parseTree(objects.readAs(oid, 'tree'));
  cache.setTree(oid, entries);
  return entries;
}

/** Returns all files of a tree in the order of the index. @throws SdkError `limit-exceeded` */
export function flattenTree(source: TreeSource, oid: Oid): FlatEntry[] {
  const found: FlatEntry[] = [];
  const count = createTreeMeter();
  const visit = (tree: Oid, prefix: string): void => {
    for (const { name, mode, oid: child } of readTree(source, tree)) {
      count(prefix);
      if (mode === treeModes.directory) visit(child, `${prefix}${name}/`);
      else found.push({ path: prefix + name, mode, oid: child });
    }
  };
  visit(oid, '');
  return found;
}

/**
 * Returns the entry at a path of a tree, which may be a directory. The empty path is the tree
 * itself.
 */
export function entryAt(source: TreeSource, tree: Oid, path: string): GitTreeEntry | undefined {
  let at: GitTreeEntry = { mode: treeModes.directory, oid: tree };
  if (path === '') return at;
  for (const name of path.split('/')) {
    if (at.mode !== treeModes.directory) return undefined;
    const found = readTree(source, at.oid).find((entry) => entry.name === name);
    if (!found) return undefined;
    at = found;
  }
  return { mode: at.mode, oid: at.oid };
}

/**
 * Returns every path that differs between two trees, in order. @throws SdkError `limit-exceeded`
 */
export function diffTreeOids(source: TreeSource, before: Oid, after: Oid): EntryPair[] {
  const pairs: EntryPair[] = [];
  const count = createTreeMeter();
  const visit = (old: Oid, fresh: Oid, prefix: string): void => {
    if (old === fresh) return;
    const left = new Map(readTree(source, old).map((entry) => [entry.name, entry]));
    const right = new Map(readTree(source, fresh).map((entry) => [entry.name, entry]));
    for (const name of new Set([...left.keys(), ...right.keys()])) {
      const [one, other] = [left.get(name), right.get(name)];
      if (one && other && one.oid === other.oid && one.mode === other.mode) continue;
      const path = prefix + name;
      count(prefix);
      const leaves = { path, before: leafOf(one), after: leafOf(other) };
      if (leaves.before || leaves.after) pairs.push(leaves);
      const [oldTree, freshTree] = [treeOf(one), treeOf(other)];
      if (oldTree !== emptyTree || freshTree !== emptyTree) {
        visit(oldTree, freshTree, `${path}/`);
      }
    }
  };
  visit(before, after, '');
  return pairs.sort((left, right) => compareNames(left.path, right.path));
}

function leafOf(entry: TreeEntry | undefined): GitTreeEntry | null {
  if (!entry || entry.mode === treeModes.directory) return null;
  return { mode: entry.mode, oid: entry.oid };
}

function treeOf(entry: TreeEntry | undefined): Oid {
  return entry?.mode === treeModes.directory ? entry.oid : emptyTree;
}

/**
 * Writes the trees of an index and returns the top tree's id. Entries must be in the index's order,
 * in which those of a directory are adjacent. `last` is a tree in the store whose unchanged
 * directories aren't written again.
 */
export function writeTrees(source: TreeSource, entries: readonly FlatEntry[], last: Oid): Oid {
  let at = 0;
  const build = (prefix: string, before: Oid): Oid => {
    const old = readTree(source, before);
    const own: TreeEntry[] = [];
    let isSame = true;
    for (let entry = entries[at]; entry?.path.startsWith(prefix); entry = entries[at]) {
      const slash = entry.path.indexOf('/', prefix.length);
      const known = old[own.length];
      let next: TreeEntry;
      if (slash === -1) {
        next = { name: entry.path.slice(prefix.length), mode: entry.mode, oid: entry.oid };
        at += 1;
      } else {
        const name = entry.path.slice(prefix.length, slash);
        const same = known?.name === name ? known : old.find((its) => its.name === name);
        const oid = build(`${prefix}${name}/`, treeOf(same));
        next = { name, mode: treeModes.directory, oid };
      }
      isSame &&= known?.name === next.name && known.mode === next.mode && known.oid === next.oid;
      own.push(next);
    }
    return isSame && own.length === old.length && before !== emptyTree
      ? before
      : writeTree(source, own);
  };
  return build('', last);
}

function writeTree({ cache, objects }: TreeSource, entries: readonly TreeEntry[]): Oid {
  const oid = objects.write('tree', serializeTree(entries));
  cache.setTree(oid, entries);
  return oid;
}
