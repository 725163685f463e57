// Keeps the open sessions of this realm. Each has one owner in the realm, and only one of several
// tabs runs it. Used by find-session.ts, and by code that changes a session which may be open, such
// as its title.
import { createDeferred } from '../../core/async/deferred.ts';
import { SdkError } from '../../core/errors.ts';
import type { PermissionMode } from '../../core/permissions/permission.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { Host } from '../host.ts';
import type { SessionJournal } from '../journal/session-journal.ts';
import type { RunnerRequests } from '../tabs/runner-requests.ts';

/** The parts of the host that this module uses. */
export type HoldingHost = Pick<Host, 'workspace' | 'tabs'>;

/**
 * An open session. Dispose it after the last entry is recorded; then the session may be opened
 * again. Idempotent.
 */
export interface HeldSession extends Disposable {
  /**
   * Undefined if the session may run here. Otherwise another tab runs it, and this resolves when
   * that tab has closed it or is gone. It never resolves after a disposal.
   */
  readonly whenFree: Promise<void> | undefined;
  /** Resolves when it is disposed. */
  readonly whenLetGo: Promise<void>;
  /**
   * Resolves when the session may be opened again: it is disposed, and so are all objects from
   * {@link retain}.
   */
  readonly whenReleased: Promise<void>;
  /** Blocks new openings of the session until the returned object is disposed too. */
  retain(): Disposable;
  /**
   * The journal. While it is set, all entries must be recorded through it. Undefined while the
   * session is being loaded.
   */
  journal: SessionJournal | undefined;
  /**
   * The present permission mode. Undefined while the session is being loaded, or another tab runs
   * it.
   */
  mode: (() => PermissionMode) | undefined;
  /** The session is being closed. A new opening waits for the end of that. */
  isEnding: boolean;
  /** Closes the session, because it is deleted. Undefined for a query, which only its reader ends. */
  leave: (() => void) | undefined;
  /** Sends requests to the tab that runs the session. */
  runner: Pick<RunnerRequests, 'note'> | undefined;
}

const held = new WeakMap<Workspace, Map<string, HeldSession>>();

/**
 * Opens a session to run it. Without shared tabs the journal separates realms: the second one to
 * append gets `EFENCED`.
 * @throws SdkError `bad-usage` if the session is already open here, or another tab runs it
 */
export async function holdSession(host: HoldingHost, id: string): Promise<HeldSession> {
  const session = await joinSession(host, id);
  if (!session.whenFree) return session;
  session[Symbol.dispose]();
  const remedy = `Close it there, or follow it from here by openSession with resume: '${id}'.`;
  throw createRunningError(id, remedy);
}

/**
 * Opens a session to run it, now or as soon as no other tab runs it. Waits for a session that is
 * being closed here. Rejects with `bad-usage` if the session is already open here.
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
  const letGo = createDeferred();
  const released = createDeferred();
  let retained = 0;
  const session: { whenFree: HeldSession['whenFree'] } & HeldSession = {
    whenFree: undefined,
    whenLetGo: letGo.promise,
    whenReleased: released.promise,
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
    leave: undefined,
    runner: undefined,
    [Symbol.dispose]() {
      waiting.abort();
      release();
      letGo.resolve();
    },
  };
  function release(): void {
    if (retained > 0) return;
    lease?.[Symbol.dispose]();
    if (sessions.get(id) === session) sessions.delete(id);
    released.resolve();
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
  // Callers that await it get the failure. Without a caller it must not be an unhandled rejection.
  whenFree.catch(() => undefined);
  session.whenFree = whenFree;
  return session;
}

/** The session, if it is open in this realm. */
export function findHeldSession(workspace: Workspace, id: string): HeldSession | undefined {
  return held.get(workspace)?.get(id);
}

/**
 * Resolves when all sessions that are open here have tried to store their entries. Never rejects:
 * each session handles its own failures.
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

/**
 * Registers the session as running on this workspace, until the returned object is disposed. The
 * session may be one that isn't kept.
 */
export function noteRunning(workspace: Workspace, journal: SessionJournal): Disposable {
  const { journals, ended } = listRunning(workspace);
  journals.add(journal);
  if (ended) journal.breakOff(ended);
  return { [Symbol.dispose]: () => void journals.delete(journal) };
}

/**
 * Aborts all sessions of a host's workspace, because the host is being disposed. Their turns and
 * model requests end at once, with this reason. The end isn't recorded, so a kept session continues
 * when it is opened again.
 */
export function breakOffSessions(workspace: Workspace, reason: SdkError): void {
  const sessions = listRunning(workspace);
  sessions.ended ??= reason;
  for (const journal of sessions.journals) journal.breakOff(sessions.ended);
}

export function createOpenError(id: string): SdkError {
  return new SdkError(
    'bad-usage',
    `The session ${id} is open here already. Use that one, or close it first; a query holds its session until it has been read to its end or left.`,
    { data: { sessionId: id } },
  );
}

/** `remedy`: what to do instead, as a sentence. */
export function createRunningError(id: string, remedy: string): SdkError {
  return new SdkError('bad-usage', `Another tab runs the session ${id}. ${remedy}`, {
    data: { sessionId: id },
  });
}
