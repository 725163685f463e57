// A workspace's record of the moves of one session: the id of this workspace as a place of the
// session, and the state of each move. It is a stream of its own, because a copy of the journal
// must be equal to the original.
import type { ContentId } from '../../../core/change-set.ts';
import { isRecord } from '../../../core/values/is-record.ts';
import type { WorkspaceStreams } from '../../../workspace/streams.ts';

/**
 * `offered`: the session may move here. `staged`: all of its data is here, and the move may be
 * completed. `asking`: a request was sent that may have completed the move. `away`: this move has
 * taken the session elsewhere. `here`: this move has brought it here. `void`: the move is
 * cancelled, whatever messages still come.
 */
export type MoveState = 'offered' | 'staged' | 'asking' | 'away' | 'here' | 'void';

/** A move and its state in this workspace. */
export interface LedgerMove {
  readonly move: string;
  readonly state: MoveState;
  /** The URL of the other side. Left out if this side waits for requests. */
  readonly url?: string;
  /** For a move away: the number of the entry that records it. */
  readonly n?: number;
  /**
   * The recorded content of the move: the data that goes with the session, as `Departure` of
   * wire/handover.
   */
  readonly departure?: ContentId;
}

/** The moves of a session that this workspace knows. */
export interface Ledger {
  /** This workspace's id as a place of the session. */
  readonly place: string;
  /** True if the session began in this workspace. */
  readonly isHome: boolean;
  /** The newest state of each move, oldest first. */
  readonly moves: ReadonlyMap<string, LedgerMove>;
}

/** The id of the stream with a session's ledger. */
export const toLedgerId = (sessionId: string): string => `${ledgerPrefix}${sessionId}`;

const ledgerPrefix = 'moves/';

/** The sessions that were moved from or to this workspace, or offered to it. */
export async function listLedgers(streams: WorkspaceStreams): Promise<string[]> {
  const ids = (await streams.list()).map(({ id }) => id);
  return ids.flatMap((id) => (id.startsWith(ledgerPrefix) ? [id.slice(ledgerPrefix.length)] : []));
}

/** Undefined: the session was never moved from or to this workspace. */
export async function readLedger(
  streams: WorkspaceStreams,
  sessionId: string,
): Promise<Ledger | undefined> {
  const id = toLedgerId(sessionId);
  if (!(await streams.list()).some((stream) => stream.id === id)) return undefined;
  let begun: Pick<Ledger, 'place' | 'isHome'> | undefined;
  const moves = new Map<string, LedgerMove>();
  for await (const { value, contents } of streams.read(id)) {
    if (!isRecord(value)) continue;
    if (value['type'] === 'place') begun = value as unknown as Ledger;
    if (value['type'] !== 'move') continue;
    const { type: _, ...move } = value as unknown as LedgerMove & { readonly type: string };
    moves.delete(move.move);
    const [departure] = contents ?? [];
    moves.set(move.move, { ...move, ...(departure !== undefined && { departure }) });
  }
  return begun && { place: begun.place, isHome: begun.isHome, moves };
}

/**
 * The URL of the place to which the session was moved, or was last asked to move. Undefined:
 * unknown. Cancelled moves and moves that have only begun don't count.
 */
export function findUrl(ledger: Ledger | undefined): string | undefined {
  const moves = [...(ledger?.moves.values() ?? [])];
  return moves.findLast(({ state }) => state === 'away' || state === 'asking' || state === 'here')
    ?.url;
}

/** Opens the ledger, or creates it. `isHome`: the session began in this workspace. */
export async function openLedger(
  streams: WorkspaceStreams,
  sessionId: string,
  isHome: boolean,
): Promise<Ledger> {
  const known = await readLedger(streams, sessionId);
  if (known) return known;
  const begun = { place: crypto.randomUUID(), isHome };
  await noteHome(streams, sessionId, begun);
  return { ...begun, moves: new Map() };
}

/**
 * Resets the ledger for a new session with an id that was used before. The earlier session was on
 * its way here, or was deleted after it had left. The new session counts as begun here, and the
 * earlier one's moves are cancelled. Does nothing if there is no ledger.
 */
export async function claimLedger(streams: WorkspaceStreams, sessionId: string): Promise<void> {
  const ledger = await readLedger(streams, sessionId);
  if (!ledger) return;
  const open = [...ledger.moves.values()].filter(({ state }) => state !== 'void');
  for (const { move } of open) await noteMove(streams, sessionId, { move, state: 'void' });
  await noteHome(streams, sessionId, { place: crypto.randomUUID(), isHome: true });
}

/** Records whether the session began here. The newest record counts. */
export async function noteHome(
  streams: WorkspaceStreams,
  sessionId: string,
  { place, isHome }: Pick<Ledger, 'place' | 'isHome'>,
): Promise<void> {
  const id = toLedgerId(sessionId);
  const at = (await streams.list()).find((stream) => stream.id === id)?.length ?? 0;
  await streams.append(id, [{ value: { type: 'place', place, isHome } }], { at });
}

/**
 * Records the state of a move. When this resolves, the record is durable, even after a power
 * failure.
 */
export async function noteMove(
  streams: WorkspaceStreams,
  sessionId: string,
  move: Omit<LedgerMove, 'departure'>,
  departure?: Uint8Array,
): Promise<void> {
  const id = toLedgerId(sessionId);
  const at = (await streams.list()).find((stream) => stream.id === id)?.length ?? 0;
  const entry = { value: { type: 'move', ...move }, ...(departure && { contents: [departure] }) };
  await streams.append(id, [entry], { at });
}
