// Brings the work tree and the index from one state to another: for switch, reset, restore, merges
// and stashes. Everything is checked before anything is written, so a refusal changes nothing.
import { SdkError } from '../../core/errors.ts';
import { dirname } from '../../core/path.ts';
import { TreeEditor } from '../tree/tree-editor.ts';
import { PersistentMap } from '../tree/persistent-map.ts';
import {
  defaultDirectoryMode,
  defaultFileMode,
  type FileNode,
  type SymlinkNode,
  type TreeNode,
} from '../tree/tree.ts';
import { mayShow } from './difference.ts';
import type { GitTreeEntry, Oid } from './git.ts';
import type { IndexEntry } from './index-file.ts';
import { treeModes } from './object-codec.ts';
import { checkSpellings, checkTreePath } from './path-names.ts';
import { absolutePath, nodeIn, type Repository } from './repository.ts';
import { modeOf, plainEntry, toStagedEntry, type Staged } from './staged.ts';
import type { EntryPair } from './trees.ts';
import { hashFiles, knownOid, letOthersRun } from './work-tree.ts';

export interface CheckoutOptions {
  /**
   * Files that may be overwritten although their content differs from `before`: all, or these.
   * @defaultValue none: the checkout is refused
   */
  readonly overwrites?: true | ReadonlySet<string>;
  /** The name of the command in a refusal: `switch`, `merge`. */
  readonly command: string;
  /** What a refusal tells the user to do. @defaultValue to commit or stash the files */
  readonly advice?: string;
}

// 500: about 20 ms between two checks of the signal.
const filesAtOnce = 500;

/**
 * Changes the file and the index entry of each path to the state `after`. If the view may not read
 * a path's file, the file stays, but the entry still changes, because the commit has it.
 *
 * @throws SdkError `bad-usage` with `data.paths` if a file would be overwritten whose content git
 * doesn't have. `permission-denied` for names that can't be written. `EACCES` for a path that a
 * rule protects from writing.
 */
export async function checkout(
  repository: Repository,
  staged: Staged,
  changes: readonly EntryPair[],
  options: CheckoutOptions,
): Promise<Staged> {
  checkNames(staged, changes);
  const seen = changes.filter(({ path }) => mayShow(repository, path));
  if (options.overwrites !== true) await refuseLosses(repository, staged, seen, options);
  checkRights(repository, seen);
  const editor = new TreeEditor(repository.draft.root);
  const entries = new Map<string, readonly IndexEntry[]>();
  removeFiles(repository, editor, seen);
  const written = await writeFiles(repository, editor, seen);
  repository.draft.reset(editor.root);
  for (const { path, after } of changes) {
    if (!after) entries.set(path, []);
    else {
      const node = written.get(path);
      const flat = { path, ...after };
      entries.set(path, [node ? toStagedEntry(path, after.oid, node) : plainEntry(flat)]);
    }
  }
  return staged.with(entries);
}

function checkNames(staged: Staged, changes: readonly EntryPair[]): void {
  const fresh = changes.filter(({ after }) => after !== null);
  for (const { path } of fresh) checkTreePath(path);
  // Only new paths can be another spelling of an existing one.
  const added = fresh.filter(({ path }) => !staged.paths.has(path));
  if (added.length === 0) return;
  const removed = new Set(changes.filter(({ after }) => !after).map(({ path }) => path));
  const kept = [...staged.paths.keys()].filter((path) => !removed.has(path));
  checkSpellings([...kept, ...added.map(({ path }) => path)]);
}

/** Refuses if files have content that neither side has, or if untracked files are in the way. */
async function refuseLosses(
  repository: Repository,
  staged: Staged,
  changes: readonly EntryPair[],
  { overwrites, command, advice = 'Commit or stash them first.' }: CheckoutOptions,
): Promise<void> {
  const nodes = changes.map(({ path }) => nodeIn(repository, absolutePath(repository, path)));
  await hashFiles(
    repository,
    nodes.filter((node) => node?.kind === 'file'),
  );
  const going = new Set(changes.filter(({ after }) => !after).map(({ path }) => path));
  const lost = changes.filter(({ path, before, after }, at) => {
    if (overwrites !== true && overwrites?.has(path) === true) return false;
    const node = nodes[at];
    const own = staged.paths.get(path);
    const isStagedElsewhere = own ? !isSame(own, before) && !isSame(own, after) : before !== null;
    // The deletion of a file that is removed anyway was staged, so nothing is lost.
    if (isStagedElsewhere && (own || node || after)) return true;
    if (!node) return after !== null && fileAbove(repository, path, going) !== undefined;
    if (node.kind === 'directory') {
      return (
        after !== null && after.mode !== treeModes.submodule && holdsMore(repository, path, going)
      );
    }
    const current = { mode: modeOf(node), oid: knownOid(repository, node) ?? '' };
    return !isSame(current, before) && !isSame(current, after);
  });
  if (lost.length === 0) return;
  const paths = lost.map(({ path }) => path);
  throw new SdkError(
    'bad-usage',
    `This ${command} would overwrite changes that aren't committed: ${paths.slice(0, 5).join(', ')}${paths.length > 5 ? ` and ${paths.length - 5} more` : ''}. ${advice}`,
    { data: { paths } },
  );
}

/** Returns a file that stays where the path needs a directory. */
function fileAbove(
  repository: Repository,
  path: string,
  going: ReadonlySet<string>,
): string | undefined {
  for (let at = path.lastIndexOf('/'); at !== -1; at = path.lastIndexOf('/', at - 1)) {
    const directory = path.slice(0, at);
    const node = nodeIn(repository, absolutePath(repository, directory));
    if (node && node.kind !== 'directory' && !going.has(directory)) return directory;
  }
  return undefined;
}

/** True if the directory contains a file that isn't removed. */
function holdsMore(repository: Repository, path: string, going: ReadonlySet<string>): boolean {
  const node = nodeIn(repository, absolutePath(repository, path));
  if (node?.kind !== 'directory') return node !== undefined && !going.has(path);
  let more = false;
  node.entries.forEach((name) => {
    more ||= holdsMore(repository, `${path}/${name}`, going);
  });
  return more;
}

export function isSame(
  left: GitTreeEntry | null | undefined,
  right: GitTreeEntry | null | undefined,
): boolean {
  if (!left || !right) return !left && !right;
  return left.oid === right.oid && left.mode === right.mode;
}

function checkRights(repository: Repository, changes: readonly EntryPair[]): void {
  for (const { path } of changes) {
    const absolute = absolutePath(repository, path);
    repository.gate.requireWrite(absolute, { syscall: 'open', path: absolute });
  }
}

function removeFiles(
  repository: Repository,
  editor: TreeEditor,
  changes: readonly EntryPair[],
): void {
  // Last path first, so that entries are handled before their directories.
  for (const { path, before, after } of changes.toReversed()) {
    if (after) continue;
    const absolute = absolutePath(repository, path);
    const node = editor.get(absolute);
    if (!node || node.kind === 'directory' || before?.mode === treeModes.submodule) continue;
    editor.put(absolute, undefined);
    for (let at = dirname(absolute); at !== repository.root; at = dirname(at)) {
      const parent = editor.get(at);
      if (parent?.kind !== 'directory' || parent.entries.size > 0) break;
      editor.put(at, undefined);
    }
  }
}

type Written = FileNode | SymlinkNode;

async function writeFiles(
  repository: Repository,
  editor: TreeEditor,
  changes: readonly EntryPair[],
): Promise<Map<string, Written>> {
  const written = new Map<string, Written>();
  const fresh = changes.filter(
    (change): change is EntryPair & { readonly after: GitTreeEntry } =>
      change.after !== null && change.after.mode !== treeModes.submodule,
  );
  const places = new Map<Oid, { readonly path: string; readonly mode: number }[]>();
  for (const { path, after } of fresh) {
    const wanted = places.get(after.oid);
    if (wanted) wanted.push({ path, mode: after.mode });
    else places.set(after.oid, [{ path, mode: after.mode }]);
  }
  const nodes = new Map<string, Written>();
  let done = 0;
  for (const [oid, object] of repository.objects.readMany(places.keys())) {
    if (object.type !== 'blob') {
      throw new SdkError('EIO', `Object ${oid} is a ${object.type} where a file is expected.`);
    }
    // A copy, because the store keeps using its own bytes, and a commit of the draft passes them
    // on.
    const bytes = object.bytes.slice();
    repository.cache.setOid(bytes, oid);
    for (const { path, mode } of places.get(oid) ?? []) {
      nodes.set(path, toNode(repository, mode, bytes));
      done += 1;
    }
    if (done % filesAtOnce !== 0) continue;
    repository.progress({ phase: 'checking out', done, total: fresh.length });
    await letOthersRun();
    repository.checkAborted();
  }
  // In path order, because the editor caches the directory of the last path.
  for (const { path, after } of fresh) {
    const node = nodes.get(path);
    if (!node) continue;
    const absolute = absolutePath(repository, path);
    makeParents(repository, editor, dirname(absolute));
    const current = editor.get(absolute);
    const isThere =
      current !== undefined &&
      current.kind !== 'directory' &&
      modeOf(current) === after.mode &&
      knownOid(repository, current) === after.oid;
    if (!isThere) editor.put(absolute, node);
    written.set(path, isThere ? current : node);
  }
  repository.progress({ phase: 'checking out', done: fresh.length, total: fresh.length });
  return written;
}

function toNode(repository: Repository, mode: number, bytes: Uint8Array): Written {
  const mtimeMs = repository.now();
  if (mode === treeModes.symlink) {
    const target = new TextDecoder().decode(bytes);
    if (target === '' || target.includes('\0')) {
      throw new SdkError(
        'permission-denied',
        'The repository holds a link to no path at all. It is not written.',
      );
    }
    return { kind: 'symlink', target, mtimeMs, version: 0 };
  }
  return {
    kind: 'file',
    content: bytes,
    size: bytes.length,
    mode: mode === treeModes.executable ? 0o755 : defaultFileMode,
    mtimeMs,
    version: 0,
  };
}

/** A file in the way may be removed here; that was checked before. */
function makeParents(repository: Repository, editor: TreeEditor, directory: string): void {
  const node = editor.get(directory);
  if (node?.kind === 'directory') return;
  makeParents(repository, editor, dirname(directory));
  editor.put(directory, {
    kind: 'directory',
    entries: PersistentMap.empty<TreeNode>(),
    mode: defaultDirectoryMode,
    mtimeMs: repository.now(),
    version: 0,
  });
}
