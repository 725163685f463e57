// Fetches a session from a remote place. Most of the missing data is sent while the session still
// runs there. Then it is stopped there, the rest is sent and checked here, the place gives the
// session away, and it is taken over here.
import { checkOptionNames } from '../../core/check-option-names.ts';
import { isAbortError } from '../../core/async/abort.ts';
import { SdkError, hasCode, messageOf } from '../../core/errors.ts';
import { createId } from '../../core/ids.ts';
import { isSessionId } from '../../core/session/session-path.ts';
import { asSentence } from '../../core/text/as-sentence.ts';
import type { Host } from '../../agent/host.ts';
import type { SessionFold } from '../../agent/journal/fold.ts';
import { hasJournal, loadJournal } from '../../agent/journal/stored-journal.ts';
import { holdSession } from '../../agent/session/held-sessions.ts';
import { findUrl, listLedgers, noteMove, readLedger } from '../../agent/session/handover/ledger.ts';
import { findOut } from '../../agent/session/handover/whereabouts.ts';
import { toWireAddress } from '../wire-address.ts';
import { askAnyway, askPlace } from './ask-place.ts';
import type { AskPlace, PlaceOptions } from './ask-place.ts';
import {
  checkArrived,
  dropAside,
  expectSession,
  keepContents,
  openStock,
  readDeparture,
  takeOver,
  writeDeparture,
} from './arrive.ts';
import { listCheckpointIds, toLists } from './checkpoints.ts';
import { removeEmpty } from './empty-session.ts';
import { hashesOf } from './file-list.ts';
import type { KnownHashes } from './file-list.ts';
import { appendPart, countEntries, hashJournal } from './journal-copy.ts';
import { areTrees, isDeparture, isSent, isTexts } from './move-messages.ts';
import type { Copy, MovedTrees } from './move-messages.ts';
import { createUnsureError, isLost } from './move-session.ts';

/** The options for fetching a session. */
export interface BringBackOptions extends PlaceOptions {
  readonly host: Pick<Host, 'workspace' | 'kind' | 'tabs'>;
  /** This place's name for people and the model. @defaultValue by its host: `a browser tab` */
  readonly name?: string;
  /**
   * Permissions that a person gave there apply here, too. Permissions that were given here before
   * the session left apply again in any case.
   * @defaultValue false
   */
  readonly acceptRules?: boolean;
}

/** The session, which is stored here now. It isn't open: open it by `resume`. */
export interface BroughtBack {
  readonly sessionId: string;
}

/**
 * Moves the session from the place at that URL to here, in any state. It is the inverse of
 * `moveSession`. An interrupted move continues. The move includes sessions that came from here and
 * were replaced there by `/clear`, without their files. If one of these fails, the error has
 * `data.broughtBack`; call this again to fetch it.
 *
 * If it rejects with an error that is neither `worker-lost` nor has `data.broughtBack`, the session
 * is still there and unchanged.
 *
 * @throws SdkError `ECONFLICT` with `data.paths` if the same files have changed here and there.
 * `worker-lost` with `data.isUnsure` if the place may have given the session away without an
 * answer: call it again
 *
 * @example
 * ```ts
 * const { sessionId } = await bringBack(url, { host, ticket: () => fetchTicket(url) });
 * const session = await openSession({ host, model, resume: sessionId });
 * ```
 */
export async function bringBack(url: string, options: BringBackOptions): Promise<BroughtBack> {
  checkOptionNames('bringBack', options, knownOptions);
  const brought = await fetchSession(url, options).catch(async (error: unknown) => {
    // The session itself is here; this call fetches the earlier sessions that are still there.
    const sessionId = SdkError.isInstance(error) ? error.data['isHere'] : undefined;
    if (typeof sessionId !== 'string') throw error;
    if ((await fetchLeft(url, sessionId, options)) === 0) throw error;
    return { sessionId };
  });
  await fetchLeft(url, brought.sessionId, options);
  return brought;
}

/**
 * Fetches the sessions that were moved from here to that address and replaced there by `/clear`,
 * ending with `session`, which is here by now. No other place could fetch them. The files came with
 * `session`. Returns the number of fetched sessions.
 */
export async function fetchLeft(
  url: string,
  session: string,
  { host, name = placeNames[host.kind], acceptRules = false, ...options }: BringBackOptions,
): Promise<number> {
  const { streams } = host.workspace;
  const ask = askPlace(url, options);
  let count = 0;
  for (const id of await listLedgers(streams)) {
    const ledger = await readLedger(streams, id);
    const movedTo = findUrl(ledger);
    const wasMovedThere = movedTo !== undefined && toWireAddress(movedTo) === toWireAddress(url);
    if (id === session || !wasMovedThere || !(await hasJournal(host.workspace, id))) continue;
    if (findOut(await loadJournal(host.workspace, id), ledger) === 'here') continue;
    const newest = [...(ledger?.moves.values() ?? [])].at(-1);
    const isAsked = newest?.state === 'asking' && newest.n === undefined;
    try {
      const there = await ask('look', { session: id, move: createId() }, {});
      // If it was requested before, the place may have given it away already.
      if (there.session !== id || !(there.runsHere || isAsked)) continue;
      const held = await holdSession(host, id);
      const settle = askAnyway(url, options);
      const how = { url, host, name, acceptRules, settle, keepsFiles: true };
      await bring(ask, how, there, id).finally(() => held[Symbol.dispose]());
      count += 1;
    } catch (error) {
      throw createLeftError(session, id, error);
    }
  }
  return count;
}

/** Further options for a place that holds sessions of others. */
export interface FetchSessionOptions extends BringBackOptions {
  /**
   * Called when the whole session has arrived, before it is taken over. If it rejects, the session
   * stays in its place.
   */
  admit?(session: SessionFold): Promise<void>;
}

/** See {@link bringBack}. */
export async function fetchSession(
  url: string,
  {
    host,
    name = placeNames[host.kind],
    acceptRules = false,
    admit,
    ...options
  }: FetchSessionOptions,
): Promise<BroughtBack> {
  const ask = askPlace(url, options);
  const there = await ask('look', { session: '', move: createId() }, {});
  const { session } = there;
  if (session === undefined) {
    throw new SdkError('bad-usage', `There is no session at ${url}.`, { data: { url } });
  }
  if (!isSessionId(session)) throw createNonsenseError();
  // Held, so that nobody opens here a session that is on its way.
  const held = await holdSession(host, session);
  try {
    const settle = askAnyway(url, options);
    const how = { url, host, name, acceptRules, settle, ...(admit && { admit }) };
    await bring(ask, how, there, session);
    return { sessionId: session };
  } finally {
    held[Symbol.dispose]();
  }
}

interface Bringing extends Pick<FetchSessionOptions, 'host' | 'admit'> {
  readonly url: string;
  readonly name: string;
  readonly acceptRules: boolean;
  /**
   * Sends requests even after the signal is aborted, so that the place doesn't wait for a caller
   * that is gone.
   */
  readonly settle: AskPlace;
  readonly keepsFiles?: boolean;
}

async function bring(
  ask: AskPlace,
  { url, host, name, acceptRules, settle, admit, keepsFiles = false }: Bringing,
  there: Copy,
  session: string,
): Promise<void> {
  const { workspace } = host;
  const { streams } = workspace;
  const how = { at: name, acceptsRules: acceptRules, known: new Map(), keepsFiles };
  if (there.runsHere) await removeEmpty(workspace, session);
  if (await goOn(ask, host, session, how)) return;
  const about = { session, move: createId() };
  if (!there.runsHere) {
    throw new SdkError(
      'bad-usage',
      `The session ${session} doesn't run at ${url}: it was moved on from there. Bring it back from where it runs. Then call bringBack for ${url} again, if /clear has left others there.`,
      { data: { sessionId: session, url } },
    );
  }
  await requirePrefix(ask, host, about);
  await expectSession(workspace, session);
  await noteMove(streams, session, { move: about.move, state: 'offered', url });
  let isAsked = false;
  try {
    // Sends most of the data while the session still runs.
    const has = await listCheckpointIds(workspace, session);
    const listed = await ask('files', about, { has });
    if (!areTrees(listed)) throw createNonsenseError();
    await fetchContents(ask, host, about, listed, how.known, true);
    await fetchJournal(ask, host, about);
    const { departure } = await ask('leave', about, { has });
    if (!isDeparture(departure)) throw createNonsenseError();
    await fetchContents(ask, host, about, departure, how.known);
    await fetchJournal(ask, host, about);
    const stock = await openStock(workspace, session, how.known);
    const fold = await checkArrived(workspace, session, departure, { stock, keepsFiles });
    await admit?.(fold);
    const noted = await writeDeparture(departure);
    await noteMove(streams, session, { move: about.move, state: 'asking', url }, noted);
    isAsked = true;
    await ask('release', about, { lease: departure.lease });
    await takeOver(
      workspace,
      session,
      { move: about.move, departure, ...how, isGiven: true },
      how.known,
    );
  } catch (error) {
    if (isAsked && isLost(error) && !isAbortError(error))
      throw createUnsureError(session, url, error);
    if (isAsked) {
      // A session that was given away belongs to this place, even if something fails here. The next
      // attempt continues from there.
      const settled = await settle('cancel', about, {}).catch(() => undefined);
      if (!settled || settled.isDone) throw createUnsureError(session, url, error);
    }
    await callOff(settle, host, about);
    throw error;
  }
}

type About = Parameters<AskPlace>[1];

interface Arriving {
  readonly at: string;
  readonly acceptsRules: boolean;
  readonly known: KnownHashes;
  readonly keepsFiles?: boolean;
}

/**
 * Settles an interrupted move to here. If the place has given the session away, it is taken over
 * now. Resolves to false if the session is still there, or there was no move.
 */
export async function goOn(
  ask: AskPlace,
  { workspace }: Pick<BringBackOptions['host'], 'workspace'>,
  session: string,
  { known, ...how }: Arriving,
): Promise<boolean> {
  const { streams } = workspace;
  const ledger = await readLedger(streams, session);
  if (!ledger || !(await hasJournal(workspace, session))) return false;
  const fold = await loadJournal(workspace, session);
  const where = findOut(fold, ledger);
  if (where === 'here' || where === 'leaving') {
    throw new SdkError('bad-usage', `The session ${session} is here already: open it.`, {
      data: { sessionId: session, isHere: session },
    });
  }
  const newest = [...ledger.moves.values()].at(-1);
  if (newest?.state !== 'asking' || newest.departure === undefined || newest.n !== undefined) {
    return false;
  }
  const { move } = newest;
  // Ends the move even if requests are still being sent: if the place hasn't given the session away
  // by now, it never will.
  const { isDone } = await ask('cancel', { session, move }, {});
  if (!isDone) {
    await noteMove(streams, session, { move, state: 'void' });
    await dropAside(workspace, session);
    return false;
  }
  const departure = await readDeparture(await streams.readContent(newest.departure));
  await takeOver(workspace, session, { move, departure, ...how, isGiven: true }, known);
  return true;
}

/** The name of a kind of place, for the model and for people. */
export const placeNames: Readonly<Record<Host['kind'], string>> = {
  browser: 'a browser tab',
  edge: 'a Durable Object',
  inline: 'a process on one thread',
};

async function fetchContents(
  ask: AskPlace,
  { workspace }: Pick<BringBackOptions['host'], 'workspace'>,
  about: About,
  trees: MovedTrees,
  known: KnownHashes,
  isFirst = false,
): Promise<void> {
  const stock = await openStock(workspace, about.session, known);
  let lacks = hashesOf(...toLists(trees)).filter((hash) => stock.contentOf(hash) === undefined);
  while (lacks.length > 0) {
    const given = await ask('read-contents', about, { hashes: lacks }).catch((error: unknown) => {
      // The session still runs there; contents that it changes meanwhile are sent later.
      if (isFirst && hasCode(error, 'bad-usage')) return undefined;
      throw error;
    });
    if (!given) return;
    if (!isTexts(given.hashes)) throw createNonsenseError();
    const arrived = new Set(given.hashes);
    const left = lacks.filter((hash) => !arrived.has(hash));
    if (left.length === lacks.length) throw createNonsenseError();
    await keepContents(workspace, about.session, given.hashes, given.blobs);
    lacks = left;
  }
}

async function fetchJournal(
  ask: AskPlace,
  { workspace: { streams } }: Pick<BringBackOptions['host'], 'workspace'>,
  about: About,
): Promise<void> {
  for (;;) {
    const from = (await countEntries(streams, about.session)) + 1;
    const { entries, blobs } = await ask('read-journal', about, { from });
    if (!isSent(entries)) throw createNonsenseError();
    if (entries.length === 0) return;
    await appendPart(streams, about.session, { from, entries, blobs });
  }
}

/** Checks that the place's journal continues the local copy. */
async function requirePrefix(
  ask: AskPlace,
  { workspace }: Pick<BringBackOptions['host'], 'workspace'>,
  { session, move }: About,
): Promise<void> {
  const count = await countEntries(workspace.streams, session);
  if (count === 0) return;
  const there = await ask('look', { session, move }, { upTo: count });
  const digest = await hashJournal(workspace.streams, session, count);
  if (there.entries >= count && there.digest === digest) return;
  throw new SdkError(
    'invalid-input',
    `The place has another journal of the session ${session} than what is here of it. Nothing was moved.`,
    { data: { sessionId: session } },
  );
}

async function callOff(
  ask: AskPlace,
  { workspace }: Pick<BringBackOptions['host'], 'workspace'>,
  about: About,
): Promise<void> {
  await noteMove(workspace.streams, about.session, { move: about.move, state: 'void' });
  // If this request is lost, the place continues by itself when the session is needed.
  await ask('cancel', about, {}).catch(() => undefined);
  await dropAside(workspace, about.session);
}

function createLeftError(session: string, left: string, cause: unknown): SdkError {
  const code = SdkError.isInstance(cause) ? cause.code : 'internal';
  const message = `The session ${session} is here now. The session ${left}, which /clear has left there, could not be fetched: ${asSentence(messageOf(cause))} Call bringBack again for it.`;
  return new SdkError(code, message, { cause, data: { broughtBack: session, left } });
}

function createNonsenseError(): SdkError {
  return new SdkError(
    'invalid-input',
    'The place has answered with what is no part of a session. Nothing was moved: the session stays there.',
  );
}

const knownOptions = {
  host: true,
  name: true,
  acceptRules: true,
  ticket: true,
  fetch: true,
  signal: true,
  clock: true,
} satisfies Record<keyof BringBackOptions, true>;
