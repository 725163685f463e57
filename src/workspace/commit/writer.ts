// The only writer of a workspace. It validates, numbers, appends and flushes commits in groups, and
// acknowledges them after the flush. It runs no tool code. In a tab it lives in the FS worker.
import type { ChangeSet } from '../../core/change-set.ts';
import type { SdkError } from '../../core/errors.ts';
import type { ContentSource } from '../state/content-source.ts';
import { LiveContentIds } from './live-content-ids.ts';
import { createClosedError, toMediumError } from '../log/log-error.ts';
import type { LogLimits } from '../log/log-limits.ts';
import type { LogMedium } from '../log/log-medium.ts';
import { openWorkspaceLog, type OpenedLog, type WorkspaceLog } from '../log/workspace-log.ts';
import { planGroup } from './plan-group.ts';
import { StoredContents } from './stored-contents.ts';
import type { CommitOutcome, PendingCommit, PlannedCommit } from './plan-group.ts';
import type { AppliedRecord, AppliedStreamRecord } from './plan-group.ts';
import { needsPreparing, prepareGroup, type Ground } from './prepare-group.ts';
import { surface } from '../../core/async/surface.ts';
import { Listeners } from '../state/listeners.ts';
import type { RootChange } from '../state/record.ts';
import { rootOf, type WorkspaceState } from '../state/state.ts';
import type { DirectoryNode } from '../tree/tree.ts';
import { validateChangeSet } from './validate-change-set.ts';
import {
  requireOutsideSessions,
  validateCommitOptions,
  validateRootChange,
} from './validate-commit.ts';
import { validateStreamRequest, type StreamRequest } from './validate-stream.ts';
import type { CommitOptions, CommitResult, WorkspaceInfo } from '../workspace.ts';
import type { StreamOptions } from './writer-port.ts';

export type { AppliedRecord, AppliedStreamRecord } from './plan-group.ts';

/** Adapts a writer to its realm. */
export interface WorkspaceWriterOptions {
  readonly name: string;
  /**
   * The most bytes in a file that `Workspace.fs` writes. @defaultValue the limit of every view, 1
   * GiB
   */
  readonly maxFileBytes?: number;
  /**
   * Awaited before each group of commits is written. A realm that receives commits as messages lets
   * queued ones arrive, so that they share a flush. @defaultValue one microtask
   */
  readonly gather?: () => Promise<void>;
  /**
   * Awaited after a commit, before work that can wait, such as images and compaction. The next
   * commit ends the wait, so a client that commits in sequence doesn't wait for an image.
   * @defaultValue no wait
   */
  readonly rest?: () => Promise<void>;
  /**
   * Receives errors of listeners. The commit isn't affected. @defaultValue the error is reported as
   * uncaught
   */
  readonly onListenerError?: (error: unknown) => void;
  /** @internal Other limits, for media with other costs and for tests. */
  readonly limits?: Partial<LogLimits>;
}

/**
 * Recovers the log, takes over its ownership and opens it for writing. The writer owns the medium
 * from here on: `close` closes it, and so does a failure to open. Rejects with `EIO` if the log
 * can't be read, and with `ENOSPC` if not even an empty log fits.
 */
export async function openWorkspaceWriter(
  medium: LogMedium,
  options: WorkspaceWriterOptions,
): Promise<WorkspaceWriter> {
  try {
    return new WorkspaceWriter(options, await openWorkspaceLog(medium, options.limits));
  } catch (error) {
    await medium.close();
    throw error;
  }
}

/**
 * Serialises commits. Every commit is either acknowledged or rejected. An acknowledged commit is in
 * the log and in `state`, and all listeners were called, in the order of the numbers. A rejected
 * commit has left nothing, with two exceptions in which the next owner may find it in the log. One
 * is `EFENCED`. The other is `EIO` after a failed write that could not be undone; {@link
 * WorkspaceWriter.refusal} is set from then on.
 */
export class WorkspaceWriter {
  readonly contents: ContentSource;
  readonly #log: WorkspaceLog;
  readonly #options: WorkspaceWriterOptions;
  readonly #onRecord: Listeners<AppliedRecord>;
  readonly #onStreamRecord: Listeners<AppliedStreamRecord>;
  readonly #onStreams: Listeners;
  readonly #onMoved: Listeners;
  readonly #queue: PendingCommit[] = [];
  /** Tasks that run between two groups of commits, because the log handles one call at a time. */
  readonly #errands: (() => Promise<void>)[] = [];
  readonly #liveIds = new LiveContentIds();
  readonly #stored: StoredContents | undefined;
  #state: WorkspaceState;
  #pump: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  /** Ends a rest early. */
  #wake = () => {};

  constructor(options: WorkspaceWriterOptions, { log, state }: OpenedLog) {
    this.#options = options;
    const { onListenerError = surface } = options;
    this.#onRecord = new Listeners(onListenerError);
    this.#onStreamRecord = new Listeners(onListenerError);
    this.#onStreams = new Listeners(onListenerError);
    this.#onMoved = new Listeners(onListenerError);
    this.#log = log;
    this.#state = state;
    this.contents = {
      readSync: (contentId) => log.readSync(contentId),
      readMany: (contentIds) => Promise.all(contentIds.map((id) => log.read(id))),
      readPart: (contentId, offset, length) => log.readPart(contentId, offset, length),
      packed: (wanted) => this.#runBetween(() => log.packed(wanted), []),
      readStored: (part) => log.readStored(part),
      savedIndex: () => log.savedIndex(),
      saveIndex: (index) => void this.#runBetween(async () => log.saveIndex(index), undefined),
    };
    this.#stored = log.store && new StoredContents(log.store);
    log.onWithdrawn = () => this.#onMoved.tell();
    // Starts to repair what recovery found damaged, before a caller waits for it.
    this.#pump = this.#writeQueue();
  }

  /** The state after the last acknowledged record. */
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

  get maxFileBytes(): number | undefined {
    return this.#options.maxFileBytes;
  }

  /** The epoch of this owner: higher than that of every earlier one. */
  get epoch(): number {
    return this.#log.epoch;
  }

  /**
   * Set once nothing can be committed any more: `EFENCED`, or `EIO` if the log's end is unknown.
   */
  get refusal(): SdkError | undefined {
    return this.#log.refusal;
  }

  info(): WorkspaceInfo {
    const { driver, isPersistent, byteLength, droppedBytes, upkeepError } = this.#log;
    return {
      driver,
      name: this.#options.name,
      seq: this.seq,
      isPersistent,
      logBytes: byteLength,
      droppedBytes,
      lostFiles: this.#log.lostFiles(this.#state),
      ...(upkeepError && { upkeepError: upkeepError.message }),
    };
  }

  /**
   * Queues a change set. Security: it is validated as if an attacker had sent it.
   * Rejects with `ECONFLICT` and `data.paths` if a path has changed since the draft's base,
   * `ENOSPC` if the medium is full, `EIO` if it fails otherwise, and `invalid-input` for a
   * malformed set. Rejects with `EFENCED` once another writer has taken over, for this and every
   * later commit. Commits that wait for the same flush share it. A commit whose origin was already
   * answered isn't applied again.
   */
  async commit(changeSet: ChangeSet, options: CommitOptions): Promise<CommitResult> {
    const commit = { changeSet: validateChangeSet(changeSet), ...validateCommitOptions(options) };
    requireOutsideSessions(commit.changeSet, commit.root);
    return this.#enqueue(commit);
  }

  /**
   * Creates, drops or merges a root, or rewinds to one. Always has durability `power`. Rejects as
   * `commit` does.
   */
  async changeRoots(change: RootChange, options: CommitOptions): Promise<CommitResult> {
    const changeSet = { baseSeq: 0, changes: [] };
    const rootChange = validateRootChange(change);
    return this.#enqueue({ changeSet, ...validateCommitOptions(options), rootChange });
  }

  /** Appends to a stream, forks it or drops it. Rejects as `commit` does. */
  async changeStream(request: StreamRequest, options: StreamOptions): Promise<CommitResult> {
    const stream = validateStreamRequest(request);
    // A stream change has no author, because it changes no file.
    const { durability, origin } = options;
    const author = { kind: 'agent' } as const;
    const valid = validateCommitOptions({ author, durability, origin });
    return this.#enqueue({ changeSet: { baseSeq: 0, changes: [] }, ...valid, stream });
  }

  #enqueue(asked: Omit<PendingCommit, 'resolve' | 'reject'>): Promise<CommitResult> {
    const refusal = this.#closing ? createClosedError() : this.#log.refusal;
    if (refusal) throw refusal;
    // Large contents are uploaded while the commit waits. That doesn't change its place in the
    // queue.
    const commit = this.#stored?.begin(asked) ?? asked;
    return new Promise((resolve, reject) => {
      this.#queue.push({ ...commit, resolve, reject });
      this.#wake();
      this.#pump ??= this.#writeQueue();
    });
  }

  /** Called for the record of each acknowledged commit, in order, before the commit resolves. */
  onRecord(listener: (applied: AppliedRecord) => void): Disposable {
    return this.#onRecord.add(listener);
  }

  /**
   * The same for records that only change a stream. Both kinds are reported in the order of the
   * log.
   */
  onStreamRecord(listener: (applied: AppliedStreamRecord) => void): Disposable {
    return this.#onStreamRecord.add(listener);
  }

  /** Called for each record that changes a stream, once it is in the state. */
  onStreams(listener: () => void): Disposable {
    return this.#onStreams.add(listener);
  }

  /**
   * Called before compaction removes segments that `contents.packed` returned. New segments exist
   * by then.
   */
  onMoved(listener: () => void): Disposable {
    return this.#onMoved.add(listener);
  }

  /**
   * Idempotent. Waits for commits that are under way, then closes the medium. Later commits reject
   * with `EBADF`.
   */
  close(): Promise<void> {
    this.#closing ??= (async () => {
      this.#wake();
      await this.#pump;
      await this.#log.close(this.#state);
    })();
    return this.#closing;
  }

  get #ground(): Ground {
    return { state: this.#state, contents: this.contents, liveIds: this.#liveIds };
  }

  async #writeQueue(): Promise<void> {
    let hasRested = false;
    for (let isUpkeepDue = true; isUpkeepDue || this.#isWanted();) {
      await (this.#options.gather?.() ?? Promise.resolve());
      if (this.#queue.length > 0) {
        const prepared = await prepareGroup(this.#takeGroup(), this.#ground);
        await this.#writeGroup(this.#stored ? await this.#stored.finish(prepared) : prepared);
        hasRested = false;
      }
      for (const errand of this.#errands.splice(0)) await errand();
      const { rest } = this.#options;
      if (rest && !hasRested && !this.#isWanted() && !this.#closing) {
        await this.#restUntilWoken(rest);
        hasRested = !this.#isWanted();
      }
      // When the writer closes, the log itself decides whether to write a last image.
      const isIdle = this.#queue.length === 0;
      isUpkeepDue = !this.#closing && (await this.#log.upkeep(this.#state, isIdle));
    }
    this.#pump = undefined;
  }

  /** True if a commit or another task waits for the log. */
  #isWanted(): boolean {
    return this.#queue.length > 0 || this.#errands.length > 0;
  }

  /** `whenClosed` is the result if the writer is closed. */
  #runBetween<Value>(run: () => Promise<Value>, whenClosed: Value): Promise<Value> {
    if (this.#closing) return Promise.resolve(whenClosed);
    return new Promise((resolve, reject) => {
      this.#errands.push(() => run().then(resolve, reject));
      this.#wake();
      this.#pump ??= this.#writeQueue();
    });
  }

  async #restUntilWoken(rest: () => Promise<void>): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await Promise.race([rest(), woken]);
  }

  /** Takes all waiting commits, up to the size of one buffer and at least one. */
  #takeGroup(): PendingCommit[] {
    let bytes = 0;
    let count = 0;
    for (const commit of this.#queue) {
      bytes += contentBytes(commit);
      // 32 MB: a flush costs little beside it, and it can be in memory twice.
      if (count > 0 && (bytes > 33_554_432 || needsPreparing(commit, this.#ground))) break;
      count += 1;
    }
    return this.#queue.splice(0, count);
  }

  async #writeGroup(group: readonly PendingCommit[], isRetry = false): Promise<void> {
    const { refusal } = this.#log;
    if (refusal) {
      for (const commit of group) commit.reject(refusal);
      return;
    }
    const plans = planGroup(group, this.#state, {
      nextContentId: this.#log.nextContentId,
      sizeOf: (contentId) => this.#log.sizeOf(contentId),
      packBytes: this.#log.packBytes,
      nameOf: (bytes) => this.#stored?.nameOf(bytes),
    });
    try {
      await this.#append(plans);
    } catch (cause) {
      const error = toMediumError(cause);
      if (error.code === 'ENOSPC' && !isRetry) {
        const hasRoom = await this.#log.makeRoom(this.#state, lengthOf(plans));
        if (hasRoom) return this.#writeGroup(group, true);
      }
      if (plans.length === 1 || this.#log.refusal) {
        for (const { commit } of plans) commit.reject(this.#log.refusal ?? error);
        return;
      }
      // A single commit may be too large for the medium. The others must not fail with it.
      for (const { commit } of plans) await this.#writeGroup([commit]);
      return;
    }
    for (const plan of plans) {
      if (plan.type === 'planned') this.#acknowledge(plan);
      else if (plan.type === 'answered') plan.commit.resolve({ seq: plan.seq });
      else plan.commit.reject(plan.error);
    }
  }

  async #append(plans: readonly CommitOutcome[]): Promise<void> {
    const records = plans.flatMap((plan) => (plan.type === 'planned' ? [plan.encoded] : []));
    const needsPower = plans.some(
      (plan) =>
        plan.commit.durability === 'power' &&
        (plan.type === 'planned' || (plan.type === 'answered' && plan.isRepeated)),
    );
    if (records.length === 0 && !needsPower) return;
    await this.#log.append(records, needsPower ? 'power' : 'process', this.#state);
  }

  /**
   * From here on the commit is visible: first to readers, then to listeners, then to its client.
   */
  #acknowledge({ commit, applied, state }: PlannedCommit): void {
    if ('event' in applied) this.#liveIds.note(rootOf(this.#state, commit.root), applied.record);
    this.#state = state;
    if ('event' in applied) this.#onRecord.tell(applied);
    else this.#onStreamRecord.tell(applied);
    if (applied.record.stream) this.#onStreams.tell();
    commit.resolve({ seq: state.seq });
  }
}

/** Returns the number of bytes that a group appends to the log. */
function lengthOf(plans: readonly CommitOutcome[]): number {
  return plans.reduce(
    (sum, plan) => (plan.type === 'planned' ? sum + plan.encoded.bytes.length : sum),
    0,
  );
}

function contentBytes({ changeSet, stream }: PendingCommit): number {
  let bytes = 0;
  for (const change of changeSet.changes) {
    if (change.type === 'write' && change.content instanceof Uint8Array) {
      bytes += change.content.length;
    }
  }
  if (stream?.type !== 'append') return bytes;
  for (const { json, contents } of stream.entries) {
    bytes += contents.reduce((sum, { length }) => sum + length, json.length);
  }
  return bytes;
}
