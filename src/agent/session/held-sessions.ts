// Who has which session open. One owner at a time in this realm, and one of several tabs runs it. Used by
// find-session.ts, and by whatever changes a session that may be open, such as its title.
import { SdkError } from '../../core/errors.ts';
import type { PermissionMode } from '../../core/permissions/permission.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { Host } from '../host.ts';
import type { SessionJournal } from '../journal/session-journal.ts';
import type { RunnerRequests } from '../tabs/runner-requests.ts';

/** Where sessions are held. */
export type HoldingHost = Pick<Host, 'workspace' | 'tabs'>;

/** Dispose it when nothing is recorded any more: the session may be opened again then. Idempotent. */
export interface HeldSession extends Disposable {
  /**
   * Undefined where it may be run here. Else another tab runs it, and this resolves when it may be: that tab has
   * let it go, or is gone. Never once it is disposed.
   */
  readonly whenFree: Promise<void> | undefined;
  /** Resolves when it is disposed. */
  readonly whenLetGo: Promise<void>;
  /** Resolves when the session may be opened again: it is disposed, and so is all that retains it. */
  readonly whenReleased: Promise<void>;
  /** Nobody else may open the session until what is given is disposed, too. */
  retain(): Disposable;
  /** All that is recorded must go by it while it is there. Undefined while the session is being loaded. */
  journal: SessionJournal | undefined;
  /** The permission mode that it has now. Undefined while it is being loaded, or another tab runs it. */
  mode: (() => PermissionMode) | undefined;
  /** Whoever has it open closes it: who opens it now waits for that. */
  isEnding: boolean;
  /** Asks the tab that runs it. */
  runner: Pick<RunnerRequests, 'note'> | undefined;
}

const held = new WeakMap<Workspace, Map<string, HeldSession>>();

/**
 * To run it. Where tabs don't share their sessions, other realms are told apart by the journal itself: whoever
 * appends second gets `EFENCED`.
 *
 * @throws SdkError `bad-usage` where the session is open here already, or another tab runs it.
 */
export async function holdSession(
  host: HoldingHost,
  id: string,
  remedy = `Close it there, or follow it from here by openSession with resume: '${id}'.`,
): Promise<HeldSession> {
  const session = await joinSession(host, id);
  if (!session.whenFree) return session;
  session[Symbol.dispose]();
  throw createRunningError(id, remedy);
}

/**
 * To run it, now or as soon as no other tab does. One that is being closed here is waited for. Throws `bad-usage` where
 * it is open here already.
 */
export async function joinSession(
  { workspace, tabs }: HoldingHost,
  id: string,
): Promise<HeldSession> {
  const sessions = held.get(workspace) ?? new Map<string, HeldSession>();
  held.set(workspace, sessions);
  for (let other = sessions.get(id); other; other = sessions.get(id)) {
    if (!other.isEnding) throw createOpenError(id);
    await other.whenReleased;
  }
  const waiting = new AbortController();
  const isOver = () => waiting.signal.aborted;
  let lease: Disposable | undefined;
  let letGo: () => void = () => undefined;
  let released: () => void = () => undefined;
  let retained = 0;
  const session: { whenFree: HeldSession['whenFree'] } & HeldSession = {
    whenFree: undefined,
    whenLetGo: new Promise((resolve) => (letGo = resolve)),
    whenReleased: new Promise((resolve) => (released = resolve)),
    retain() {
      retained += 1;
      return {
        [Symbol.dispose]() {
          retained -= 1;
          if (isOver()) release();
        },
      };
    },
    journal: undefined,
    mode: undefined,
    isEnding: false,
    runner: undefined,
    [Symbol.dispose]() {
      waiting.abort();
      release();
      letGo();
    },
  };
  function release(): void {
    if (retained > 0) return;
    lease?.[Symbol.dispose]();
    if (sessions.get(id) === session) sessions.delete(id);
    released();
  }
  sessions.set(id, session);
  if (!tabs) return session;
  try {
    lease = await tabs.tryHold(id);
  } catch (error) {
    session[Symbol.dispose]();
    throw error;
  }
  if (isOver()) lease?.[Symbol.dispose]();
  if (lease) return session;
  const whenFree = new Promise<void>((resolve, reject) => {
    tabs.hold(id, waiting.signal).then(
      (given) => {
        lease = given;
        if (isOver()) lease[Symbol.dispose]();
        else resolve();
      },
      (error: unknown) => {
        if (!isOver()) reject(error);
      },
    );
  });
  // Whoever awaits it hears of a failure. Otherwise it must not count as unhandled.
  whenFree.catch(() => undefined);
  session.whenFree = whenFree;
  return session;
}

/** The session as it is open in this realm; undefined where it isn't. */
export function findHeldSession(workspace: Workspace, id: string): HeldSession | undefined {
  return held.get(workspace)?.get(id);
}

/**
 * Resolves when what they have recorded by now has landed, as far as it can, for all sessions that are open here.
 * Never rejects: each session hears of its own failures.
 */
export async function flushSessions(workspace: Workspace): Promise<void> {
  const sessions = [...(held.get(workspace)?.values() ?? [])];
  await Promise.allSettled(sessions.map(({ journal }) => journal?.flush()));
}

interface RunningSessions {
  readonly journals: Set<SessionJournal>;
  ended: SdkError | undefined;
}

const running = new WeakMap<Workspace, RunningSessions>();

function listRunning(workspace: Workspace): RunningSessions {
  const found = running.get(workspace) ?? { journals: new Set(), ended: undefined };
  running.set(workspace, found);
  return found;
}

/** The session runs on this workspace until what is given is disposed, whether it is kept or not. */
export function noteRunning(workspace: Workspace, journal: SessionJournal): Disposable {
  const { journals, ended } = listRunning(workspace);
  journals.add(journal);
  if (ended) journal.breakOff(ended);
  return { [Symbol.dispose]: () => void journals.delete(journal) };
}

/**
 * Ends the sessions that run on the workspace of a host that ends. Their turns, and what they asked
 * of models, end at once, with this reason. Nothing of that is recorded, so a kept session
 * continues when it is opened again.
 */
export function breakOffSessions(workspace: Workspace, reason: SdkError): void {
  const sessions = listRunning(workspace);
  sessions.ended ??= reason;
  for (const journal of sessions.journals) journal.breakOff(sessions.ended);
}

function createOpenError(id: string): SdkError {
  return new SdkError(
    'bad-usage',
    `The session ${id} is open here already. Use that one, or close it first; a query holds its session until it has been read to its end or left.`,
    { data: { sessionId: id } },
  );
}

function createRunningError(id: string, remedy: string): SdkError {
  return new SdkError('bad-usage', `Another tab runs the session ${id}. ${remedy}`, {
    data: { sessionId: id },
  });
}
