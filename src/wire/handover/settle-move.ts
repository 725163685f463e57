// Settles an interrupted move whose outcome is unknown, by a request to the place that decides.
import { untilAborted } from '../../core/async/abort.ts';
import type { SessionFold } from '../../agent/journal/fold.ts';
import { loadJournal } from '../../agent/journal/stored-journal.ts';
import { findUrl, noteMove, readLedger } from '../../agent/session/handover/ledger.ts';
import type { Ledger } from '../../agent/session/handover/ledger.ts';
import { findOut } from '../../agent/session/handover/whereabouts.ts';
import type { Whereabouts } from '../../agent/session/handover/whereabouts.ts';
import { joinSession } from '../../agent/session/held-sessions.ts';
import { requireJournal } from '../../agent/stored-sessions/kept-journals.ts';
import { askPlace } from './ask-place.ts';
import { goOn, placeNames } from './bring-back.ts';
import type { BringBackOptions } from './bring-back.ts';
import { recordStay } from './move-session.ts';

/** Where a session runs. */
export interface SettledMove {
  /** True if the session may be opened here. */
  readonly isHere: boolean;
  /** Its address, if it isn't here and the address is known. */
  readonly url?: string;
}

/** The options for settling a move. */
export interface SettleMoveOptions extends Omit<BringBackOptions, 'ticket'> {
  /** Returns a ticket for the place at that address. */
  readonly ticket: (url: string) => string | Promise<string>;
}

/**
 * Finds out where the session runs. If a move was interrupted before its answer, the place is
 * asked, and an unfinished move is cancelled. Waits for a move that another tab is carrying out.
 *
 * @throws SdkError `worker-lost` if the place can't be reached, so the session can't be opened
 * meanwhile; `aborted`; `bad-usage` if the workspace has no such session
 */
export async function settleMove(
  sessionId: string,
  options: SettleMoveOptions,
): Promise<SettledMove> {
  const { host, signal } = options;
  const { workspace } = host;
  await requireJournal(workspace.streams, sessionId);
  const readWhere = async () => {
    const fold = await loadJournal(workspace, sessionId);
    const ledger = await readLedger(workspace.streams, sessionId);
    return { fold, ledger, where: findOut(fold, ledger) };
  };
  // A place that has the session open may run it: there is nothing to settle.
  if ((await readWhere()).where === 'here') return { isHere: true };
  const held = await joinSession(host, sessionId);
  try {
    if (held.whenFree) await untilAborted(held.whenFree, signal);
    return await settle(sessionId, options, await readWhere());
  } finally {
    held[Symbol.dispose]();
  }
}

async function settle(
  sessionId: string,
  {
    host,
    ticket,
    name = placeNames[host.kind],
    acceptRules = false,
    ...options
  }: SettleMoveOptions,
  {
    fold: { place },
    ledger,
    where,
  }: {
    readonly fold: Pick<SessionFold, 'place'>;
    readonly ledger: Ledger | undefined;
    readonly where: Whereabouts;
  },
): Promise<SettledMove> {
  const { streams } = host.workspace;
  const newest = [...(ledger?.moves.values() ?? [])].at(-1);
  const url = findUrl(ledger);
  if (where === 'leaving' && place) {
    await noteMove(streams, sessionId, { move: place.move, state: 'void' });
    await recordStay(host, sessionId, place);
    return { isHere: true };
  }
  if (where === 'here') return { isHere: true };
  const away = { isHere: false, ...(url !== undefined && { url }) };
  if (where === 'away' || !newest || url === undefined) return away;
  const ask = askPlace(url, { ...options, ticket: () => ticket(url) });
  // Without a number, the session was to move here.
  if (newest.n === undefined) {
    const how = {
      at: name,
      acceptsRules: acceptRules,
      known: new Map<number, string>(),
    };
    return (await goOn(ask, host, sessionId, how)) ? { isHere: true } : away;
  }
  const { move, n, departure } = newest;
  const { isDone } = await ask('cancel', { session: sessionId, move }, {});
  if (isDone) {
    const noted = departure === undefined ? undefined : await streams.readContent(departure);
    await noteMove(streams, sessionId, { move, state: 'away', url, n }, noted?.slice());
    return away;
  }
  await noteMove(streams, sessionId, { move, state: 'void' });
  if (place) await recordStay(host, sessionId, place);
  return { isHere: true };
}
