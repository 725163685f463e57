// Writes changes of the workspace to a mount's source. A path is written only while the source has
// it as in the mirror. Other paths are returned for another scan. Called by mount.ts.
import { throwIfAborted } from '../../core/async/abort.ts';
import { SdkError, hasCode } from '../../core/errors.ts';
import { dirname, joinPath, resolvePath, isInside } from '../../core/path.ts';
import type { PathState, Workspace } from '../workspace.ts';
import type { HostFs } from './host-fs.ts';
import { isInTheWay, type Mirror, type MirrorEntry, type MirrorUpdate } from './mirror.ts';
import { isAsMirrored, isListed } from './scan-source.ts';
import { isUntouched, type MountProblem } from './take-in.ts';

/** Both sides, and the callbacks. */
export interface WriteBackOptions {
  readonly workspace: Workspace;
  /** The absolute path of the mount. */
  readonly path: string;
  readonly source: HostFs;
  readonly mirror: Mirror;
  readonly signal: AbortSignal | undefined;
  readonly onProblem: (problem: MountProblem) => void;
}

/** A path that differs here from what both sides last had. */
interface Outgoing {
  /** Relative to the mount. */
  readonly path: string;
  /** An absolute path. */
  readonly place: string;
  readonly state: PathState | null;
}

/** How many paths are looked up at once, and written between two updates of the mirror. */
const lookUpPaths = 2000;
const notedPaths = 64;

/** Error codes by which a source refuses one path but accepts others. */
const refusals: ReadonlySet<string> = new Set([
  'EINVAL',
  'ENAMETOOLONG',
  'EBUSY',
  'ENOTEMPTY',
  'EISDIR',
  'ENOTDIR',
  'EEXIST',
]);

/** True if any of these relative paths differs here from what both sides last had. */
export async function isWrittenBack(
  paths: readonly string[],
  options: WriteBackOptions,
): Promise<boolean> {
  return (await new WriteBack(options).listOutgoing(paths)).length === 0;
}

/**
 * Writes back those of the relative paths that have changed. Resolves to those that were changed in
 * the source meanwhile.
 */
export async function writeBack(
  paths: readonly string[],
  options: WriteBackOptions,
): Promise<readonly string[]> {
  const round = new WriteBack(options);
  const outgoing = await round.listOutgoing(paths);
  const made = outgoing.filter(({ state }) => state);
  const removed = outgoing.filter(({ state }) => !state);
  for (const one of made) await round.write(one);
  // New files are stored before old ones are removed, so a renamed file may temporarily exist
  // twice, but is never missing.
  await round.note();
  for (const { path } of removed.reverse()) await round.remove(path);
  await round.note();
  return round.moved;
}

class WriteBack {
  /** Paths at which source and mirror differ. */
  readonly moved: string[] = [];
  readonly #options: WriteBackOptions;
  #updates: MirrorUpdate[] = [];

  constructor(options: WriteBackOptions) {
    this.#options = options;
  }

  /** Directories before their entries, also those above the paths: the source may have lost them. */
  async listOutgoing(paths: readonly string[]): Promise<Outgoing[]> {
    const { workspace, mirror, path: top } = this.#options;
    const outgoing: Outgoing[] = [];
    const wanted = paths.flatMap((path) => [...listAbove(path), path]);
    const sorted = [...new Set(wanted)].filter((path) => path !== '').sort();
    for (let at = 0; at < sorted.length; at += lookUpPaths) {
      const some = sorted.slice(at, at + lookUpPaths);
      const states = await workspace.lookUp(some.map((path) => joinPath(top, path)));
      for (const [n, path] of some.entries()) {
        const state = states[n] ?? null;
        const place = joinPath(top, path);
        const entry = mirror.entries.get(path);
        const isChanged =
          !isUntouched(state, entry) || (await this.#hasOtherMode(place, state, entry));
        if (isChanged) outgoing.push({ path, place, state });
      }
    }
    return outgoing;
  }

  async write(one: Outgoing): Promise<void> {
    const { source, mirror, signal } = this.#options;
    throwIfAborted(signal);
    const entry = mirror.entries.get(one.path);
    await this.#tryPath(one.place, async () => {
      if (this.moved.some((path) => one.path.startsWith(`${path}/`))) {
        // There may be another directory now.
        this.moved.push(one.path);
        return;
      }
      const theirs = await source.stat(one.path);
      if (!isAsMirrored(entry, theirs)) {
        // A directory that both sides created is the same one. Security: on a case-insensitive disk
        // A may be a, and rules for a don't apply to A.
        const areBoth = theirs?.kind === 'directory' && one.state?.kind === 'directory' && !entry;
        const isSame = areBoth && (await isListed(one.path, source, new Map()));
        if (isSame) this.#updates.push({ path: one.path, node: { kind: 'directory' } });
        else this.moved.push(one.path);
        return;
      }
      if (entry && one.state && isInTheWay(entry.kind, one.state.kind)) {
        const standing = mirror.below(new Set([one.path])).sort();
        for (const path of standing.reverse()) await this.remove(path);
        await this.note();
        if (mirror.entries.has(one.path)) return;
      }
      try {
        await this.#make(one);
      } catch (error) {
        const above = listAbove(one.path);
        if (above.length === 0 || !hasCode(error, 'ENOENT')) throw error;
        // Its directory was removed in the source meanwhile.
        this.moved.push(...above, one.path);
      }
    });
    if (this.#updates.length >= notedPaths) await this.note();
  }

  async remove(path: string): Promise<void> {
    const { source, mirror, signal, path: top } = this.#options;
    throwIfAborted(signal);
    const entry = mirror.entries.get(path);
    if (!entry) return;
    await this.#tryPath(joinPath(top, path), async () => {
      const theirs = await source.stat(path);
      if (theirs && !isAsMirrored(entry, theirs)) {
        this.moved.push(path);
        return;
      }
      if (theirs) await source.remove(path);
      this.#updates.push({ path, node: null });
    });
    if (this.#updates.length >= notedPaths) await this.note();
  }

  /** Records the new common state in the mirror. */
  async note(): Promise<void> {
    if (this.#updates.length === 0) return;
    const { source, mirror } = this.#options;
    await source.flush?.();
    const updates = this.#updates;
    this.#updates = [];
    await mirror.apply(updates);
  }

  async #make({ path, place, state }: Outgoing): Promise<void> {
    const { source, path: top } = this.#options;
    switch (state?.kind) {
      case undefined:
        return;
      case 'directory':
        await source.mkdir(path);
        this.#updates.push({ path, node: { kind: 'directory' } });
        return;
      case 'symlink': {
        const { target } = state;
        if (!source.symlink) {
          throw new SdkError('EINVAL', `${source.name} can't keep links; it stays here only.`);
        }
        if (mayLeadOut(target, place, top)) {
          throw new SdkError(
            'EINVAL',
            `the link leads out of the mount, or may: to ${target}. It stays here only.`,
          );
        }
        await source.symlink(target, path);
        this.#updates.push({ path, node: { kind: 'symlink', target } });
        return;
      }
      case 'file':
        return this.#writeFile(path, place);
    }
  }

  async #writeFile(path: string, place: string): Promise<void> {
    const { workspace, source, mirror } = this.#options;
    const read = await readWhole(workspace, place);
    // The file was removed meanwhile. Its change event starts another round.
    if (!read) return;
    const { bytes, contentId, mode } = read;
    const entry = mirror.entries.get(path);
    const isModeAlone = entry?.kind === 'file' && entry.contentId === contentId;
    if (isModeAlone && !source.keepsModes) {
      const { mtimeMs } = entry;
      const node = { kind: 'file', content: { contentId }, mode, mtimeMs } as const;
      this.#updates.push({ path, node });
      return;
    }
    await source.writeFile(path, bytes, { mode });
    const after = await source.stat(path);
    if (after?.kind !== 'file') {
      throw new SdkError('EIO', `${source.name} doesn't have ${path} after it was written.`);
    }
    const mtimeMs = Math.trunc(after.mtimeMs);
    const kept = after.mode === undefined ? mode : after.mode & 0o7777;
    const node = { kind: 'file', content: { contentId }, mode: kept, mtimeMs } as const;
    this.#updates.push({ path, node });
  }

  /** Has it other permission bits than both sides last had? Asked only where it was changed since. */
  async #hasOtherMode(
    place: string,
    state: PathState | null,
    entry: MirrorEntry | undefined,
  ): Promise<boolean> {
    if (entry?.kind !== 'file' || !state || state.version <= entry.version) return false;
    const { mode } = await this.#options.workspace.fs.lstat(place);
    return (mode & 0o7777) !== entry.mode;
  }

  /** Reports a refused path and continues with the others. */
  async #tryPath(place: string, write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (!SdkError.isInstance(error) || !refusals.has(error.code)) throw error;
      const { name } = this.#options.source;
      const message = `${place} isn't written to ${name}: ${error.message}`;
      this.#options.onProblem({ path: place, kind: 'refused', message });
    }
  }
}

/** The directories that a relative path is in, topmost first. */
function listAbove(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}

/** Returns the bytes, the version and the mode of one state. Undefined if there is no file. */
async function readWhole(
  workspace: Workspace,
  place: string,
): Promise<{ bytes: Uint8Array; contentId: number; mode: number } | undefined> {
  for (;;) {
    const [before] = await workspace.lookUp([place]);
    if (before?.kind !== 'file') return undefined;
    try {
      const bytes = await workspace.fs.readFile(place);
      const { mode } = await workspace.fs.lstat(place);
      const [after] = await workspace.lookUp([place]);
      if (after?.kind === 'file' && after.version === before.version) {
        return { bytes, contentId: before.contentId, mode: mode & 0o7777 };
      }
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }
}

/**
 * Security: on a person's disk, a link made by the agent could be followed to their other files. A
 * name may be another link, and what is above that link's target may be outside. On Windows a
 * backslash parts names.
 */
function mayLeadOut(target: string, place: string, top: string): boolean {
  if (target.startsWith('/') || /^[a-z]:|\\/iu.test(target)) return true;
  const names = target.split('/').filter((name) => name !== '' && name !== '.');
  const firstName = names.findIndex((name) => name !== '..');
  const goesUpLater = firstName >= 0 && names.includes('..', firstName);
  return goesUpLater || !isInside(top, resolvePath(dirname(place), target));
}
