// Where the changes of a settled call are committed: to a root of the workspace, or to the draft of
// the call that has made it.
import type { Change, ChangeSet, Version } from '../../core/change-set.ts';
import type { GitDeed } from '../../core/git/git-deed.ts';
import { isSameBytes } from '../../core/bytes/same-bytes.ts';
import type { JournalAppend } from '../journal/session-journal.ts';
import { getCallPath } from '../permissions/match-rule.ts';
import type { CommitOptions } from '../../workspace/workspace.ts';
import type { AllowedCall } from './authorize.ts';

/** The options of a commit. */
export interface KeepOptions extends Pick<CommitOptions, 'author' | 'merge'> {
  /** The journal's entries of the same record. */
  readonly append?: JournalAppend;
}

/**
 * The target to which `settle.ts` commits judged changes. For a session's root, the commit happens
 * at once.
 */
export interface ChangeTarget {
  /**
   * Resolves when a commit is possible. Rejects if none is possible any more. Left out: always
   * possible.
   */
  ready?(): Promise<void>;
  /**
   * Returns the version of the changes. Undefined: they are in another call's draft, and are
   * committed or dropped with it. Rejects like a workspace's commit.
   */
  commit(
    changeSet: ChangeSet,
    options: KeepOptions,
  ): Promise<{ readonly seq: Version } | undefined>;
}

/** Commits when none of the conversation's own calls runs. Rejects if the task is stopped first. */
export function whenIdle(task: { whenIdle(): Promise<void> }, target: ChangeTarget): ChangeTarget {
  return {
    // Waits before the commit begins: during it, calls of the conversation can't be recorded.
    ready: () => task.whenIdle(),
    commit: (changeSet, options) => target.commit(changeSet, options),
  };
}

/**
 * Leaves the changes in the draft of the outer call, and records that they were allowed.
 * `replaced`: that draft's earlier changes at the same paths.
 */
export function toOuterDraft(
  call: AllowedCall,
  replaced: readonly Change[],
  approvals: NestedApprovals,
): ChangeTarget {
  return {
    commit({ changes }) {
      approvals.add(call, changes, replaced);
      return Promise.resolve(undefined);
    },
  };
}

/**
 * What nested calls were allowed to leave in their outer call's draft. The same isn't asked about a second
 * time when that draft is committed.
 *
 * Security: what it covers is kept without a question, so it covers nothing that was never judged.
 */
export interface NestedApprovals {
  /**
   * The allowed nested call made these changes. `replaced` is what the draft had changed before at their paths. If the
   * cell itself did that, the file's earlier content wasn't judged, so the approval doesn't cover it. What a tool left
   * at another path than it was called with isn't either: a link of the cell's may have led it there.
   */
  add(call: AllowedCall, changes: readonly Change[], replaced: readonly Change[]): void;
  /** True if an allowed nested call has made exactly this change. */
  covers(change: Change): boolean;
  /** Records that a git command was allowed before it contacted its server. */
  allowErrand(command: string): void;
  /**
   * True if such a command was allowed. Its changes to git's own files then need no second
   * question.
   */
  allowsDeed(deed: Pick<GitDeed, 'command'>): boolean;
}

/** Starts without approvals. */
export function createNestedApprovals(): NestedApprovals {
  const approved = new Map<string, Change>();
  const errands = new Set<string>();
  const covers = (change: Change) => {
    const known = approved.get(change.path);
    return known !== undefined && isSameState(known, change);
  };
  return {
    add(call, changes, replaced) {
      const unjudged = new Set(
        replaced.filter((change) => !covers(change)).map(({ path }) => path),
      );
      for (const change of changes) {
        const { path } = change;
        if (unjudged.has(path) || !wasNamed(getCallPath(call, call.access.cwd), path))
          approved.delete(path);
        else approved.set(path, change);
      }
    },
    covers,
    allowErrand: (command) => void errands.add(command),
    allowsDeed: ({ command }) => errands.has(command),
  };
}

/**
 * True if the path was part of the question. A tool that is called without a path was allowed to
 * change any.
 */
function wasNamed(named: ReturnType<typeof getCallPath>, path: string): boolean {
  return named.type === 'none' || (named.type === 'path' && named.path === path);
}

/** True if both changes have the same result, except for times. */
function isSameState(one: Change, other: Change): boolean {
  if (one.type === 'write' && other.type === 'write') {
    return one.mode === other.mode && isSameContent(one.content, other.content);
  }
  // Links, and directories that are changed themselves, lead to another question: both are rare.
  return one.type === 'remove' && other.type === 'remove';
}

type Content = Extract<Change, { type: 'write' }>['content'];

function isSameContent(one: Content, other: Content): boolean {
  if (!(one instanceof Uint8Array && other instanceof Uint8Array)) {
    return 'contentId' in one && 'contentId' in other && one.contentId === other.contentId;
  }
  return isSameBytes(one, other);
}
