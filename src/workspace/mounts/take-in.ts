// Takes outside changes into the workspace: as commits in the source's name, merged with changes
// made here meanwhile. If a merge has conflicts, both versions are kept. mount.ts calls it with the
// result of scan-source.ts.
import type { Change } from '../../core/change-set.ts';
import { throwIfAborted } from '../../core/async/abort.ts';
import { SdkError, hasCode } from '../../core/errors.ts';
import { dirname, joinPath } from '../../core/path.ts';
import type { PathState, Workspace } from '../workspace.ts';
import { findAsidePath } from './aside-path.ts';
import type { HostFs } from './host-fs.ts';
import { toNodeChanges, type Mirror, type MirrorEntry, type MirrorUpdate } from './mirror.ts';
import { toWholeTimes, type Incoming } from './scan-source.ts';

/** A problem with a path, as a message. */
export interface MountProblem {
  /** An absolute path. */
  readonly path: string;
  /**
   * `conflict`: both sides changed the path, and both versions exist. `refused`: one side can't
   * accept it.
   */
  readonly kind: 'conflict' | 'refused';
  readonly message: string;
}

/** How much a mount has read or written since it began. */
export interface MountProgress {
  readonly files: number;
  readonly bytes: number;
}

/** Both sides, and the callbacks. */
export interface TakeInOptions {
  readonly workspace: Workspace;
  /** The absolute path of the mount. */
  readonly path: string;
  readonly source: HostFs;
  readonly mirror: Mirror;
  readonly signal: AbortSignal | undefined;
  readonly onProblem: (problem: MountProblem) => void;
  readonly onTaken: (progress: MountProgress) => void;
}

/** A change with its new bytes. */
interface Loaded extends Incoming {
  readonly bytes: Uint8Array | undefined;
  /** An absolute path. */
  readonly place: string;
}

type Updates = MirrorUpdate[];

// 1 024, as for imports (hosts/browser/wire/import-batches.ts): few messages, and visible progress.
const batchFiles = 1024;
const batchBytes = 8 * 1024 * 1024;
// 16 files, 1 MB: each waits for several answers of the browser, a millisecond or so each.
const atOnce = 16;
const atOnceBytes = 1024 * 1024;
/** How often a batch is made again because somebody commits to the same paths all the time. */
const attempts = 8;

/** Stops before the next batch when the signal is aborted. What was committed stays. */
export async function takeIn(incoming: readonly Incoming[], options: TakeInOptions): Promise<void> {
  let batch: Loaded[] = [];
  let bytes = 0;
  const commit = async () => {
    if (batch.length === 0) return;
    await takeBatch(batch, options);
    options.onTaken({ files: batch.filter((one) => one.bytes).length, bytes });
    batch = [];
    bytes = 0;
  };
  for (const group of groupReads(incoming)) {
    throwIfAborted(options.signal);
    for (const loaded of await Promise.all(group.map((one) => load(one, options)))) {
      if (!loaded) continue;
      batch.push(loaded);
      bytes += loaded.bytes?.length ?? 0;
    }
    if (batch.length >= batchFiles || bytes >= batchBytes) await commit();
  }
  await commit();
}

/** What is read at once, in order. A file that is large is read alone. */
function* groupReads(incoming: readonly Incoming[]): Generator<readonly Incoming[], void> {
  let group: Incoming[] = [];
  let bytes = 0;
  for (const one of incoming) {
    const size = one.after?.kind === 'file' ? one.after.size : 0;
    if (group.length > 0 && (group.length === atOnce || bytes + size > atOnceBytes)) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(one);
    bytes += size;
  }
  if (group.length > 0) yield group;
}

/** Undefined where it is gone by now, or another kind: another scan finds what it is. */
async function load(incoming: Incoming, options: TakeInOptions): Promise<Loaded | undefined> {
  const { source, path } = options;
  const place = joinPath(path, incoming.path);
  let { after } = incoming;
  if (after?.kind !== 'file') return { ...incoming, place, bytes: undefined };
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const bytes = await readOrTell(incoming.path, place, options);
    if (!bytes) return undefined;
    const now = await source.stat(incoming.path);
    if (now?.kind !== 'file') return undefined;
    const isSame = now.size === after.size && Math.trunc(now.mtimeMs) === after.mtimeMs;
    if (isSame && bytes.length === now.size) return { ...incoming, after, place, bytes };
    after = toWholeTimes(now) as typeof now;
  }
  // The file is being written constantly. The next scan includes it.
  return undefined;
}

/** Resolves to undefined if the source can't read this one file. Others continue. */
async function readOrTell(
  path: string,
  place: string,
  { source, onProblem }: TakeInOptions,
): Promise<Uint8Array | undefined> {
  try {
    return await source.readFile(path);
  } catch (error) {
    const code = SdkError.isInstance(error) ? error.code : undefined;
    // The file was removed meanwhile. The next scan finds that.
    if (code === 'ENOENT') return undefined;
    if (!SdkError.isInstance(error) || (code !== 'EINVAL' && code !== 'EBUSY')) throw error;
    const message = `${path} of ${source.name} isn't in the workspace: ${error.message}`;
    onProblem({ path: place, kind: 'refused', message });
    return undefined;
  }
}

async function takeBatch(batch: readonly Loaded[], options: TakeInOptions): Promise<void> {
  const updates: Updates = [];
  let open: readonly Loaded[] = batch;
  for (let attempt = 1; open.length > 0; attempt += 1) {
    try {
      open = await takePlain(open, options, updates);
      break;
    } catch (error) {
      // One of the paths was committed to meanwhile. The next attempt sees the change.
      if (!hasCode(error, 'ECONFLICT') || attempt === attempts) throw error;
    }
  }
  for (const one of open) await takeContested(one, options, updates);
  await options.mirror.apply(updates);
}

/** Commits changes of paths that nobody has changed here, and returns the others. */
async function takePlain(
  batch: readonly Loaded[],
  options: TakeInOptions,
  updates: Updates,
): Promise<readonly Loaded[]> {
  const { workspace, source, path } = options;
  const baseSeq = workspace.seq();
  const states = await workspace.lookUp(batch.map(({ place }) => place));
  const leaving = new Set<string>();
  const directories = new DirectoryNeeds(workspace, path);
  const changes: Change[] = [];
  const plain: Loaded[] = [];
  const contested: Loaded[] = [];
  for (const [n, one] of batch.entries()) {
    const state = states[n] ?? null;
    const isPlain =
      isUntouched(state, one.before) &&
      (one.after?.kind === 'directory' ||
        (await isEmptyBut(leaving, state, one.place, workspace))) &&
      (one.after === null || (await directories.has(one.place, changes)));
    if (!isPlain) {
      contested.push(one);
      continue;
    }
    plain.push(one);
    if (!one.after) leaving.add(one.place);
    changes.push(...toChanges(one, state));
    if (one.after?.kind === 'directory') directories.add(one.place);
  }
  if (changes.length === 0) {
    updates.push(...plain.map((one) => toUpdate(one)));
    return contested;
  }
  const author = { kind: 'user', name: source.name } as const;
  const { seq } = await workspace.commit({ baseSeq, changes }, { author });
  // The mirror refers to contents by id, so each is in the log once for both roots.
  const now = await workspace.lookUp(plain.map(({ place }) => place));
  for (const [n, one] of plain.entries()) {
    const state = now[n];
    const isOurs = state?.kind === 'file' && state.version === seq;
    updates.push(toUpdate(one, isOurs ? { contentId: state.contentId } : undefined));
  }
  return contested;
}

/** Handles one path that was also changed here. */
async function takeContested(one: Loaded, options: TakeInOptions, updates: Updates): Promise<void> {
  const { workspace, source, onProblem } = options;
  const author = { kind: 'user', name: source.name } as const;
  const { place, after, before } = one;
  const tell = (message: string, at = place) => onProblem({ path: at, kind: 'conflict', message });
  const [state = null] = await workspace.lookUp([place]);
  const commit = (changes: readonly Change[], merge?: 'text') =>
    workspace.commit({ baseSeq: workspace.seq(), changes }, { author, ...(merge && { merge }) });
  updates.push(toUpdate(one));
  if (!after) {
    // A directory stays if something new was created in it here.
    if (state && state.kind !== 'directory') {
      tell(`${place} was removed in ${source.name} while it was changed here. It is kept.`);
    }
    return;
  }
  if (isSameNode(state, after)) return;
  const directories = new DirectoryNeeds(workspace, options.path);
  const above: Change[] = [];
  const hasDirectory = await directories.has(place, above);
  if (!state && hasDirectory) {
    await commit([...above, ...toChanges(one, null)]);
    if (before)
      tell(`${place} was removed here while it was changed in ${source.name}. It is back.`);
    return;
  }
  if (state?.kind === 'file' && one.bytes) {
    // An empty new file may be left by a kill during writing. It contains nothing that could be
    // lost.
    if (!before && one.bytes.length === 0) return;
    const base = before?.kind === 'file' ? { base: toBase(before) } : {};
    const [write] = toChanges(one, null);
    if (write?.type !== 'write') throw new TypeError('A file with bytes is written.');
    try {
      // An impossible version makes the writer merge.
      await commit([{ ...write, ...base, baseVersion: before?.version ?? neverVersion }], 'text');
      return;
    } catch (error) {
      if (!hasCode(error, 'ECONFLICT')) throw error;
    }
  }
  if (after.kind === 'directory' && state) {
    // Entries below the path need the directory, so the node here is moved aside.
    const aside = await findAsidePath(workspace, place, 'here');
    await workspace.fs.rename(place, aside);
    await commit(toChanges(one, null));
    tell(`${place} is a directory in ${source.name} now. What was here is at ${aside}.`, aside);
    return;
  }
  const aside = await findAsidePath(workspace, place, source.name);
  await commit(toChanges({ ...one, place: aside }, null));
  tell(
    `${place} was changed here and in ${source.name}, and the two can't be merged. Here it is as it was here; ` +
      `the other version is at ${aside}.`,
    aside,
  );
}

/** Versions count from 1 and never reach this number. */
const neverVersion = Number.MAX_SAFE_INTEGER;

/** Finds out which directories of a batch exist, and which must be created first. */
class DirectoryNeeds {
  readonly #workspace: Workspace;
  readonly #top: string;
  readonly #known = new Map<string, boolean>();

  constructor(workspace: Workspace, top: string) {
    this.#workspace = workspace;
    this.#top = top;
  }

  add(path: string): void {
    this.#known.set(path, true);
  }

  /**
   * Returns true if the directory exists or can be created. In that case its creation is added to
   * `changes`.
   */
  async has(place: string, changes: Change[]): Promise<boolean> {
    const directory = dirname(place);
    const known = this.#known.get(directory);
    if (known !== undefined) return known;
    const [state = null] = await this.#workspace.lookUp([directory]);
    let isThere = state?.kind === 'directory';
    if (!state && directory !== this.#top) {
      isThere = await this.has(directory, changes);
      const mkdir = { type: 'mkdir', baseVersion: 0, mode: 0o755, mtimeMs: Date.now() } as const;
      if (isThere) changes.push({ ...mkdir, path: directory });
    }
    this.#known.set(directory, isThere);
    return isThere;
  }
}

/** True if everything in it is removed together with it. A scan gives entries before their directory. */
async function isEmptyBut(
  leaving: ReadonlySet<string>,
  state: PathState | null,
  place: string,
  { fs }: Workspace,
): Promise<boolean> {
  if (state?.kind !== 'directory') return true;
  return (await fs.readdir(place)).every((name) => leaving.has(joinPath(place, name)));
}

/** True if the path is here as both sides last had it. */
export function isUntouched(state: PathState | null, entry: MirrorEntry | undefined): boolean {
  if (!state || !entry) return !state && !entry;
  switch (state.kind) {
    case 'file':
      return entry.kind === 'file' && entry.contentId === state.contentId;
    case 'directory':
      return entry.kind === 'directory';
    case 'symlink':
      return entry.kind === 'symlink' && entry.target === state.target;
  }
}

/** False for files, because only their bytes would tell. */
function isSameNode(state: PathState | null, after: Loaded['after']): boolean {
  if (state?.kind === 'symlink') return after?.kind === 'symlink' && after.target === state.target;
  return state?.kind === 'directory' && after?.kind === 'directory';
}

function toChanges({ place, before, after, bytes }: Loaded, state: PathState | null): Change[] {
  const at = { path: place, baseVersion: state?.version ?? 0 };
  if (after?.kind !== 'file') return toNodeChanges(at, state?.kind, after);
  const mode = after.mode ?? (before?.kind === 'file' ? before.mode : 0o644);
  return toNodeChanges(at, state?.kind, {
    kind: 'file',
    content: bytes ?? new Uint8Array(),
    mode: mode & 0o7777,
    mtimeMs: after.mtimeMs,
  });
}

function toUpdate(
  { path, before, after, bytes }: Loaded,
  content: { readonly contentId: number } | undefined = undefined,
): MirrorUpdate {
  if (after?.kind !== 'file') return { path, node: after };
  const mode = (after.mode ?? (before?.kind === 'file' ? before.mode : 0o644)) & 0o7777;
  const held = content ?? bytes ?? new Uint8Array();
  return { path, node: { kind: 'file', content: held, mode, mtimeMs: after.mtimeMs } };
}

function toBase({ contentId, mode }: Extract<MirrorEntry, { readonly kind: 'file' }>) {
  return { contentId, mode };
}
