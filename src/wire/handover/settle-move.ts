// Settles a move that was cut when nobody knew whether it was done: by asking the place that decides.
import type { Host } from '../../agent/host.ts';
import { loadJournal } from '../../agent/journal/stored-journal.ts';
import { noteMove, readLedger } from '../../agent/session/handover/ledger.ts';
import { findOut } from '../../agent/session/handover/whereabouts.ts';
import { requireJournal } from '../../agent/stored-sessions/kept-journals.ts';
import { askPlace } from './ask-place.ts';
import { goOn, placeNames } from './bring-back.ts';
import type { BringBackOptions } from './bring-back.ts';
import { recordStay } from './move-session.ts';

/** Where a session runs. */
export interface SettledMove {
  /** It may be opened here. */
  readonly isHere: boolean;
  /** Where it runs, if not here and if that is known. */
  readonly url?: string;
}

/**
 * Where the session runs. Where a move was cut before it was answered, the place is asked, and what was not done by
 * then never is. `ticket` gets the place's address. Rejects with `worker-lost` where that is out of reach: the
 * session can't be opened meanwhile.
 */
export async function settleMove(
  sessionId: string,
  {
    host,
    ticket,
    acceptRules = false,
    ...options
  }: Omit<BringBackOptions, 'ticket'> & {
    readonly host: Pick<Host, 'workspace' | 'kind'>;
    readonly ticket: (url: string) => string | Promise<string>;
  },
): Promise<SettledMove> {
  const { workspace } = host;
  const { streams } = workspace;
  await requireJournal(streams, sessionId);
  const fold = await loadJournal(workspace, sessionId);
  const ledger = await readLedger(streams, sessionId);
  const where = findOut(fold, ledger);
  const newest = [...(ledger?.moves.values() ?? [])].at(-1);
  const url = newest?.url;
  const { place } = fold;
  if (where === 'leaving' && place) {
    await noteMove(streams, sessionId, { move: place.move, state: 'void' });
    await recordStay(host, sessionId, place);
    return { isHere: true };
  }
  if (where === 'here') return { isHere: true };
  const away = { isHere: false, ...(url !== undefined && { url }) };
  if (where === 'away' || !newest || url === undefined) return away;
  const ask = askPlace(url, { ...options, ticket: () => ticket(url) });
  // Without a number it was to come here.
  if (newest.n === undefined) {
    const how = {
      at: placeNames[host.kind],
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
