// The only writer of a workspace. It checks, numbers, appends and flushes commits in groups, and
// acknowledges them only then. It runs no tool code: in a tab it lives in the FS worker.
import type { ChangeSet } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import type { ContentSource } from '../state/content-source.ts';
import { LiveContentIds } from './live-content-ids.ts';
import { toMediumError } from '../log/log-error.ts';
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

/** How a writer fits the realm that it runs in. */
export interface WorkspaceWriterOptions {
  readonly name: string;
  /** Bytes that a file may have that `Workspace.fs` writes. @defaultValue what every view takes, 1 GiB */
  readonly maxFileBytes?: number;
  /**
   * Awaited before each group of commits is written. A realm that gets commits by messages lets
   * queued ones arrive first, so that they share a flush. Default: one microtask.
   */
  readonly gather?: () => Promise<void>;
  /**
   * Awaited after a commit, before upkeep that can wait (an image, all pieces of a compaction). The
   * next commit ends the wait. A client that commits in sequence thus doesn't wait for an image.
   * Default: no wait.
   */
  readonly rest?: () => Promise<void>;
  /**
   * Receives what a listener threw; the commit stands. Default: it surfaces as an uncaught error.
   */
  readonly onListenerError?: (error: unknown) => void;
  /** @internal Other limits, for media with other costs, and for tests. */
  readonly limits?: Partial<LogLimits>;
}

/**
 * Recovers the log, takes it over and opens it for writing. The writer owns the medium from here on:
 * `close` closes it, and so does a failure to open. Rejects with `EIO` for a log that it can't read,
 * `ENOSPC` where not even an empty one fits.
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
 * Serialises commits. Every commit is either acknowledged or rejected. An acknowledged commit is in the log and in
 * `state`, and every listener was called, in the order of the numbers. A rejected commit has left
 * nothing. There are two exceptions, after which the next owner may find the commit in the log. One
 * is `EFENCED`. The other is a failed write that could not be undone: `EIO`, and {@link
 * WorkspaceWriter.refusal} from then on.
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
  /** Work that runs between two groups of commits: the log takes one call at a time. */
  readonly #errands: (() => Promise<void>)[] = [];
  readonly #liveIds = new LiveContentIds();
  readonly #stored: StoredContents | undefined;
  #state: WorkspaceState;
  #pump: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  /** Ends a rest. */
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
    // Repairs what recovery found damaged before the first caller waits for it.
    this.#pump = this.#writeQueue();
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

  get maxFileBytes(): number | undefined {
    return this.#options.maxFileBytes;
  }

  /** Which ownership of the medium it is: higher than every one before. */
  get epoch(): number {
    return this.#log.epoch;
  }

  /** Set once nothing can be committed any more: `EFENCED`, or `EIO` when the log's end is unknown. */
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
   * Queues a change set. Security: it is checked as if an attacker had sent it.
   *
   * Rejects with `ECONFLICT` and `data.paths` when a path has moved on. Rejects with `ENOSPC` when
   * the medium is full, and with `EIO` when it fails otherwise. Rejects with `EFENCED` once another
   * writer has taken over, and so does every commit after it. Rejects with `invalid-input` for a
   * malformed set. Commits that wait for the same flush share it. One whose origin was answered
   * already isn't applied again.
   */
  async commit(changeSet: ChangeSet, options: CommitOptions): Promise<CommitResult> {
    const commit = { changeSet: validateChangeSet(changeSet), ...validateCommitOptions(options) };
    requireOutsideSessions(commit.changeSet, commit.root);
    return this.#enqueue(commit);
  }

  /** Makes, drops or merges a root, or rewinds to one. As durable as `power`. Rejects as `commit` does. */
  async changeRoots(change: RootChange, options: CommitOptions): Promise<CommitResult> {
    const changeSet = { baseSeq: 0, changes: [] };
    const rootChange = validateRootChange(change);
    return this.#enqueue({ changeSet, ...validateCommitOptions(options), rootChange });
  }

  /** Appends to a stream, forks it or drops it. Rejects as `commit` does. */
  async changeStream(request: StreamRequest, options: StreamOptions): Promise<CommitResult> {
    const stream = validateStreamRequest(request);
    // It changes no file, so it has no author.
    const { durability, origin } = options;
    const author = { kind: 'agent' } as const;
    const valid = validateCommitOptions({ author, durability, origin });
    return this.#enqueue({ changeSet: { baseSeq: 0, changes: [] }, ...valid, stream });
  }

  #enqueue(asked: Omit<PendingCommit, 'resolve' | 'reject'>): Promise<CommitResult> {
    const refusal = this.#closing ? closedError() : this.#log.refusal;
    if (refusal) throw refusal;
    // On their way while the commit waits for its turn. They don't change its place in the queue.
    const commit = this.#stored?.begin(asked) ?? asked;
    return new Promise((resolve, reject) => {
      this.#queue.push({ ...commit, resolve, reject });
      this.#wake();
      this.#pump ??= this.#writeQueue();
    });
  }

  /** Called for each acknowledged commit's record, in order, before the commit resolves. */
  onRecord(listener: (applied: AppliedRecord) => void): Disposable {
    return this.#onRecord.add(listener);
  }

  /** The same for records that change a stream alone. Both are told in the order of the log. */
  onStreamRecord(listener: (applied: AppliedStreamRecord) => void): Disposable {
    return this.#onStreamRecord.add(listener);
  }

  /** Called for each record that changes a stream, once the state has it. */
  onStreams(listener: () => void): Disposable {
    return this.#onStreams.add(listener);
  }

  /**
   * Called before compaction removes segments that `contents.packed` returned; new ones exist by
   * then.
   */
  onMoved(listener: () => void): Disposable {
    return this.#onMoved.add(listener);
  }

  /** Idempotent. Waits for the commits under way, then closes the medium. Later commits reject with `EBADF`. */
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
      // When the writer closes, the log itself decides about a last image.
      const isIdle = this.#queue.length === 0;
      isUpkeepDue = !this.#closing && (await this.#log.upkeep(this.#state, isIdle));
    }
    this.#pump = undefined;
  }

  /** Is a commit or another task waiting for the log? */
  #isWanted(): boolean {
    return this.#queue.length > 0 || this.#errands.length > 0;
  }

  /** `whenClosed`: the result once the writer is closed. */
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

  /** All waiting commits, up to the size of one buffer; always at least one. */
  #takeGroup(): PendingCommit[] {
    let bytes = 0;
    let count = 0;
    for (const commit of this.#queue) {
      bytes += contentBytes(commit);
      // 32 MB: enough to make a flush's cost vanish, little enough to be held twice.
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
      // One commit may be too large for the medium. The others must not fail with it.
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

  /** From here on the commit is visible: to readers first, then listeners, then its client. */
  #acknowledge({ commit, applied, state }: PlannedCommit): void {
    if ('event' in applied) this.#liveIds.note(rootOf(this.#state, commit.root), applied.record);
    this.#state = state;
    if ('event' in applied) this.#onRecord.tell(applied);
    else this.#onStreamRecord.tell(applied);
    if (applied.record.stream) this.#onStreams.tell();
    commit.resolve({ seq: state.seq });
  }
}

function closedError(): SdkError {
  return new SdkError('EBADF', 'The workspace is closed. Open it again to change it.');
}

/** The bytes that a group appends to the log. */
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
