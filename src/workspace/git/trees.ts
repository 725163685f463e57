// Trees of commits: reading them through the cache, listing and comparing them, and making them of the
// index. Two trees of one id hold the same, so only what differs is ever looked at.
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

/** What a path is in two trees; null for nothing. Never both null. */
export interface EntryPair {
  readonly path: string;
  readonly before: GitTreeEntry | null;
  readonly after: GitTreeEntry | null;
}

type TreeSource = Pick<Repository, 'cache' | 'objects'>;

/** The tree of a commit before the first: it is known without being written. */
export const emptyTree: Oid = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

// A million: ten times as much as Linux has, and more than a tab can hold.
const maxTreeEntries = 1_000_000;

/**
 * Security: a few trees that name each other many times stand for more files than any machine has.
 *
 * @throws SdkError `limit-exceeded`, from the function that is to be called for each file and directory, by where it stands
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

/** A tree's own entries, in git's order. */
function readTree({ cache, objects }: TreeSource, oid: Oid): readonly TreeEntry[] {
  if (oid === emptyTree) return [];
  const known = cache.tree(oid);
  if (known) return known;
  const entries = parseTree(objects.readAs(oid, 'tree'));
  cache.setTree(oid, entries);
  return entries;
}

/** All that a tree holds, in the order of the index. @throws SdkError `limit-exceeded` */
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

/** What stands at a path of a tree: a directory, too. The empty path is the tree itself. */
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

/** Every path that isn't the same in both trees, in the order of the paths. @throws SdkError `limit-exceeded` */
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
 * Writes the trees of an index and returns the outermost one's id. The entries are in the index's
 * order: those of one directory stand together. `last` is a tree that is in the store: directories that
 * it has just so aren't written again.
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
