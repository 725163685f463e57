// Checks a group of commits, each against the state that the commits before it will make. Those
// that fit become records. Pure: the result counts only once the writer has appended it.
import type { ChangeSet, ContentId } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import { checkCommit } from './check-commit.ts';
import { contentsOf, encodeRecord, type EncodedRecord } from '../log/record-codec.ts';
import { planCommit } from './plan-commit.ts';
import { toPathChanges } from '../state/record.ts';
import type { NewContent, RecordedChange, RootChange, WorkspaceRecord } from '../state/record.ts';
import { answerTo, mainRootId, rootOf, withRecord, type WorkspaceState } from '../state/state.ts';
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
  readonly contents: readonly NewContent[];
  readonly event: ChangeEvent;
}

/** A commit that fits, and all that its acknowledgement will change. */
export interface PlannedCommit {
  readonly type: 'planned';
  readonly commit: PendingCommit;
  readonly applied: AppliedRecord;
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
      nextContentId += planned.applied.contents.length;
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
  const seq = before.seq + 1;
  checkCommit(before, commit);
  const root = rootOf(before, commit.root);
  const plan = planCommit(root, commit.changeSet, { seq, ...options });
  if (plan.type === 'conflict') throw conflictError(plan.paths);
  const record = toRecord(commit, seq, plan.changes);
  // Applied before it is written: a record that can't be applied must not get into the log.
  const state = withRecord(before, record, plan.root);
  const { author } = commit;
  const event = { seq, root: commit.root, author, changes: toPathChanges(root, record) };
  const encoded = encodeRecord(record, plan.contents);
  // The contents as encoded for the log: replicas get them in one piece, and the committer's
  // buffers are released.
  const applied = { record, contents: contentsOf(encoded), event };
  return { type: 'planned', commit, applied, state, encoded };
}

/** The answer, where it is known without a write. */
function answerOf(
  { origin, changeSet, rootChange }: PendingCommit,
  state: WorkspaceState,
): { readonly seq: number; readonly isRepeated: boolean } | undefined {
  const seq = origin && answerTo(state, origin);
  if (seq !== undefined) return { seq, isRepeated: true };
  // Several clients may ask for a session's root: the first one makes it.
  const isThere = rootChange?.type === 'make-session' && state.roots.has(rootChange.id);
  if (isThere) return { seq: state.seq, isRepeated: true };
  const isEmpty = changeSet.changes.length === 0 && !rootChange;
  return isEmpty ? { seq: state.seq, isRepeated: false } : undefined;
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

function conflictError(paths: readonly string[]): SdkError {
  const shown = paths.slice(0, 5).join(', ') + (paths.length > 5 ? ', …' : '');
  return new SdkError(
    'ECONFLICT',
    `ECONFLICT: changed since it was read: ${shown}. Nothing was written; read again and redo it.`,
    { data: { paths } },
  );
}
