// Finds the session for the options: a new session, a kept one, or a fork of a kept one. Used by
// session-engine.ts.
import { isToolUseBlock } from '../../core/messages/blocks.ts';
import { SdkError, refuseUse } from '../../core/errors.ts';
import { createId } from '../../core/ids.ts';
import { isSessionId, sessionOfRoot } from '../../core/session/session-path.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { SessionFold } from '../journal/fold.ts';
import { toKeptMessages } from '../journal/kept-messages.ts';
import type { JournalStore } from '../journal/session-journal.ts';
import {
  createEntrySource,
  createStreamStore,
  hasJournal,
  isRewind,
  loadJournal,
  openFold,
  readFirstEntry,
  readLastEntry,
  toJournalId,
} from '../journal/stored-journal.ts';
import type { QueryOptions } from '../query-options.ts';
import { findHeldSession, holdSession, joinSession } from './held-sessions.ts';
import type { HeldSession } from './held-sessions.ts';
import { getSessionDirectory } from './files/session-files.ts';
import { checkSessionText } from './session-text.ts';

/** A session that is about to be opened. */
export interface FoundSession {
  readonly id: string;
  /** The session's fold. A new session has no entry. A fork still has its parent's id. */
  readonly fold: SessionFold;
  /** Undefined: the session's entries are kept in memory only. */
  readonly store: JournalStore | undefined;
  /** Undefined if there is no store. */
  readonly held: HeldSession | undefined;
  /** The conversation continues from this entry. */
  readonly rewindTo?: number | undefined;
  /** The reason for opening a kept session. @defaultValue `resume` */
  readonly why?: 'resume' | 'takeover' | undefined;
}

type SessionChoice = Pick<
  QueryOptions,
  | 'sessionId'
  | 'resume'
  | 'continue'
  | 'forkSession'
  | 'resumeSessionAt'
  | 'persistSession'
  | 'sessionStore'
  | 'title'
>;

/**
 * Checks the options without looking for the session.
 * @throws SdkError `bad-usage` for invalid ids, and for options that exclude each other
 */
export function checkSessionChoice(options: SessionChoice): void {
  const { sessionId, resume, forkSession, resumeSessionAt, sessionStore, title } = options;
  if (title !== undefined) checkSessionText('title', title);
  for (const id of [sessionId, resume]) if (id !== undefined) getSessionDirectory(id);
  const isOld = resume !== undefined || options.continue === true;
  if (resume !== undefined && options.continue) {
    refuseUse('resume names a session, continue takes the newest: give one of them.', {});
  }
  if (forkSession && !isOld) {
    refuseUse('forkSession needs resume or continue, which say of what session.', {});
  }
  if (resumeSessionAt !== undefined && !isOld) {
    refuseUse('resumeSessionAt needs resume or continue, which say in what session.', {});
  }
  if (sessionStore !== undefined && options.persistSession === false) {
    refuseUse('sessionStore mirrors what is kept: leave persistSession out.', {});
  }
  if (isOld && sessionId !== undefined && !forkSession) {
    refuseUse(
      'sessionId is the id of a new session, and resume or continue take up an old one. Leave sessionId out, or set forkSession: the fork then gets that id.',
      { sessionId },
    );
  }
}

/**
 * Finds the session, locks it for this realm and loads its journal. A fork is created here.
 * `fetchSession` is called for a session that isn't in the workspace. It gives true once it has
 * imported the session, and false if there is none. `joins`: a kept session that another tab runs
 * is given with `held.whenFree`, without its journal.
 * @throws SdkError `bad-usage` for an id that is taken or unknown, and if the session is already
 * open; the errors of `loadJournal`
 */
export async function findSession(
  options: QueryOptions,
  cwd: string,
  fetchSession: (id: string) => Promise<boolean>,
  joins?: 'joins',
): Promise<FoundSession> {
  const { workspace } = options.host;
  const from = options.resume ?? (options.continue ? await findNewest(workspace, cwd) : undefined);
  if (from === undefined) return createNew(options);
  if (!(await hasJournal(workspace, from)) && !(await fetchSession(from))) {
    throw unknown(from);
  }
  const { forkSession = false, resumeSessionAt, persistSession = true } = options;
  if (!forkSession) {
    const load = async () => {
      const fold = await (persistSession ? openFold : loadJournal)(workspace, from);
      if (resumeSessionAt === undefined) return { fold };
      return { fold, ...(await findPlace(fold, resumeSessionAt, 'resumeSessionAt')) };
    };
    return hold(options, from, load, resumeSessionAt === undefined ? joins : undefined);
  }
  const id = await takeId(options);
  // The fork includes all entries that the session's own tab has recorded by now.
  await findHeldSession(workspace, from)?.journal?.flush();
  const place =
    resumeSessionAt === undefined
      ? undefined
      : await findPlace(await openFold(workspace, from), resumeSessionAt, 'resumeSessionAt');
  return hold(options, id, async () => {
    const length = place && { length: place.rewindTo };
    if (persistSession) {
      await workspace.streams.fork(toJournalId(from), toJournalId(id), length);
      return { fold: await openFold(workspace, id), ...place };
    }
    return { fold: await loadJournal(workspace, from), ...place };
  });
}

async function createNew(options: QueryOptions): Promise<FoundSession> {
  const id = await takeId(options);
  const source = createEntrySource(options.host.workspace, id);
  const isKept = options.persistSession ?? true;
  const fold = new SessionFold(undefined, isKept ? source : undefined);
  return hold(options, id, () => Promise.resolve({ fold }));
}

async function takeId({ sessionId, host }: QueryOptions): Promise<string> {
  if (sessionId === undefined) return createId();
  if (!(await hasJournal(host.workspace, sessionId))) return sessionId;
  throw new SdkError(
    'bad-usage',
    `There is a session ${sessionId} already. Go on with it by resume: '${sessionId}', or give another sessionId for a new one.`,
    { data: { sessionId } },
  );
}

async function hold(
  { host, persistSession = true }: QueryOptions,
  id: string,
  load: () => Promise<Pick<FoundSession, 'fold' | 'rewindTo'>>,
  joins?: 'joins',
): Promise<FoundSession> {
  if (!persistSession) return { id, store: undefined, held: undefined, ...(await load()) };
  const held = await (joins ? joinSession : holdSession)(host, id);
  const store = createStreamStore(host.workspace, id);
  if (held.whenFree) return { id, store, held, fold: new SessionFold() };
  try {
    return { id, store, held, ...(await load()) };
  } catch (error) {
    held[Symbol.dispose]();
    throw error;
  }
}

/** The session with the newest entry, among those that began in this directory. */
async function findNewest(workspace: Workspace, cwd: string): Promise<string> {
  let newest: { readonly id: string; readonly time: number } | undefined;
  for (const stream of await workspace.streams.list()) {
    const id = sessionOfRoot(stream.id);
    if (id === undefined || !isSessionId(id)) continue;
    const first = await readFirstEntry(workspace, stream);
    if (first?.type !== 'session' || first.cwd !== cwd) continue;
    const time = (await readLastEntry(workspace, stream))?.time ?? 0;
    // If two have the same time, the session that was created later.
    if (!newest || time >= newest.time) newest = { id, time };
  }
  if (newest) return newest.id;
  return refuseUse(
    `There is no session to continue in ${cwd}. Leave continue out, and a new one begins.`,
    { cwd },
  );
}

/**
 * The entry at which the conversation ends after this message, including the results of its calls.
 * @throws SdkError `bad-usage` for the uuid of no kept message, and if no message can follow it
 */
export async function findPlace(
  whole: SessionFold,
  uuid: string,
  option: 'resumeSessionAt' | 'upToMessageId',
): Promise<{ readonly rewindTo: number }> {
  const fold = new SessionFold(undefined, whole);
  let isThere = false;
  for await (const entry of whole.read()) {
    if (isThere && (entry.type === 'rewound' || entry.type === 'turn')) break;
    if (isRewind(entry)) await fold.recall(entry.to);
    fold.apply(entry);
    fold.letGo(entry.n);
    isThere ||= toKeptMessages(entry, fold).some((message) => message.uuid === uuid);
    if (isThere && isClosed(fold)) return { rewindTo: entry.n };
  }
  return refuseUse(
    isThere
      ? `The calls of the message ${uuid} have no results, so nothing can follow it. Give ${option} an earlier one.`
      : `The session has no message ${uuid}. ${option} takes the uuid of a message that bears n.`,
    { [option]: uuid },
  );
}

function isClosed({ messages }: SessionFold): boolean {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return true;
  return typeof last.content === 'string' || !last.content.some(isToolUseBlock);
}

function unknown(id: string): SdkError {
  return new SdkError(
    'bad-usage',
    `There is no session ${id} in this workspace. listSessions names those that there are; sessionId: '${id}' begins a new one.`,
    { data: { resume: id } },
  );
}
