// Finds where a session runs that may have been moved, from its journal and this workspace's
// ledger. Checked at each opening, so that only one of the places with its journal runs it.
import { SdkError } from '../../../core/errors.ts';
import type { MoveKeptRecord } from '../../../core/session/journal.ts';
import type { Workspace } from '../../../workspace/workspace.ts';
import type { SessionFold } from '../../journal/fold.ts';
import { findUrl, readLedger } from './ledger.ts';
import type { Ledger } from './ledger.ts';

/**
 * `leaving`: a move was begun, but no request that could complete it was sent. The session stays
 * here once the move is cancelled. `asking`: only the other side knows the result.
 */
export type Whereabouts = 'here' | 'leaving' | 'asking' | 'away';

/** The session's location, by this workspace's records. */
export function findOut(
  { place }: Pick<SessionFold, 'place'>,
  ledger: Ledger | undefined,
): Whereabouts {
  if (!ledger) return place?.type === 'move-out' ? 'away' : 'here';
  const newest = [...ledger.moves.values()].at(-1);
  if (!place && ledger.isHome) return 'here';
  if (place?.place !== ledger.place) return newest?.state === 'asking' ? 'asking' : 'away';
  if (place.type !== 'move-out') return 'here';
  const state = ledger.moves.get(place.move)?.state;
  return state === 'away' || state === 'asking' ? state : 'leaving';
}

/**
 * The records to write before the session is opened here: cancelled moves.
 * @throws SdkError `bad-usage` if the session runs, or may run, elsewhere. Its `data.movedAway` is
 * the other side's URL, or null if unknown
 */
export async function requireHere(
  { streams }: Workspace,
  id: string,
  fold: SessionFold,
): Promise<MoveKeptRecord[]> {
  const ledger = await readLedger(streams, id);
  const where = findOut(fold, ledger);
  if (where === 'here') return [];
  if (where === 'leaving' && fold.place) {
    const { move, place } = fold.place;
    return [{ type: 'move-kept', move, place }];
  }
  throw createElsewhereError(id, where === 'asking', findUrl(ledger));
}

/**
 * The error with the reason why the session, by its entries so far, can't be opened here.
 * Undefined: it can.
 */
export async function findElsewhere(
  { streams }: Workspace,
  id: string,
  fold: SessionFold,
): Promise<SdkError | undefined> {
  const ledger = await readLedger(streams, id);
  const where = findOut(fold, ledger);
  const isElse = where === 'asking' || where === 'away';
  return isElse ? createElsewhereError(id, where === 'asking', findUrl(ledger)) : undefined;
}

/**
 * True for the error of {@link findElsewhere}, and for the error of a session that has moved away.
 */
export function isMovedAway(error: unknown): error is SdkError {
  return SdkError.isInstance(error) && 'movedAway' in error.data;
}

/** The error that says why the session can't be opened here. */
export function createElsewhereError(
  id: string,
  isUnsure: boolean,
  url: string | undefined,
): SdkError {
  const at = url === undefined ? 'elsewhere' : `at ${url}`;
  const next =
    url === undefined
      ? 'Whoever has fetched it can move it back here.'
      : 'Follow it by connectSession, or have it back by bringBack.';
  const message = isUnsure
    ? `Whether the session ${id} runs here or ${at} was not answered when it was moved. Ask there by settleMove; it can be opened then.`
    : `The session ${id} runs ${at} now. ${next}`;
  return new SdkError('bad-usage', message, {
    data: { sessionId: id, movedAway: url ?? null, isUnsure },
  });
}
