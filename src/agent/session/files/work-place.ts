// The directory that an agent works in, by the journal: where the session began, or a work tree
// that the agent has entered. Rules stay those of the session's beginning. Made by
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
   * The working directory of the newest message's calls, absolute. Within a message it doesn't
   * change: each call works where the model was when it asked for the call.
   */
  readonly cwd: string;
  /** The working directory of the next message's calls. */
  readonly next: string;
  /** The directory where the session began, and the directories that are copies of it. */
  readonly rulesFrom: RulePlace;
  /** The work tree that the agent is in now. Undefined: in none. */
  readonly worktree: EnteredWorktree | undefined;
}

/** The state under {@link worktreeState} of an agent that has entered a work tree, or left it. */
export type WorktreeState =
  | {
      readonly type: 'in';
      /** The id of the call that entered it. */
      readonly callId: string;
      readonly worktree: EnteredWorktree;
      /** The directory that the work tree is a copy of. */
      readonly of: string;
    }
  | { readonly type: 'left'; readonly callId: string; readonly left: LeftWorktree };

/**
 * The copies elsewhere that any agent of the session has worked in. A rewind leaves them: their
 * files may still be there.
 */
export interface KnownCopies {
  list(): readonly DirectoryCopy[];
}

/** `journal`: that of the session's own agent. */
export function createKnownCopies(journal: Pick<SessionJournal, 'fold' | 'onEntry'>): KnownCopies {
  const known = new Map<string, DirectoryCopy>();
  const learn = (value: unknown) => {
    const state = readState(value);
    if (state?.type !== 'in') return;
    const { worktree, of } = state;
    // The path of a copy in this folder says by itself which directory it is a copy of.
    if (dirname(worktree.path) === joinPath(of, worktreesFolder)) return;
    known.set(worktree.path, { path: worktree.path, of });
  };
  for (const value of journal.fold.worktrees) learn(value);
  journal.onEntry((entry) => {
    if (entry.type === 'state' && entry.key === worktreeState) learn(entry.value);
  });
  return { list: () => [...known.values()] };
}

/** `began`: the session's first working directory. `start`: the agent's own. */
export function createWorkPlace(
  fold: Pick<SessionFold, 'states' | 'workplace'>,
  copies: KnownCopies,
  began: string,
  start: string = began,
): WorkPlace {
  const newest = () => readState(fold.states.get(worktreeState));
  return {
    get cwd() {
      return toCwd(readState(fold.workplace), start);
    },
    get next() {
      return toCwd(newest(), start);
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

/** The working directory of an agent with this state. `start`: that of an agent without one. */
export function toCwd(state: WorktreeState | undefined, start: string): string {
  if (!state) return start;
  return state.type === 'in' ? state.worktree.path : state.left.from;
}

/**
 * Reads a state. An imported session may hold anything. Undefined for a value that is no such
 * state.
 */
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
