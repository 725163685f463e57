// Checks a group of commits, each against the state that the commits before it will make. Those
// that fit become records. Pure: the result counts only once the writer has appended it.
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

/** A checked change set that waits for its flush. */
export interface PendingCommit extends ValidCommitOptions {
  readonly changeSet: ChangeSet;
  readonly rootChange?: RootChange | undefined;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

/** An acknowledged record with the contents that it brought. What replicas are fed. */
export interface AppliedRecord {
  readonly record: WorkspaceRecord;
  /** The contents of its files. */
  readonly contents: readonly NewContent[];
  /** The contents of what it appended to a stream. Tool workers don't get them. */
  readonly streamContents: readonly NewContent[];
  readonly event: ChangeEvent;
}

/** An acknowledged record that changed a stream alone. What other tabs are fed. */
export interface AppliedStreamRecord {
  readonly record: StreamRecord;
  readonly streamContents: readonly NewContent[];
}

/** A commit that fits, and all that its acknowledgement will change. */
export interface PlannedCommit {
  readonly type: 'planned';
  readonly commit: PendingCommit;
  readonly applied: AppliedRecord | AppliedStreamRecord;
  readonly state: WorkspaceState;
  readonly encoded: EncodedRecord;
}

/** A commit without a record: it asks for nothing, or is a duplicate of one already applied. */
export interface AnsweredCommit {
  readonly type: 'answered';
  readonly commit: PendingCommit;
  readonly seq: number;
  /** A duplicate may ask for more durability than its first request did. */
  readonly isRepeated: boolean;
}

/** A commit that doesn't fit the state that the commits before it will make. */
export interface RefusedCommit {
  readonly type: 'refused';
  readonly commit: PendingCommit;
  readonly error: unknown;
}

export type CommitOutcome = PlannedCommit | AnsweredCommit | RefusedCommit;

/** What the log holds already. */
export interface GroupPlanOptions {
  /** The first free content id. */
  readonly nextContentId: ContentId;
  /** Throws for a content that isn't there. */
  sizeOf(contentId: ContentId): number;
  /** `LogLimits.packBytes` */
  readonly packBytes: number;
  /** The names of contents that are in a store by now. */
  readonly nameOf: NameOf;
}

/**
 * In the order of the group. No client is answered yet: a refused client that retries must find the
 * commit that refused it.
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
  // Before any conflict: a writer that has lost its stream must hear of that.
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
  // Applied before it is written: a record that can't be applied must not get into the log.
  const state = withRecord(before, record, plan.root);
  const { author } = commit;
  const event = { seq, root: commit.root, author, changes: toPathChanges(root, record) };
  const given = [...plan.contents, ...appended];
  const encoded = encodeRecord(record, given, options.nameOf);
  // The contents as encoded for the log: replicas get them in one piece, and the committer's
  // buffers are released.
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

/** The answer, where it is known without a write. */
function answerOf(
  commit: PendingCommit,
  state: WorkspaceState,
): { readonly seq: number; readonly isRepeated: boolean } | undefined {
  const { origin, rootChange, stream } = commit;
  const seq = origin && answerTo(state, origin);
  if (seq !== undefined) return { seq, isRepeated: true };
  // Several clients may ask for a session's root: the first one makes it.
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
