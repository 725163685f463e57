// Puts an archive's entries into the workspace: into a branch, batch by batch, which is merged as one commit when
// all of it was good. What goes wrong before leaves the workspace as it is.
import { createAbortError, throwIfAborted, untilAborted } from '../../core/async/abort.ts';
import type { Change, ChangeContent } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import type { PathState, RootTree, Workspace } from '../workspace.ts';
import {
  defaultMaxBytes,
  defaultMaxEntries,
  type ArchiveEntry,
  type ArchiveLimits,
} from './archive-entry.ts';
import { ArchivePaths, listAbove, toPlace } from './archive-paths.ts';

/** How far it is. */
export interface UnpackProgress {
  /** Files and links. */
  readonly files: number;
  readonly bytes: number;
}

/** Where it goes, and how it is watched and stopped. */
export interface UnpackOptions extends ArchiveLimits {
  /** Absolute; made where it isn't there. What the archive doesn't name stays as it is. */
  readonly directory: string;
  /** @defaultValue the person */
  readonly author?: { readonly kind: 'user' | 'agent'; readonly callId?: string };
  readonly signal?: AbortSignal;
  /** Called after each batch. Nothing is to be seen of it before the end. */
  readonly onProgress?: (progress: UnpackProgress) => void;
}

/** What came in, in one commit. */
export interface UnpackResult extends UnpackProgress {
  /** The record's number. */
  readonly seq: number;
}

// As of an import's batches: few messages, and progress that shows.
const batchEntries = 1024;
const batchBytes = 8 * 1024 * 1024;
/** A branch that was begun so long ago was left by a page that has gone. */
const staleMs = 24 * 60 * 60 * 1000;
const idPrefix = 'unpack:';

/**
 * Replaces files and links that stand at the same paths, with nothing else. `prepare` changes the branch before.
 *
 * @throws SdkError `invalid-input` for a path that no archive may have. `limit-exceeded` for more
 *   than it may bring. `EEXIST` where the workspace has a directory in a file's place or the other
 *   way round. `ECONFLICT` where somebody changed the same paths meanwhile. `aborted`.
 */
export async function unpack(
  workspace: Workspace,
  entries: AsyncIterable<ArchiveEntry>,
  options: UnpackOptions,
  prepare?: (tree: RootTree) => Promise<void>,
): Promise<UnpackResult> {
  const { author = { kind: 'user' }, signal } = options;
  const { roots } = workspace;
  for (const { id, createdMs } of await roots.list({ kind: 'branch' })) {
    const isStale = id.startsWith(idPrefix) && createdMs < Date.now() - staleMs;
    // Another tab may do the same at this moment.
    if (isStale) await roots.drop(id, { author }).catch(() => undefined);
  }
  const id = idPrefix + crypto.randomUUID();
  await roots.branch(`Unpacking into ${options.directory}`, { author, id });
  try {
    await prepare?.(workspace.at(id));
    const unpacking = new Unpacking(workspace, id, options);
    // Raced with the signal: a download may stall.
    await untilAborted(takeAll(entries, unpacking), signal);
    await unpacking.finish();
    const { seq } = await roots.merge(id, { author });
    return { ...unpacking.progress, seq };
  } catch (error) {
    // What the signal has cut may say so in words of its own, such as a response's body.
    throw signal?.aborted ? createAbortError(signal.reason) : error;
  } finally {
    await roots.drop(id, { author });
  }
}

async function takeAll(entries: AsyncIterable<ArchiveEntry>, unpacking: Unpacking): Promise<void> {
  for await (const entry of entries) await unpacking.add(entry);
}

type Making = Exclude<Change, { readonly type: 'remove' }>;
/** A change without what only the workspace knows. */
type Made = Making extends infer One
  ? One extends Making
    ? Omit<One, 'baseVersion'>
    : never
  : never;

class Unpacking {
  progress: UnpackProgress = { files: 0, bytes: 0 };
  readonly #workspace: Workspace;
  readonly #root: string;
  readonly #options: UnpackOptions;
  readonly #paths = new ArchivePaths();
  readonly #directories = new Set<string>();
  #batch: Made[] = [];
  #batchBytes = 0;
  #entries = 0;

  constructor(workspace: Workspace, root: string, options: UnpackOptions) {
    this.#workspace = workspace;
    this.#root = root;
    this.#options = options;
  }

  async add(entry: ArchiveEntry): Promise<void> {
    const { directory, maxBytes = defaultMaxBytes, maxEntries = defaultMaxEntries } = this.#options;
    throwIfAborted(this.#options.signal);
    this.#entries += 1;
    if (this.#entries > maxEntries) {
      throw new SdkError(
        'limit-exceeded',
        `The archive has more than ${maxEntries} entries. Nothing was unpacked.`,
      );
    }
    const path = this.#paths.add(entry.path, entry.kind);
    if (path === undefined) return;
    const place = toPlace(directory, path);
    for (const above of listAbove(directory, place)) this.#makeDirectory(above);
    const mtimeMs = entry.mtimeMs;
    switch (entry.kind) {
      case 'directory':
        this.#makeDirectory(place);
        break;
      case 'file': {
        const content = await entry.read(maxBytes - this.progress.bytes);
        const mode = (entry.mode ?? 0o644) & 0o777;
        this.#put({ type: 'write', path: place, content, mode, mtimeMs }, content.length);
        break;
      }
      case 'symlink': {
        const target = entry.target ?? new TextDecoder().decode(await entry.read(4096));
        this.#paths.checkLink(path, target);
        this.#put({ type: 'symlink', path: place, target, mtimeMs }, 0);
        break;
      }
      case 'hardlink':
        await this.#copy(entry, place);
        break;
    }
    const isFull = this.#batch.length >= batchEntries || this.#batchBytes >= batchBytes;
    if (isFull) await this.#commit();
  }

  async finish(): Promise<void> {
    await this.#commit();
    const { fs } = this.#workspace.at(this.#root);
    // An empty archive makes its directory, too.
    await fs.mkdir(this.#options.directory, { recursive: true });
  }

  #put(made: Made, bytes: number): void {
    this.#batch.push(made);
    this.#batchBytes += bytes;
    this.progress = { files: this.progress.files + 1, bytes: this.progress.bytes + bytes };
  }

  #makeDirectory(path: string): void {
    if (this.#directories.has(path)) return;
    this.#directories.add(path);
    this.#batch.push({ type: 'mkdir', path, mode: 0o755, mtimeMs: Date.now() });
  }

  /** A second name becomes a copy, which costs nothing here. */
  async #copy({ path, target = '', mtimeMs, mode }: ArchiveEntry, place: string): Promise<void> {
    await this.#commit();
    const first = new ArchivePaths().add(target, 'file') ?? '';
    const tree = this.#workspace.at(this.#root);
    const [state] = await tree.lookUp([toPlace(this.#options.directory, first)]);
    if (state?.kind !== 'file') {
      const message = `The archive has ${JSON.stringify(path)} as another name of ${target}, which it hasn't.`;
      throw new SdkError('invalid-input', `${message} Nothing was unpacked.`, { data: { path } });
    }
    const content: ChangeContent = { contentId: state.contentId };
    this.#put({ type: 'write', path: place, content, mode: (mode ?? 0o644) & 0o777, mtimeMs }, 0);
  }

  async #commit(): Promise<void> {
    const batch = this.#batch.splice(0);
    this.#batchBytes = 0;
    if (batch.length === 0) return;
    const { author = { kind: 'user' }, directory, onProgress } = this.#options;
    const tree = this.#workspace.at(this.#root);
    await tree.fs.mkdir(directory, { recursive: true });
    const states = await tree.lookUp(batch.map(({ path }) => path));
    const changes = batch.flatMap((made, n): Change[] => {
      const state = states[n] ?? null;
      requireFitting(made, state);
      if (made.type === 'mkdir' && state) return [];
      return [{ ...made, baseVersion: state?.version ?? 0 }];
    });
    const changeSet = { baseSeq: this.#workspace.seq(), changes };
    if (changes.length > 0) await this.#workspace.commit(changeSet, { author, root: this.#root });
    onProgress?.(this.progress);
  }
}

function requireFitting({ type, path }: Made, state: PathState | null): void {
  if (!state || (state.kind === 'directory') === (type === 'mkdir')) return;
  const [there, comes] = type === 'mkdir' ? [state.kind, 'a directory'] : ['a directory', 'a file'];
  const message = `The archive has ${comes} for ${path}, and the workspace has a ${there.replace('a ', '')} there. Remove that first.`;
  throw new SdkError('EEXIST', `${message} Nothing was unpacked.`, { data: { path } });
}
