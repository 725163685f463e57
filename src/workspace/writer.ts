// The only writer. Commits are checked, numbered, appended and flushed here, one after the other, and
// acknowledged only then. It runs no tool code: in a tab it lives in the FS worker.
import type { ChangeSet, ContentId } from '../core/change-set.ts';
import { SdkError } from '../core/errors.ts';
import type { ContentSource } from './content-source.ts';
import { createNoSpaceError } from './fs-error.ts';
import { encodeRecord } from './log.ts';
import type { LogStore } from './log-store.ts';
import { planCommit } from './plan-commit.ts';
import { toPathChanges } from './record.ts';
import type {
  CommitOrigin,
  NewContent,
  RecordedChange,
  RootChange,
  WorkspaceRecord,
} from './record.ts';
import { recoverLog } from './recover.ts';
import type { ContentPlaces, RecoveredLog } from './recover.ts';
import { applyRecord, mainRootId, rootOf, type WorkspaceState } from './state.ts';
import type { DirectoryNode } from './tree.ts';
import { validateChangeSet } from './validate-change-set.ts';
import { validateCommitOptions, validateRootChange } from './validate-commit.ts';
import type {
  ChangeAuthor,
  ChangeEvent,
  CommitOptions,
  CommitResult,
  Durability,
  WorkspaceInfo,
} from './workspace.ts';

/** What a writer is told about where it runs. */
export interface WorkspaceWriterOptions {
  readonly name: string;
  /**
   * Waited for before each group of commits is written: a realm that gets its commits by messages
   * lets those arrive that stand in its queue, so that they share a flush. Default: one microtask.
   */
  readonly gather?: () => Promise<void>;
  /** Told what a listener threw; the commit stands. Default: it surfaces as an uncaught error. */
  readonly onListenerError?: (error: unknown) => void;
}

/** An acknowledged record with the contents that it brought. What replicas are fed. */
export interface AppliedRecord {
  readonly record: WorkspaceRecord;
  readonly contents: readonly NewContent[];
  readonly event: ChangeEvent;
}

/** A checked change set that waits for its flush. */
interface PendingCommit {
  readonly changeSet: ChangeSet;
  readonly author: ChangeAuthor;
  readonly durability: Durability;
  readonly root: string;
  readonly rootChange?: RootChange | undefined;
  readonly origin?: CommitOrigin | undefined;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

/** A commit that fits, and all that its acknowledgement will change. Nothing of it counts yet. */
interface PlannedCommit {
  readonly commit: PendingCommit;
  readonly applied: AppliedRecord;
  readonly state: WorkspaceState;
  readonly bytes: Uint8Array;
  readonly places: readonly { contentId: ContentId; offset: number; length: number }[];
}

/**
 * Recovers the log and opens it for writing. The writer owns the store from here on: `close` closes
 * it, and so does a failure to open. Rejects with `EIO` for a log that it can't read, `ENOSPC` where
 * not even an empty one fits.
 */
export async function openWorkspaceWriter(
  store: LogStore,
  options: WorkspaceWriterOptions,
): Promise<WorkspaceWriter> {
  try {
    return new WorkspaceWriter(store, options, await recoverLog(store));
  } catch (error) {
    await store.close();
    throw toStoreError(error);
  }
}

/**
 * Serialises commits. Every commit ends in exactly one of: acknowledged, and then it is in the log,
 * in `root`, and every listener was told, in the order of the numbers; or rejected, and then nothing
 * of it is anywhere.
 */
export class WorkspaceWriter {
  readonly contents: ContentSource;
  readonly #store: LogStore;
  readonly #options: WorkspaceWriterOptions;
  readonly #places: ContentPlaces;
  readonly #droppedBytes: number;
  readonly #listeners = new Set<(applied: AppliedRecord) => void>();
  readonly #queue: PendingCommit[] = [];
  #state: WorkspaceState;
  #nextContentId: ContentId;
  #pump: Promise<void> | undefined;
  #refusal: SdkError | undefined;

  constructor(store: LogStore, options: WorkspaceWriterOptions, recovered: RecoveredLog) {
    this.#store = store;
    this.#options = options;
    this.#places = recovered.places;
    this.#droppedBytes = recovered.droppedBytes;
    this.#state = recovered.state;
    this.#nextContentId = recovered.nextContentId;
    this.contents = {
      readSync: (contentId) => this.#readSync(contentId),
      readMany: (contentIds) => Promise.all(contentIds.map((id) => this.#read(id))),
    };
  }

  /** After the last acknowledged record. */
  get state(): WorkspaceState {
    return this.#state;
  }

  /** The tree of `main`. */
  get root(): DirectoryNode {
    return this.#state.main;
  }

  get seq(): number {
    return this.#state.seq;
  }

  info(): WorkspaceInfo {
    const { driver, isPersistent } = this.#store;
    const { name } = this.#options;
    const logBytes = this.#store.length();
    const droppedBytes = this.#droppedBytes;
    return { driver, name, seq: this.seq, isPersistent, logBytes, droppedBytes };
  }

  /**
   * Queues a change set. Security: it is checked as if an attacker had sent it.
   *
   * Rejects with `ECONFLICT` and `data.paths` when a path has moved on, `ENOSPC` when the medium is
   * full, `EIO` when it fails otherwise, `invalid-input` for a malformed set. Commits that wait for
   * the same flush share it.
   */
  async commit(changeSet: ChangeSet, options: CommitOptions): Promise<CommitResult> {
    return this.#enqueue({
      changeSet: validateChangeSet(changeSet),
      ...validateCommitOptions(options),
    });
  }

  /** Makes a checkpoint or a branch, or drops one. As durable as `power`. Rejects as `commit` does. */
  async changeRoots(change: RootChange, options: CommitOptions): Promise<CommitResult> {
    const changeSet = { baseSeq: 0, changes: [] };
    const rootChange = validateRootChange(change);
    return this.#enqueue({ changeSet, ...validateCommitOptions(options), rootChange });
  }

  #enqueue(commit: Omit<PendingCommit, 'resolve' | 'reject'>): Promise<CommitResult> {
    if (this.#refusal) throw this.#refusal;
    return new Promise((resolve, reject) => {
      this.#queue.push({ ...commit, resolve, reject });
      this.#pump ??= this.#writeQueue();
    });
  }

  /** Called for each acknowledged record, in order, before its commit resolves. */
  onRecord(listener: (applied: AppliedRecord) => void): Disposable {
    // Wrapped, so that one function may listen twice and each is disposed by itself.
    const entry = (applied: AppliedRecord) => listener(applied);
    this.#listeners.add(entry);
    return { [Symbol.dispose]: () => void this.#listeners.delete(entry) };
  }

  /** Idempotent. Waits for the commits under way, then closes the store. Later commits reject with `EBADF`. */
  async close(): Promise<void> {
    if (this.#refusal?.code === 'EBADF') return;
    this.#refusal = new SdkError('EBADF', 'The workspace is closed. Open it anew to change it.');
    await this.#pump;
    await this.#store.close();
  }

  async #writeQueue(): Promise<void> {
    while (this.#queue.length > 0) {
      await (this.#options.gather?.() ?? Promise.resolve());
      await this.#writeGroup(this.#takeGroup());
    }
    this.#pump = undefined;
  }

  /** All that waits, up to what one buffer should hold; always at least one. */
  #takeGroup(): PendingCommit[] {
    let bytes = 0;
    let count = 0;
    for (const { changeSet } of this.#queue) {
      bytes += contentBytes(changeSet);
      // 32 MB: enough to make a flush's cost vanish, little enough to be held twice.
      if (count > 0 && bytes > 33_554_432) break;
      count += 1;
    }
    return this.#queue.splice(0, count);
  }

  async #writeGroup(group: readonly PendingCommit[]): Promise<void> {
    const planned = this.#planGroup(group);
    if (planned.length === 0) return;
    const lengthBefore = this.#store.length();
    try {
      await this.#store.append(concat(planned.map(({ bytes }) => bytes)));
      if (planned.some(({ commit }) => commit.durability === 'power')) await this.#store.flush();
    } catch (error) {
      await this.#undoAppend(lengthBefore, error);
      if (planned.length === 1 || this.#isBroken()) {
        const failure = this.#isBroken() ? this.#refusal : toStoreError(error);
        for (const { commit } of planned) commit.reject(failure);
        return;
      }
      // One of them may be what didn't fit: the others must not fail with it.
      for (const { commit } of planned) await this.#writeGroup([commit]);
      return;
    }
    for (const plan of planned) this.#acknowledge(plan);
  }

  /** Checks each commit against the root that those before it will make. Rejects what doesn't fit. */
  #planGroup(group: readonly PendingCommit[]): PlannedCommit[] {
    const planned: PlannedCommit[] = [];
    let state = this.#state;
    let nextContentId = this.#nextContentId;
    let offset = this.#store.length();
    for (const commit of group) {
      try {
        if (this.#isBroken()) throw this.#refusal;
        const answered = answerOf(commit, state);
        if (answered !== undefined) {
          commit.resolve({ seq: answered });
          continue;
        }
        const seq = state.seq + 1;
        const root = rootOf(state, commit.root);
        const plan = planCommit(root, commit.changeSet, {
          seq,
          nextContentId,
          sizeOf: (contentId) => this.#placeOf(contentId).length,
        });
        if (plan.type === 'conflict') throw conflictError(plan.paths);
        const record = toRecord(commit, seq, plan.changes);
        // Before it is written: what can't be applied must not get into the log.
        state = applyRecord(state, record);
        const { bytes, places } = encodeRecord(record, plan.contents);
        const { author } = commit;
        const event = { seq, root: commit.root, author, changes: toPathChanges(root, record) };
        planned.push({
          commit,
          applied: { record, contents: plan.contents, event },
          state,
          bytes,
          places: places.map((place) => ({ ...place, offset: offset + place.offset })),
        });
        nextContentId += plan.contents.length;
        offset += bytes.length;
      } catch (error) {
        commit.reject(error);
      }
    }
    return planned;
  }

  /** From here on it is there: for every reader, then every listener, then who committed it. */
  #acknowledge({ commit, applied, state, places }: PlannedCommit): void {
    this.#state = state;
    for (const { contentId, offset, length } of places) {
      this.#places.set(contentId, { offset, length });
      this.#nextContentId = contentId + 1;
    }
    for (const listener of this.#listeners) {
      // A listener's mistake must cost neither the others nor a commit that is in the log already.
      try {
        listener(applied);
      } catch (error) {
        (this.#options.onListenerError ?? surface)(error);
      }
    }
    commit.resolve({ seq: applied.record.seq });
  }

  /** What was appended without being acknowledged must not be found when the log is opened again. */
  async #undoAppend(length: number, cause: unknown): Promise<void> {
    try {
      await this.#store.truncate(length);
    } catch (error) {
      // What the log's end holds now is unknown: no more commits, or a half-written one could be
      // taken for acknowledged. Opening it anew cuts it off.
      this.#refusal = new SdkError(
        'EIO',
        'The medium failed while a failed write was undone. Reload to open the workspace anew; ' +
          'everything that was acknowledged is kept.',
        { cause: new AggregateError([cause, error]) },
      );
    }
  }

  #isBroken(): boolean {
    return this.#refusal?.code === 'EIO';
  }

  #placeOf(contentId: ContentId): { readonly offset: number; readonly length: number } {
    const place = this.#places.get(contentId);
    if (place) return place;
    throw new SdkError('invalid-input', `The workspace holds no content ${contentId}.`);
  }

  async #read(contentId: ContentId): Promise<Uint8Array> {
    const { offset, length } = this.#placeOf(contentId);
    return this.#store.read(offset, length);
  }

  #readSync(contentId: ContentId): Uint8Array {
    const { offset, length } = this.#placeOf(contentId);
    if (this.#store.readSync) return this.#store.readSync(offset, length);
    throw new SdkError(
      'unsupported-environment',
      `The ${this.#store.driver} medium can't be read synchronously; use the promises.`,
    );
  }
}

/** What is known without writing anything: it was answered before, or asks for nothing. */
function answerOf(
  { origin, changeSet, rootChange }: PendingCommit,
  { seq, origins }: WorkspaceState,
): number | undefined {
  const last = origin && origins.get(origin.client);
  if (last && origin.number <= last.number) return last.seq;
  return changeSet.changes.length === 0 && !rootChange ? seq : undefined;
}

function toRecord(
  { author, root, rootChange, origin }: PendingCommit,
  seq: number,
  changes: readonly RecordedChange[],
): WorkspaceRecord {
  return {
    seq,
    author,
    ...(root !== mainRootId && { root }),
    changes,
    ...(rootChange && { rootChange }),
    ...(origin && { origin }),
  };
}

function toStoreError(error: unknown): SdkError {
  if (SdkError.isInstance(error)) return error;
  if (error instanceof Error && error.name === 'QuotaExceededError') {
    return createNoSpaceError(error);
  }
  return new SdkError('EIO', `EIO: the medium failed; nothing was changed. ${String(error)}`, {
    cause: error,
  });
}

function surface(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

function conflictError(paths: readonly string[]): SdkError {
  const shown = paths.slice(0, 5).join(', ') + (paths.length > 5 ? ', …' : '');
  return new SdkError(
    'ECONFLICT',
    `ECONFLICT: changed since it was read: ${shown}. Nothing was written; read again and redo it.`,
    { data: { paths } },
  );
}

function contentBytes(changeSet: ChangeSet): number {
  let bytes = 0;
  for (const change of changeSet.changes) {
    if (change.type === 'write' && change.content instanceof Uint8Array) {
      bytes += change.content.length;
    }
  }
  return bytes;
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    all.set(part, offset);
    offset += part.length;
  }
  return all;
}
