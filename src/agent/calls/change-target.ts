// Where the changes of a settled call go: a root of the workspace, or the draft of the call that made it.
import type { Change, ChangeSet, Version } from '../../core/change-set.ts';
import type { GitDeed } from '../../core/git/git-deed.ts';
import type { JournalAppend } from '../journal/session-journal.ts';
import { getCallPath } from '../permissions/match-rule.ts';
import type { CommitOptions } from '../../workspace/workspace.ts';
import type { AllowedCall } from './authorize.ts';

/** How changes are kept. */
export interface KeepOptions extends Pick<CommitOptions, 'author' | 'merge'> {
  /** What the journal records with them. */
  readonly append?: JournalAppend;
}

/** What `settle.ts` gives a judged change set to. A session's root is one: it commits at once. */
export interface ChangeTarget {
  /** Resolves when a commit may come. Rejects where none may come any more. Left out: at any time. */
  ready?(): Promise<void>;
  /**
   * Gives the version of the changes. Undefined: they are in another call's draft, and kept or
   * dropped with it. Rejects as a workspace's commit does.
   */
  commit(
    changeSet: ChangeSet,
    options: KeepOptions,
  ): Promise<{ readonly seq: Version } | undefined>;
}

/** Commits when none of the conversation's own calls runs. Rejects when the task is stopped first. */
export function whenIdle(task: { whenIdle(): Promise<void> }, target: ChangeTarget): ChangeTarget {
  return {
    // Beforehand: while something is committed, calls of the conversation can't be recorded.
    ready: () => task.whenIdle(),
    commit: (changeSet, options) => target.commit(changeSet, options),
  };
}

/**
 * Leaves them in the draft of the call whose code made this one, and notes that they were allowed.
 * `replaced` is what that draft had changed before at the same paths.
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
  /** Is this exactly what an allowed nested call has left at the path? */
  covers(change: Change): boolean;
  /** A command of git was allowed before it reached its server. */
  allowErrand(command: string): void;
  /** Was such a command allowed? What it then did in git's own files needs no second question. */
  allowsDeed(deed: Pick<GitDeed, 'command'>): boolean;
}

/** Covers nothing yet. */
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

/** Was this path in the question? A tool that is called without a path was allowed whatever it does. */
function wasNamed(named: ReturnType<typeof getCallPath>, path: string): boolean {
  return named.type === 'none' || (named.type === 'path' && named.path === path);
}

/** Do both leave the same at their path? Times don't matter. */
function isSameState(one: Change, other: Change): boolean {
  if (one.type === 'write' && other.type === 'write') {
    return one.mode === other.mode && isSameContent(one.content, other.content);
  }
  // A person is asked again about links, and about directories made for themselves: both are rare.
  return one.type === 'remove' && other.type === 'remove';
}

type Content = Extract<Change, { type: 'write' }>['content'];

function isSameContent(one: Content, other: Content): boolean {
  if (!(one instanceof Uint8Array && other instanceof Uint8Array)) {
    return 'contentId' in one && 'contentId' in other && one.contentId === other.contentId;
  }
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
