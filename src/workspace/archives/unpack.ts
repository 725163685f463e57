// Puts an archive's entries into the workspace. They are written to a branch in batches, and the
// branch is merged as one commit if all entries are valid. After an error the workspace is
// unchanged.
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

/** The progress of unpacking. */
export interface UnpackProgress {
  /** The number of files and links. */
  readonly files: number;
  readonly bytes: number;
}

/** Where the entries go, and how progress and abort work. */
export interface UnpackOptions extends ArchiveLimits {
  /**
   * An absolute path. The directory is created if it is missing. Existing files that the archive
   * doesn't contain stay.
   */
  readonly directory: string;
  /** @defaultValue the person */
  readonly author?: { readonly kind: 'user' | 'agent'; readonly callId?: string };
  readonly signal?: AbortSignal;
  /** Called after each batch. Nothing is visible in the workspace before the end. */
  readonly onProgress?: (progress: UnpackProgress) => void;
}

/** What was imported, in one commit. */
export interface UnpackResult extends UnpackProgress {
  /** The sequence number of the record. */
  readonly seq: number;
}

// 1 024, as for other imports: few messages, and visible progress.
const batchEntries = 1024;
const batchBytes = 8 * 1024 * 1024;
/** 1 day: a branch of that age was left by a page that has closed. */
const staleMs = 24 * 60 * 60 * 1000;
const idPrefix = 'unpack:';

/**
 * Replaces files and links at the same paths, and nothing else. `prepare` may change the branch
 * before it is merged.
 *
 * @throws SdkError `invalid-input` for a forbidden path. `limit-exceeded` for too much data.
 * `EEXIST`
 *   if a file would replace a directory or the other way round. `ECONFLICT` if the same paths were
 *   changed meanwhile. `aborted`.
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
    // Another tab may drop the same branch at this moment.
    if (isStale) await roots.drop(id, { author }).catch(() => undefined);
  }
  const id = idPrefix + crypto.randomUUID();
  await roots.branch(`Unpacking into ${options.directory}`, { author, id });
  try {
    await prepare?.(workspace.at(id));
    const unpacking = new Unpacking(workspace, id, options);
    // The signal ends the wait, because a download may stall.
    await untilAborted(takeAll(entries, unpacking), signal);
    await unpacking.finish();
    const { seq } = await roots.merge(id, { author });
    return { ...unpacking.progress, seq };
  } catch (error) {
    // After an abort, the source may report an error of its own, such as a failed response body.
    throw signal?.aborted ? createAbortError(signal.reason) : error;
  } finally {
    await roots.drop(id, { author });
  }
}

async function takeAll(entries: AsyncIterable<ArchiveEntry>, unpacking: Unpacking): Promise<void> {
  for await (const entry of entries) await unpacking.add(entry);
}

type Making = Exclude<Change, { readonly type: 'remove' }>;
/** A change without the fields that only the workspace can fill in. */
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
    // An empty archive creates its directory as well.
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

  /** A hard link becomes a copy, which shares the content. */
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
