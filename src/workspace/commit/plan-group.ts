// Checks a group of commits, each against the state that the earlier ones produce. Those that fit
// become records. A pure function: its result takes effect once the writer has appended it.
import type { ChangeSet, ContentId } from '../../core/change-set.ts';
import { checkCommit } from './check-commit.ts';
import { conflictError } from './conflict-error.ts';
import { contentsOf, encodeRecord, encodeStreamRecord } from '../log/record-codec.ts';
import type { EncodedRecord, NameOf } from '../log/record-codec.ts';
import { planCommit } from './plan-commit.ts';
import { checkStreamRequest, planStream, type StreamPlan } from './plan-stream.ts';
import { toPathChanges } from '../state/record.ts';
import type { NewContent, RecordedChange, RootChange, WorkspaceRecord } from '../state/record.ts';
import { answerTo, applyStreamRecord, mainRootId, rootOf, withRecord } from '../state/state.ts';
import type { WorkspaceState } from '../state/state.ts';
import type { StreamChange, StreamRecord } from '../state/stream-state.ts';
import type { ValidCommitOptions } from './validate-commit.ts';
import type { ChangeEvent, CommitResult } from '../workspace.ts';

/** A validated change set that waits to be written. */
export interface PendingCommit extends ValidCommitOptions {
  readonly changeSet: ChangeSet;
  readonly rootChange?: RootChange | undefined;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

/** An acknowledged record with its new contents, as replicas receive it. */
export interface AppliedRecord {
  readonly record: WorkspaceRecord;
  /** New contents of files. */
  readonly contents: readonly NewContent[];
  /** New contents of a stream. Tool workers don't receive them. */
  readonly streamContents: readonly NewContent[];
  readonly event: ChangeEvent;
}

/** An acknowledged record that only changed a stream, as other tabs receive it. */
export interface AppliedStreamRecord {
  readonly record: StreamRecord;
  readonly streamContents: readonly NewContent[];
}

/** A commit that fits, and everything that its acknowledgement will change. */
export interface PlannedCommit {
  readonly type: 'planned';
  readonly commit: PendingCommit;
  readonly applied: AppliedRecord | AppliedStreamRecord;
  readonly state: WorkspaceState;
  readonly encoded: EncodedRecord;
}

/** A commit that needs no record: it changes nothing, or was applied before. */
export interface AnsweredCommit {
  readonly type: 'answered';
  readonly commit: PendingCommit;
  readonly seq: number;
  /** True for a repeated commit, which may ask for more durability than the first. */
  readonly isRepeated: boolean;
}

/** A commit that doesn't fit the state that the earlier ones produce. */
export interface RefusedCommit {
  readonly type: 'refused';
  readonly commit: PendingCommit;
  readonly error: unknown;
}

export type CommitOutcome = PlannedCommit | AnsweredCommit | RefusedCommit;

/** The contents that the log has. */
export interface GroupPlanOptions {
  /** The first free content id. */
  readonly nextContentId: ContentId;
  /** Throws if there is no such content. */
  sizeOf(contentId: ContentId): number;
  /** `LogLimits.packBytes` */
  readonly packBytes: number;
  /** The store's names of contents that are in it. */
  readonly nameOf: NameOf;
}

/**
 * Plans the commits in order. No client is answered yet: a refused client that retries must see the
 * commit that caused the refusal.
 */
export function planGroup(
  group: readonly PendingCommit[],
  before: WorkspaceState,
  options: GroupPlanOptions,
): CommitOutcome[] {
  const plans: CommitOutcome[] = [];
  let state = before;
  let { nextContentId } = options;
  for (const commit of group) {
    try {
      const answered = answerOf(commit, state);
      if (answered) {
        plans.push({ type: 'answered', commit, ...answered });
        continue;
      }
      const planned = planOne(commit, state, { ...options, nextContentId });
      plans.push(planned);
      state = planned.state;
      nextContentId += planned.encoded.contents.length;
    } catch (error) {
      plans.push({ type: 'refused', commit, error });
    }
  }
  return plans;
}

function planOne(
  commit: PendingCommit,
  before: WorkspaceState,
  options: GroupPlanOptions,
): PlannedCommit {
  const { stream: request } = commit;
  checkCommit(before, commit);
  // Checked before conflicts: a writer that has lost its stream must get that error.
  if (request) checkStreamRequest(before.streams, request);
  if (request && changesNoRoot(commit)) {
    const plan = planStream(before.streams, request, options);
    return planAside(commit, before, plan, options.nameOf);
  }
  const seq = before.seq + 1;
  const root = rootOf(before, commit.root);
  const plan = planCommit(root, commit.changeSet, { seq, ...options });
  if (plan.type === 'conflict') throw conflictError(plan.paths);
  const nextContentId = options.nextContentId + plan.contents.length;
  const streamPlan =
    request && planStream(before.streams, request, { ...options, nextContentId, seq });
  const { change: stream, contents: appended = [] } = streamPlan ?? {};
  const record = toRecord(commit, { seq, changes: plan.changes, stream });
  // Applied before it is written, because a record that can't be applied must never be in the log.
  const state = withRecord(before, record, plan.root);
  const { author } = commit;
  const event = { seq, root: commit.root, author, changes: toPathChanges(root, record) };
  const given = [...plan.contents, ...appended];
  const encoded = encodeRecord(record, given, options.nameOf);
  // Contents as views of the encoded record: replicas get one buffer, and the committer's buffers
  // can be freed.
  const all = contentsOf(encoded, given);
  const contents = all.slice(0, plan.contents.length);
  const streamContents = all.slice(plan.contents.length);
  const applied = { record, contents, streamContents, event };
  return { type: 'planned', commit, applied, state, encoded };
}

/** Plans a commit that only changes a stream. */
function planAside(
  commit: PendingCommit,
  before: WorkspaceState,
  { change, contents }: StreamPlan,
  nameOf: NameOf,
): PlannedCommit {
  const { origin } = commit;
  const revision = before.revision + 1;
  const record: StreamRecord = { revision, stream: change, ...(origin && { origin }) };
  const state = applyStreamRecord(before, record);
  const encoded = encodeStreamRecord(before.seq, record, contents, nameOf);
  const applied = { record, streamContents: contentsOf(encoded, contents) };
  return { type: 'planned', commit, applied, state, encoded };
}

function changesNoRoot({ changeSet, rootChange }: PendingCommit): boolean {
  return changeSet.changes.length === 0 && !rootChange;
}

/** Returns the answer to a commit that needs no write. */
function answerOf(
  commit: PendingCommit,
  state: WorkspaceState,
): { readonly seq: number; readonly isRepeated: boolean } | undefined {
  const { origin, rootChange, stream } = commit;
  const seq = origin && answerTo(state, origin);
  if (seq !== undefined) return { seq, isRepeated: true };
  // Several clients may ask for a session's root. The first one creates it.
  const isThere = rootChange?.type === 'make-session' && state.roots.has(rootChange.id);
  if (isThere) return { seq: state.seq, isRepeated: true };
  const isEmpty = changesNoRoot(commit) && !stream;
  return isEmpty ? { seq: state.seq, isRepeated: false } : undefined;
}

function toRecord(
  { author, root, rootChange, origin }: PendingCommit,
  {
    seq,
    changes,
    stream,
  }: {
    readonly seq: number;
    readonly changes: readonly RecordedChange[];
    readonly stream: StreamChange | undefined;
  },
): WorkspaceRecord {
  return {
    seq,
    author,
    ...(root !== mainRootId && { root }),
    changes,
    ...(rootChange && { rootChange }),
    ...(stream && { stream }),
    ...(origin && { origin }),
  };
}
