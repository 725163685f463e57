// Moves a session from here to a place that can be reached. What the other side lacks crosses while the session still
// runs; then it is stopped, the rest crosses, is checked there, and is taken over.
import { SdkError } from '../../core/errors.ts';
import { createId } from '../../core/ids.ts';
import type { Host } from '../../agent/host.ts';
import { createSessionJournal } from '../../agent/journal/session-journal.ts';
import { createStreamStore, loadJournal } from '../../agent/journal/stored-journal.ts';
import { noteMove, readLedger } from '../../agent/session/handover/ledger.ts';
import { findOut } from '../../agent/session/handover/whereabouts.ts';
import { requireJournal } from '../../agent/stored-sessions/kept-journals.ts';
import { askPlace } from './ask-place.ts';
import type { AskPlace, PlaceOptions } from './ask-place.ts';
import { writeDeparture } from './arrive.ts';
import {
  challenge,
  describeDeparture,
  leavePlace,
  listLeaving,
  prove,
  readContents,
} from './depart.ts';
import type { LeavingFiles, LeftSession } from './depart.ts';
import { hashesOf } from './file-list.ts';
import { countEntries, hashJournal, readPart } from './journal-copy.ts';
import type { Copy, Proof } from './move-messages.ts';

/** What is needed to move a session. */
export interface MoveSessionOptions extends PlaceOptions {
  readonly host: Pick<Host, 'workspace' | 'tabs' | 'clock'>;
}

/**
 * Moves the session to the place at that address, whether it is open here or not, and whatever it is doing: what runs
 * is cut as by a kill and goes on there, a question is put there again, a cell in the background is interrupted. With
 * it go its journal, its variables and the workspace's files; what a person has allowed holds there only where the
 * place accepts that. What is open of it here is closed, quietly. Resolves when it runs there: follow it by
 * `connectSession(url)`.
 *
 * Where it rejects with anything but `worker-lost` the session is here, as it was; open it again where it was open.
 *
 * @throws SdkError `worker-lost` with `data.isUnsure` where the place may have taken it over and hasn't said so: ask by
 * {@link settleMove}. Other codes: what the place refuses, `bad-usage` where the session isn't here, `invalid-input`
 * where the place claims what it can't prove.
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
  { host, ...options }: MoveSessionOptions,
): Promise<void> {
  const { workspace } = host;
  const { streams } = workspace;
  await requireJournal(streams, sessionId);
  const before = await loadJournal(workspace, sessionId);
  const ledger = await readLedger(streams, sessionId);
  const where = findOut(before, ledger);
  if (where === 'asking' || where === 'away') {
    throw new SdkError('bad-usage', `The session ${sessionId} isn't here: it was moved already.`, {
      data: { sessionId, isUnsure: where === 'asking' },
    });
  }
  const ask = askPlace(url, options);
  const about = { session: sessionId, move: createId() };
  const copy = await ask('offer', about, { lease: before.lease + 1 });
  await requirePrefix(host, sessionId, copy);
  const known = new Map<number, string>();
  // Most of it, while the session still runs.
  await sendContents(ask, about, await listLeaving(workspace, sessionId, known), true);
  await sendJournal(ask, about, host);
  /** Noted, and sent: the place may have it. */
  let asking: { readonly n: number; readonly noted: Uint8Array } | undefined;
  let left: LeftSession | undefined;
  try {
    left = await leavePlace(host, sessionId, { move: about.move, to: url });
    const files = await listLeaving(workspace, sessionId, known);
    await sendContents(ask, about, files);
    await sendJournal(ask, about, host);
    const departure = await describeDeparture(workspace, sessionId, left.fold, files);
    const asked = challenge(departure);
    const claimed = await ask('stage', about, { departure, challenge: asked });
    const count = departure.main.length + departure.own.length;
    requireSame(claimed, await prove(workspace, sessionId, asked, files.read, count));
    const n = await countEntries(streams, sessionId);
    const noted = await writeDeparture(departure);
    await noteMove(streams, sessionId, { move: about.move, state: 'asking', url, n }, noted);
    asking = { n, noted };
    await ask('take', about, {});
    await noteMove(streams, sessionId, { move: about.move, state: 'away', url, n }, noted);
  } catch (error) {
    if (asking && isLost(error)) throw isUnsure(sessionId, url, error);
    // What isn't done by now never is. Before it was asked for, a newer offer makes this one void, too.
    const settled = await ask('cancel', about, {}).catch(() => undefined);
    if (asking && !settled) throw isUnsure(sessionId, url, error);
    if (asking && settled?.isDone) {
      const { n, noted } = asking;
      await noteMove(streams, sessionId, { move: about.move, state: 'away', url, n }, noted);
      return;
    }
    await stay(host, about);
    throw error;
  } finally {
    left?.[Symbol.dispose]();
  }
}

type About = Parameters<AskPlace>[1];

/** What the place lacks of them. `isFirst`: the session still runs, and changes them. */
async function sendContents(
  ask: AskPlace,
  about: About,
  files: LeavingFiles,
  isFirst = false,
): Promise<void> {
  const { lacks } = await ask('lacks', about, { hashes: hashesOf(files.main, files.own) });
  for await (const { hashes, blobs } of readContents(files, lacks, isFirst)) {
    await ask('contents', about, { hashes }, blobs);
  }
}

async function sendJournal(
  ask: AskPlace,
  about: About,
  { workspace: { streams } }: MoveSessionOptions['host'],
): Promise<void> {
  const { entries } = await ask('look', about, {});
  for (let from = entries + 1; ;) {
    const part = await readPart(streams, about.session, from);
    if (part.entries.length === 0) return;
    const sent = { from, entries: part.entries };
    await ask('journal', about, sent, part.blobs);
    from += part.entries.length;
  }
}

/** A copy elsewhere can only be taken further where it is what the session was. */
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

/** Security: who says that it has all of it must have it, as what is here is given up then. */
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

/** The move has come to nothing: the session is here, and may be opened. */
async function stay({ workspace }: MoveSessionOptions['host'], about: About): Promise<void> {
  const fold = await loadJournal(workspace, about.session);
  const { place } = fold;
  await noteMove(workspace.streams, about.session, { move: about.move, state: 'void' });
  if (place?.type !== 'move-out' || place.move !== about.move) return;
  await recordStay({ workspace }, about.session, place);
}

/** Records that it goes on where it has left. */
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

export function isUnsure(sessionId: string, url: string, cause: unknown): SdkError {
  return new SdkError(
    'worker-lost',
    `Whether the session ${sessionId} was taken over at ${url} was not answered. Ask there by settleMove: until then it runs neither here nor is it lost.`,
    { cause, data: { sessionId, url, isUnsure: true } },
  );
}
