// One mounted source: reads it into the workspace, keeps both sides equal, and unmounts it. The
// workspace has priority: the agent's writes are acknowledged by its log, and written back when the
// workspace is idle. Opened by mounts.ts.
import { createAbortError, throwIfAborted } from '../../core/async/abort.ts';
import { tellSafely } from '../../core/async/surface.ts';
import { createSerialQueue } from '../../core/async/serial-queue.ts';
import type { Change } from '../../core/change-set.ts';
import { SdkError, hasCode, messageOf } from '../../core/errors.ts';
import { isInside, joinPath, relativePath } from '../../core/path.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { ChangeEvent, Workspace } from '../workspace.ts';
import { compileExclusion, listStaying, parentOf, type IsExcluded } from './exclusion.ts';
import type { HostFs } from './host-fs.ts';
import { hasRoom, Mirror } from './mirror.ts';
import { scanSource, type Incoming } from './scan-source.ts';
import { takeIn, type MountProblem, type MountProgress } from './take-in.ts';
import { isWrittenBack, writeBack, type WriteBackOptions } from './write-back.ts';

/** Options of a mount. */
export interface MountOptions {
  /**
   * Nothing below the path may be changed in the workspace. @defaultValue true if the source can't
   * be written
   */
  readonly readOnly?: boolean;
  /**
   * Globs relative to the path, in the syntax of permission rules. Matching files stay unchanged on
   * both sides.
   */
  readonly exclude?: readonly string[];
  /**
   * Stops the first reading before its next batch. What was read stays, and mounting again
   * continues from there.
   */
  readonly signal?: AbortSignal;
  /** Called during the first reading, with all that is in the workspace so far. */
  readonly onProgress?: (progress: MountProgress) => void;
  /** Called when {@link Mount.state} has changed. */
  readonly onState?: (state: MountState) => void;
}

/**
 * `failed` has the error of the last attempt. Nothing is lost; the next change starts another
 * attempt.
 */
export type MountState =
  | { readonly kind: 'idle' | 'busy' | 'ended'; readonly problems: readonly MountProblem[] }
  | {
      readonly kind: 'failed';
      readonly error: SdkError;
      readonly problems: readonly MountProblem[];
    };

/** A source that is mounted in the workspace. */
export interface Mount {
  /** The absolute path of the mount. */
  readonly path: string;
  /** The name of the source. */
  readonly name: string;
  readonly isReadOnly: boolean;
  /**
   * Returns what the mount is doing, and a message for each path that differs between the sides or
   * exists twice.
   */
  state(): MountState;
  /**
   * Reads outside changes and writes back workspace changes now.
   *
   * @throws SdkError what the source rejects with: `EACCES` if the permission was withdrawn;
   * `aborted`.
   */
  sync(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /**
   * Writes changes back, then removes everything below the path from the workspace, except for what
   * is excluded. If the source can't be written, rejects as `sync` does; everything stays mounted.
   * The same happens with `EBUSY` if the source has refused paths, which exist only in the
   * workspace.
   */
  unmount(): Promise<void>;
}

/** A mount as its host uses it. */
export interface OpenMount extends Mount {
  /**
   * Writes changes back and closes the source. The files stay in the workspace, and mounting again
   * continues from there.
   */
  close(): Promise<void>;
}

// Half a second without a change means that a call has finished writing. After five seconds of
// constant changes they are written anyway.
const restMs = 500;
const longestMs = 5000;
/** 100 ms: an editor saves in several steps. */
const outsideRestMs = 100;
/** 3: how often paths are compared again if they change during a write. */
const rounds = 3;
// If nine of ten known files differ and some are missing, it is probably another folder.
const mostlyOther = 0.9;

/** The parameters of a mount. */
export interface OpenMountOptions extends MountOptions {
  readonly workspace: Workspace;
  readonly clock: Clock;
  /** An absolute, normalized path. */
  readonly path: string;
  readonly source: HostFs;
}

/** Resolves once the source was read. */
export async function openMount(options: OpenMountOptions): Promise<OpenMount> {
  const { workspace, path, source, signal } = options;
  throwIfAborted(signal);
  const isExcluded = compileExclusion(path, options.exclude ?? []);
  const mirror = await Mirror.open(workspace, path, source, isExcluded);
  const mount = new MountedSource(options, { mirror, isExcluded });
  try {
    await mount.begin();
  } catch (error) {
    await mount.letGo();
    throw error;
  }
  return mount;
}

class MountedSource implements OpenMount {
  readonly path: string;
  readonly name: string;
  readonly isReadOnly: boolean;
  readonly #options: OpenMountOptions;
  readonly #mirror: Mirror;
  readonly #isExcluded: IsExcluded;
  readonly #following: Disposable[] = [];
  readonly #problems = new Map<string, MountProblem>();
  /** Relative paths that may have changed in the workspace, and outside. `''` means all. */
  #here = new Set<string>();
  #outside = new Set<string>();
  #state: MountState = { kind: 'idle', problems: [] };
  /** Runs one round at a time. */
  readonly #inTurn = createSerialQueue();
  #timer: { readonly waiting: Disposable; readonly dueMs: number } | undefined;
  #dirtySinceMs: number | undefined;
  #taken = { files: 0, bytes: 0 };
  /** True while the source is read for the first time. */
  #isBeginning = true;

  constructor(
    options: OpenMountOptions,
    { mirror, isExcluded }: { readonly mirror: Mirror; readonly isExcluded: IsExcluded },
  ) {
    this.#options = options;
    this.#mirror = mirror;
    this.#isExcluded = isExcluded;
    this.path = options.path;
    this.name = options.source.name;
    this.isReadOnly = options.readOnly ?? options.source.isReadOnly ?? false;
  }

  /** The first reading. Changes are observed from before it. */
  async begin(): Promise<void> {
    const { workspace, source, signal } = this.#options;
    this.#following.push(workspace.onChange((event) => this.#hear(event)));
    const watching = source.watch?.((paths) => this.#hearOutside(paths));
    if (watching) this.#following.push(watching);
    if (this.isReadOnly) await this.#mirror.setRead(false);
    await this.#run({ here: [''], outside: [''], signal });
    this.#isBeginning = false;
    await this.#mirror.setId(source.id);
    if (!this.isReadOnly) await this.#mirror.setRead(true);
    if (this.#here.size > 0) this.#schedule(restMs);
  }

  state(): MountState {
    return this.#state;
  }

  async sync({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    this.#requireOpen();
    // A path that was refused may be accepted now.
    this.#problems.clear();
    await this.#run({ here: [''], outside: [''], signal });
  }

  async unmount(): Promise<void> {
    this.#requireOpen();
    for (let attempt = 1; await this.#hasDirectory(); attempt += 1) {
      await this.sync();
      this.#requireAllWritten();
      if (await this.#inTurn(() => this.#removeTree())) break;
      if (attempt === rounds) {
        const message = `${this.path} is being changed all the time. Unmount it when its calls are over.`;
        throw new SdkError('EBUSY', message, { data: { path: this.path } });
      }
    }
    // The mirror is dropped last. After a kill before that, the directory is missing or the mirror
    // empty, which changes nothing in the source.
    this.#stop();
    await this.#closeSource();
    await this.#mirror.drop();
  }

  async close(): Promise<void> {
    if (this.#state.kind === 'ended') return;
    try {
      if (!this.isReadOnly) await this.#run({ here: [''], outside: [], signal: undefined });
    } finally {
      await this.letGo();
    }
  }

  async letGo(): Promise<void> {
    if (this.#state.kind === 'ended') return;
    this.#stop();
    await this.#closeSource();
  }

  /** No round starts after this. */
  #stop(): void {
    if (this.#state.kind === 'ended') return;
    this.#setState({ kind: 'ended', problems: this.#listProblems() });
    for (const one of this.#following) one[Symbol.dispose]();
    this.#timer?.waiting[Symbol.dispose]();
  }

  async #closeSource(): Promise<void> {
    await this.#inTurn(() => this.#options.source.close?.());
  }

  /**
   * Returns false if something was changed since it was written back; nothing is removed then.
   * Returns true at the end.
   */
  async #removeTree(): Promise<boolean> {
    const { workspace, source } = this.#options;
    const baseSeq = workspace.seq();
    const paths = await workspace.fs.readdir(this.path, { recursive: true });
    const staying = listStaying(paths, this.#isExcluded);
    const changes = await this.#toRemovals(paths, staying);
    const open = paths.filter((path) => !this.#isExcluded(path));
    if (!this.isReadOnly && !(await isWrittenBack(open, this.#toWriting(undefined)))) return false;
    try {
      // The directory stays. If it is interrupted after the commit, a later mount would otherwise
      // take the emptied folder for a deletion.
      if (staying.size > 0) await this.#mirror.empty();
      const author = { kind: 'user', name: source.name } as const;
      if (changes.length > 0) await workspace.commit({ baseSeq, changes }, { author });
      // A file that was created beside the excluded ones meanwhile isn't written back.
      if (staying.size > 0 && !(await hasRoom(workspace, this.path, this.#isExcluded)))
        return false;
      this.#stop();
      return true;
    } catch (error) {
      if (hasCode(error, 'ECONFLICT')) return false;
      throw error;
    }
  }

  /**
   * Returns removals of the topmost paths to remove. If nothing stays, that is the mount's
   * directory itself.
   */
  async #toRemovals(paths: readonly string[], staying: ReadonlySet<string>): Promise<Change[]> {
    const { workspace } = this.#options;
    const places = [this.path, ...paths.map((path) => joinPath(this.path, path))];
    let newest = 0;
    for (const version of await workspace.versions(places)) newest = Math.max(newest, version);
    const whole = { type: 'remove', recursive: true, baseVersion: newest } as const;
    if (staying.size === 0) return [{ ...whole, path: this.path }];
    const going = paths.filter((path) => {
      const parent = parentOf(path);
      return !staying.has(path) && (parent === '.' || staying.has(parent));
    });
    const tops = going.map((path) => joinPath(this.path, path));
    const states = await workspace.lookUp(tops);
    return tops.flatMap((path, n): Change[] => {
      const state = states[n];
      if (!state) return [];
      if (state.kind === 'directory') return [{ ...whole, path }];
      return [{ type: 'remove', path, baseVersion: state.version }];
    });
  }

  #requireAllWritten(): void {
    if (this.isReadOnly) return;
    const refused = this.#listProblems().filter(({ kind }) => kind === 'refused');
    const [first] = refused;
    if (!first) return;
    const message = `${refused.length} paths are in the workspace alone. Move or remove them first. ${first.message}`;
    throw new SdkError('EBUSY', message, { data: { paths: refused.map(({ path }) => path) } });
  }

  #hear({ root, changes }: ChangeEvent): void {
    if (root !== 'main') return;
    let isOurs = false;
    for (const { path, type } of changes) {
      if (isInside(this.path, path)) this.#here.add(toRelative(this.path, path));
      else if (type === 'delete' && isInside(path, this.path)) this.#here.add('');
      else continue;
      isOurs = true;
    }
    if (!isOurs) return;
    this.#dirtySinceMs ??= this.#options.clock.now();
    this.#schedule(restMs);
  }

  #hearOutside(paths: readonly string[] | null): void {
    for (const path of paths ?? ['']) this.#outside.add(path);
    this.#schedule(outsideRestMs);
  }

  /** Each change restarts the delay, but only up to a limit. */
  #schedule(delayMs: number): void {
    if (this.#state.kind === 'ended') return;
    const { clock } = this.#options;
    const now = clock.now();
    const latest = (this.#dirtySinceMs ?? now) + longestMs;
    const dueMs = Math.min(now + delayMs, Math.max(now, latest));
    this.#timer?.waiting[Symbol.dispose]();
    const waiting = clock.after(dueMs - now, () => {
      this.#timer = undefined;
      // The error is in the state.
      this.#run({ here: [], outside: [], signal: undefined }).catch(() => undefined);
    });
    this.#timer = { waiting, dueMs };
  }

  /** Runs rounds one after the other. Rejects with the error that the state also has. */
  #run(more: Round): Promise<void> {
    return this.#inTurn(() => this.#round(more));
  }

  async #round({ here, outside, signal }: Round): Promise<void> {
    if (this.#state.kind === 'ended')
      throw createAbortError(`${this.path} isn't mounted any more.`);
    this.#timer?.waiting[Symbol.dispose]();
    this.#dirtySinceMs = undefined;
    const changedHere = new Set([...this.#here, ...here]);
    let changedOutside = new Set([...this.#outside, ...outside]);
    this.#here = new Set();
    this.#outside = new Set();
    this.#setState({ kind: 'busy', problems: this.#listProblems() });
    try {
      await this.#requireDirectory();
      for (let round = 1; ; round += 1) {
        if (changedOutside.size > 0) await this.#takeIn([...changedOutside], signal);
        if (this.isReadOnly) break;
        // Adds paths that were just merged or renamed.
        for (const path of this.#here) changedHere.add(path);
        const moved = await this.#writeBack(changedHere, signal);
        if (moved.length === 0) break;
        if (round === rounds) {
          this.#refuseMoved(moved);
          break;
        }
        changedOutside = new Set(moved);
      }
      this.#setState({ kind: 'idle', problems: this.#listProblems() });
    } catch (error) {
      for (const path of changedHere) this.#here.add(path);
      for (const path of changedOutside) this.#outside.add(path);
      this.#setState({
        kind: 'failed',
        error: this.#toSdkError(error),
        problems: this.#listProblems(),
      });
      throw this.#toSdkError(error);
    }
  }

  async #takeIn(scope: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    const { source, workspace } = this.#options;
    const incoming = await scanSource({
      source,
      scope,
      signal,
      entries: this.#mirror.entries,
      isExcluded: this.#isExcluded,
      onBadName: (path) => {
        const name = JSON.stringify(path);
        const message = `${name} of ${this.name} has a name that no path here can have. It stays there only.`;
        this.#tell({ path: joinPath(this.path, path), kind: 'conflict', message });
      },
    });
    if (this.#isBeginning && !this.#mirror.isCertain) await this.#requireSameSource(incoming);
    await takeIn(incoming, {
      workspace,
      source,
      signal,
      path: this.path,
      mirror: this.#mirror,
      onProblem: (problem) => this.#tell(problem),
      onTaken: ({ files, bytes }) => {
        this.#taken = { files: this.#taken.files + files, bytes: this.#taken.bytes + bytes };
        if (this.#isBeginning) tellSafely(this.#options.onProgress, this.#taken);
      },
    });
  }

  /** Otherwise changes for one folder could be written to another of the same name. */
  async #requireSameSource(incoming: readonly Incoming[]): Promise<void> {
    const known = [...this.#mirror.entries].filter(
      ([path, { kind }]) => kind === 'file' && !this.#isExcluded(path),
    );
    const isGone = incoming.some(({ before, after }) => before?.kind === 'file' && !after);
    const changed = incoming.filter(({ before }) => before?.kind === 'file').length;
    if (this.isReadOnly || !isGone || changed < known.length * mostlyOther) return;
    const all = await this.#expand(new Set(['']));
    const here = [...all].filter((path) => !this.#isExcluded(path));
    if (await isWrittenBack(here, this.#toWriting(undefined))) return;
    const message =
      `${this.path} holds changes that aren't written yet, and "${this.name}" may be another source of that name: ` +
      `nearly none of its files is as it was. Mount the right one, or remove ${this.path}.`;
    throw new SdkError('EBUSY', message, { data: { path: this.path } });
  }

  async #writeBack(
    changed: ReadonlySet<string>,
    signal: AbortSignal | undefined,
  ): Promise<readonly string[]> {
    const open = [...(await this.#expand(changed))].filter((path) => !this.#isExcluded(path));
    for (const path of open) {
      const place = joinPath(this.path, path);
      if (this.#problems.get(place)?.kind === 'refused') this.#problems.delete(place);
    }
    return writeBack(open, this.#toWriting(signal));
  }

  #toWriting(signal: AbortSignal | undefined): WriteBackOptions {
    const { source, workspace } = this.#options;
    const onProblem = (problem: MountProblem) => this.#tell(problem);
    return { workspace, source, signal, path: this.path, mirror: this.#mirror, onProblem };
  }

  /** The paths, all that both sides had below them, and for everything all that is here. */
  async #expand(changed: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const paths = new Set([...changed, ...this.#mirror.below(changed)]);
    if (!changed.has('')) return paths;
    const here = await this.#options.workspace.fs.readdir(this.path, { recursive: true });
    for (const path of here) paths.add(path);
    return paths;
  }

  /**
   * Removing or replacing the mount's directory doesn't mean that a person's folder should be
   * emptied.
   */
  async #requireDirectory(): Promise<void> {
    if (await this.#hasDirectory()) return;
    const message =
      `${this.path} was removed from the workspace. ${this.name} itself is as it was: nothing is removed there. ` +
      'Unmount it, and mount it again to see it.';
    throw new SdkError('ENOENT', message, { data: { path: this.path } });
  }

  async #hasDirectory(): Promise<boolean> {
    const [state] = await this.#options.workspace.lookUp([this.path]);
    return state?.kind === 'directory';
  }

  #refuseMoved(moved: readonly string[]): void {
    for (const path of moved) {
      const place = joinPath(this.path, path);
      const message =
        `${place} isn't written to ${this.name}: something else has that name there, perhaps in other ` +
        'letters (A and a), or it changes all the time.';
      this.#tell({ path: place, kind: 'refused', message });
    }
  }

  #requireOpen(): void {
    if (this.#state.kind !== 'ended') return;
    throw new SdkError('bad-usage', `${this.path} isn't mounted any more.`);
  }

  #tell(problem: MountProblem): void {
    this.#problems.set(problem.path, problem);
  }

  #listProblems(): readonly MountProblem[] {
    return [...this.#problems.values()].sort((left, right) => (left.path < right.path ? -1 : 1));
  }

  #setState(state: MountState): void {
    this.#state = state;
    tellSafely(this.#options.onState, state);
  }

  #toSdkError(error: unknown): SdkError {
    if (SdkError.isInstance(error)) return error;
    const reason = messageOf(error);
    const message = `${this.name} can't be read or written: ${reason} Nothing is lost; the next change tries again.`;
    return new SdkError('EIO', message, { cause: error, data: { path: this.path } });
  }
}

interface Round {
  readonly here: readonly string[];
  readonly outside: readonly string[];
  readonly signal: AbortSignal | undefined;
}

function toRelative(top: string, path: string): string {
  return path === top ? '' : relativePath(top, path);
}
