// The working directory of an agent, by the journal: the session's first directory, or a work tree
// that the agent has entered. Rules stay relative to the first directory. Created by
// create-session.ts, and for a sub-agent by agents/create-agent.ts.
import { worktreesFolder } from '../../../core/access/rule-place.ts';
import type { DirectoryCopy, RulePlace } from '../../../core/access/rule-place.ts';
import { isRecord } from '../../../core/values/is-record.ts';
import { dirname, joinPath } from '../../../core/path.ts';
import type { EnteredWorktree, LeftWorktree } from '../../../core/session/session-worktrees.ts';
import type { SessionFold } from '../../journal/fold.ts';
import type { SessionJournal } from '../../journal/session-journal.ts';
import { worktreeState } from '../../journal/worktree-state.ts';

/** The place of one agent. Its values change as entries are recorded. */
export interface WorkPlace {
  /**
   * The absolute working directory of the newest message's calls. It is the same for all calls of a
   * message: the directory at the time of the message.
   */
  readonly cwd: string;
  /** The working directory of the next message's calls. */
  readonly next: string;
  /** The session's first directory, and the directories that are copies of it. */
  readonly rulesFrom: RulePlace;
  /** The work tree in which the agent works. Undefined: none. */
  readonly worktree: EnteredWorktree | undefined;
}

/** The value of the state {@link worktreeState}: the agent has entered a work tree, or left it. */
export type WorktreeState =
  | {
      readonly type: 'in';
      /** The id of the call that entered the work tree. */
      readonly callId: string;
      readonly worktree: EnteredWorktree;
      /** The directory that the work tree copies. */
      readonly of: string;
    }
  | { readonly type: 'left'; readonly callId: string; readonly left: LeftWorktree };

/**
 * The work trees outside the usual folder in which an agent of the session has worked. A rewind
 * keeps them, because their files may still exist.
 */
export interface KnownCopies {
  list(): readonly DirectoryCopy[];
}

/** `journal`: the journal of the main agent. */
export function createKnownCopies(journal: Pick<SessionJournal, 'fold' | 'onEntry'>): KnownCopies {
  const known = new Map<string, DirectoryCopy>();
  const learn = (value: unknown) => {
    const state = readState(value);
    if (state?.type !== 'in') return;
    const { worktree, of } = state;
    // The path of a copy in this folder shows which directory it copies.
    if (dirname(worktree.path) === joinPath(of, worktreesFolder)) return;
    known.set(worktree.path, { path: worktree.path, of });
  };
  for (const value of journal.fold.worktrees) learn(value);
  journal.onEntry((entry) => {
    if (entry.type === 'state' && entry.key === worktreeState) learn(entry.value);
  });
  return { list: () => [...known.values()] };
}

/** `began`: the session's first working directory. `start`: the agent's first one. */
export function createWorkPlace(
  fold: Pick<SessionFold, 'states' | 'workplace'>,
  copies: KnownCopies,
  began: string,
  start: string = began,
): WorkPlace {
  const newest = () => readState(fold.states.get(worktreeState));
  return {
    get cwd() {
      return toWorktreeCwd(readState(fold.workplace), start);
    },
    get next() {
      return toWorktreeCwd(newest(), start);
    },
    get rulesFrom() {
      return { cwd: began, copies: copies.list() };
    },
    get worktree() {
      const state = newest();
      return state?.type === 'in' ? state.worktree : undefined;
    },
  };
}

/**
 * The working directory of an agent with this state. `start`: the directory of an agent without a
 * state.
 */
export function toWorktreeCwd(state: WorktreeState | undefined, start: string): string {
  if (!state) return start;
  return state.type === 'in' ? state.worktree.path : state.left.from;
}

/** Reads a state; undefined if the value isn't one. An imported session may have any value. */
export function readState(value: unknown): WorktreeState | undefined {
  if (!isRecord(value) || typeof value['callId'] !== 'string') return undefined;
  const { type, worktree, of, left } = value;
  const isIn = type === 'in' && isPlace(worktree) && isPath(of);
  const isLeft = type === 'left' && isPlace(left);
  return isIn || isLeft ? (value as unknown as WorktreeState) : undefined;
}

function isPlace(value: unknown): boolean {
  return isRecord(value) && isPath(value['path']) && isPath(value['from']);
}

function isPath(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('/');
}
