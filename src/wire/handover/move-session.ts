// Moves a session from here to a remote place. Most of the missing data is sent while the session
// still runs. Then it is stopped, the rest is sent and checked there, and the place takes it over.
import { checkOptionNames } from '../../core/check-option-names.ts';
import { isAbortError } from '../../core/async/abort.ts';
import { SdkError } from '../../core/errors.ts';
import { createId } from '../../core/ids.ts';
import type { Host } from '../../agent/host.ts';
import type { SessionFold } from '../../agent/journal/fold.ts';
import { createSessionJournal } from '../../agent/journal/session-journal.ts';
import { createStreamStore, loadJournal } from '../../agent/journal/stored-journal.ts';
import { noteMove, openLedger, readLedger } from '../../agent/session/handover/ledger.ts';
import { findOut } from '../../agent/session/handover/whereabouts.ts';
import { findHeldSession, holdSession } from '../../agent/session/held-sessions.ts';
import { requireJournal } from '../../agent/stored-sessions/kept-journals.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { askAnyway, askPlace } from './ask-place.ts';
import type { AskPlace, PlaceOptions } from './ask-place.ts';
import { maxContentBytes } from '../move-server.ts';
import { toBase, writeDeparture } from './arrive.ts';
import {
  challenge,
  describeDeparture,
  leavePlace,
  listLeaving,
  prove,
  readContents,
  refuseBranches,
} from './depart.ts';
import type { LeavingFiles } from './depart.ts';
import { toLists } from './checkpoints.ts';
import { hashesOf } from './file-list.ts';
import { countEntries, hashJournal, readPart } from './journal-copy.ts';
import { isCount, isTexts } from './move-messages.ts';
import type { Copy, Proof } from './move-messages.ts';

/** The options for moving a session. */
export interface MoveSessionOptions extends PlaceOptions {
  readonly host: Pick<Host, 'workspace' | 'tabs' | 'clock'>;
}

/**
 * Moves a session to the place at that URL, whether or not it is open here, and in any state.
 * Running work is interrupted and continues there. An open question is asked there again. A
 * background cell is interrupted. The journal, the variables and the workspace's files are moved. A
 * person's permissions apply there only if the place accepts them. An open session object here is
 * closed. Resolves when the session runs there: follow it with `connectSession(url)`.
 *
 * If it rejects with any code except `worker-lost`, the session is here and unchanged; open it
 * again if it was open.
 *
 * @throws SdkError `worker-lost` with `data.isUnsure` if the place may have taken the session over
 * without an answer: call {@link settleMove}. `bad-usage` if the session isn't here.
 * `invalid-input` if the place can't prove that it has all data. Also the place's own errors
 *
 * @example
 * ```ts
 * await moveSession(session.id, url, { host, ticket: () => fetchTicket(url) });
 * const there = await connectSession(url, { ticket: () => fetchTicket(url) });
 * ```
 */
export async function moveSession(
  sessionId: string,
  url: string,
  options: MoveSessionOptions,
): Promise<void> {
  checkOptionNames('moveSession', options, knownOptions);
  const { host } = options;
  const { workspace } = host;
  const moving = movingOf(workspace);
  if (moving.has(sessionId)) throw createMovingError(sessionId);
  moving.add(sessionId);
  try {
    const fold = await requireMovable(host, sessionId);
    const held = findHeldSession(workspace, sessionId);
    const isOpen = held?.journal && !held.journal.broken.aborted;
    // Held from the first request on, because another tab's move would cancel this one.
    const hold = isOpen ? held.retain() : await holdSession(host, sessionId);
    try {
      await carryOver(sessionId, url, { ...options, fold, hold });
    } finally {
      hold[Symbol.dispose]();
    }
  } finally {
    moving.delete(sessionId);
  }
}

/** The sessions that are being moved from this realm, by workspace. */
const underWay = new WeakMap<Workspace, Set<string>>();

function movingOf(workspace: Workspace): Set<string> {
  const known = underWay.get(workspace) ?? new Set<string>();
  underWay.set(workspace, known);
  return known;
}

/** Returns the session's fold if it can be moved. Called before anything is sent. */
async function requireMovable(
  { workspace }: MoveSessionOptions['host'],
  sessionId: string,
): Promise<SessionFold> {
  await requireJournal(workspace.streams, sessionId);
  const fold = await loadJournal(workspace, sessionId);
  const where = findOut(fold, await readLedger(workspace.streams, sessionId));
  if (where === 'asking' || where === 'away') {
    throw new SdkError('bad-usage', `The session ${sessionId} isn't here: it was moved already.`, {
      data: { sessionId, isUnsure: where === 'asking' },
    });
  }
  await refuseBranches(workspace, sessionId, fold);
  return fold;
}

interface HeldMove extends MoveSessionOptions {
  readonly fold: SessionFold;
  readonly hold: Disposable;
}

async function carryOver(
  sessionId: string,
  url: string,
  { host, fold, hold, ...options }: HeldMove,
): Promise<void> {
  const { workspace } = host;
  const { streams } = workspace;
  const ask = askPlace(url, options);
  const about = { session: sessionId, move: createId() };
  // The entries recorded so far become durable together with the note. So after a power cut the
  // place's copy is never longer than the local journal.
  await findHeldSession(workspace, sessionId)?.journal?.flush();
  const durable = await countEntries(streams, sessionId);
  await openLedger(streams, sessionId, true);
  await noteMove(streams, sessionId, { move: about.move, state: 'offered', url });
  let isOffered = false;
  /** The takeover was recorded and requested: the place may have the session. */
  let asking: { readonly n: number; readonly noted: Uint8Array } | undefined;
  try {
    const copy = await ask('offer', about, { lease: fold.lease + 1 });
    isOffered = true;
    await requirePrefix(host, sessionId, copy);
    const { checkpoints: has } = copy;
    if (!isTexts(has)) throw createNonsenseError();
    const listing = { known: new Map<number, string>(), has };
    // Sends most of the data while the session still runs.
    const running = await listLeaving(workspace, sessionId, { ...listing, isFirst: true });
    await sendContents(ask, about, running, true);
    await sendJournal(ask, about, host, durable);
    const left = await leavePlace(host, sessionId, { move: about.move, to: url, hold });
    const files = await listLeaving(workspace, sessionId, listing);
    await sendContents(ask, about, files);
    await sendJournal(ask, about, host);
    const departure = await describeDeparture(workspace, sessionId, left.fold, files);
    const asked = challenge(departure);
    const claimed = await ask('stage', about, { departure, challenge: asked });
    const count = departure.main.length + departure.own.length;
    requireSame(claimed, await prove(workspace, sessionId, asked, files.read, count));
    const n = await countEntries(streams, sessionId);
    const noted = await writeDeparture(toBase(departure));
    await noteMove(streams, sessionId, { move: about.move, state: 'asking', url, n }, noted);
    asking = { n, noted };
    await ask('take', about, {});
    await noteMove(streams, sessionId, { move: about.move, state: 'away', url, n }, noted);
  } catch (error) {
    if (asking && isLost(error) && !isAbortError(error))
      throw createUnsureError(sessionId, url, error);
    // After `cancel`, a move that isn't done by now never will be. If the takeover wasn't requested
    // yet, a newer offer cancels this one, too.
    const cancel = askAnyway(url, options, !asking);
    // A refused offer has left nothing there.
    const settled =
      isOffered || isLost(error)
        ? await cancel('cancel', about, {}).catch(() => undefined)
        : undefined;
    if (asking && !settled) throw createUnsureError(sessionId, url, error);
    if (asking && settled?.isDone) {
      const { n, noted } = asking;
      await noteMove(streams, sessionId, { move: about.move, state: 'away', url, n }, noted);
      return;
    }
    await stay(host, about);
    throw error;
  }
}

type About = Parameters<AskPlace>[1];

/** Sends the contents that the place lacks. `isFirst`: the session still runs and changes files. */
async function sendContents(
  ask: AskPlace,
  about: About,
  files: LeavingFiles,
  isFirst = false,
): Promise<void> {
  const { lacks } = await ask('lacks', about, { hashes: hashesOf(...toLists(files)) });
  if (!isTexts(lacks)) throw createNonsenseError();
  requireFit(files, new Set(lacks));
  for await (const { hashes, blobs } of readContents(files, lacks, isFirst)) {
    await ask('contents', about, { hashes }, blobs);
  }
}

/**
 * @throws SdkError `limit-exceeded` with `data.path` if a file is too large for a message, before
 * any file is sent
 */
function requireFit(files: LeavingFiles, lacks: ReadonlySet<string>): void {
  for (const [path, node] of toLists(files).flat()) {
    if (node[0] !== 'f' || node[2] <= maxContentBytes || !lacks.has(node[1])) continue;
    throw new SdkError(
      'limit-exceeded',
      `The file ${path} has ${node[2]} bytes, and one that goes along has at most ${maxContentBytes}. Make it smaller, or remove it, then move the session again.`,
      { data: { path, bytes: node[2], maxBytes: maxContentBytes } },
    );
  }
}

/** Sends the entries that the place lacks. `upTo`: the last entry to send. */
async function sendJournal(
  ask: AskPlace,
  about: About,
  { workspace: { streams } }: MoveSessionOptions['host'],
  upTo = Infinity,
): Promise<void> {
  const { entries } = await ask('look', about, {});
  if (!isCount(entries)) throw createNonsenseError();
  for (let from = entries + 1; from <= upTo;) {
    const part = await readPart(streams, about.session, from, upTo);
    if (part.entries.length === 0) return;
    const sent = { from, entries: part.entries };
    await ask('journal', about, sent, part.blobs);
    from += part.entries.length;
  }
}

/** The place's copy can be continued only if it is the beginning of this session's journal. */
async function requirePrefix(
  { workspace: { streams } }: MoveSessionOptions['host'],
  session: string,
  { entries, digest }: Copy,
): Promise<void> {
  if (entries === 0) return;
  const count = await countEntries(streams, session);
  if (entries <= count && digest === (await hashJournal(streams, session, entries))) return;
  throw new SdkError(
    'invalid-input',
    `The place has another journal of the session ${session}. Nothing was moved. Move it to a place of its own.`,
    { data: { sessionId: session } },
  );
}

/**
 * Security: the place must prove that it has everything, because the session is given up here then.
 */
function requireSame(claimed: Proof, expected: Proof): void {
  if (
    claimed.files === expected.files &&
    claimed.entries === expected.entries &&
    claimed.hash === expected.hash
  ) {
    return;
  }
  throw new SdkError(
    'invalid-input',
    `The place says that all has arrived, but it has ${claimed.entries} entries of ${expected.entries} and ${claimed.files} files of ${expected.files}, or other bytes. Nothing was given up: the session stays here.`,
    { data: { claimed, expected } },
  );
}

function createMovingError(sessionId: string): SdkError {
  return new SdkError(
    'bad-usage',
    `The session ${sessionId} is just being moved. Wait until that is done, or call it off by its signal.`,
    { data: { sessionId } },
  );
}

function createNonsenseError(): SdkError {
  return new SdkError(
    'invalid-input',
    'The place has answered with what is no part of a move. Nothing was moved: the session stays here.',
  );
}

/** The move has failed: the session stays here and may be opened. */
async function stay({ workspace }: MoveSessionOptions['host'], about: About): Promise<void> {
  const fold = await loadJournal(workspace, about.session);
  const { place } = fold;
  await noteMove(workspace.streams, about.session, { move: about.move, state: 'void' });
  if (place?.type !== 'move-out' || place.move !== about.move) return;
  await recordStay({ workspace }, about.session, place);
}

/** Records that the session continues in the place that it was to leave. */
export async function recordStay(
  { workspace }: Pick<Host, 'workspace'>,
  session: string,
  { move, place }: { readonly move: string; readonly place: string },
): Promise<void> {
  const store = createStreamStore(workspace, session);
  const fold = await loadJournal(workspace, session);
  const clock = { now: () => Date.now() };
  const journal = createSessionJournal({ fold, store, clock });
  await journal.recordSafely({ type: 'move-kept', move, place });
}

export function isLost(error: unknown): boolean {
  const isOurs = SdkError.isInstance(error);
  return !isOurs || error.code === 'worker-lost' || error.code === 'aborted';
}

export function createUnsureError(sessionId: string, url: string, cause: unknown): SdkError {
  return new SdkError(
    'worker-lost',
    `Whether the session ${sessionId} was taken over at ${url} was not answered. Ask there by settleMove. Until then it can't be opened here, and nothing of it is lost.`,
    { cause, data: { sessionId, url, isUnsure: true } },
  );
}

const knownOptions = {
  host: true,
  ticket: true,
  fetch: true,
  signal: true,
  clock: true,
} satisfies Record<keyof MoveSessionOptions, true>;
