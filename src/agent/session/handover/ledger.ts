// A workspace's record of the moves of one session, beside its journal: its own id as a place, and
// the state of each move. It is a stream of its own, as a copy of the journal must stay the same as
// the journal elsewhere.
import type { ContentId } from '../../../core/change-set.ts';
import { isRecord } from '../../../core/values/is-record.ts';
import type { WorkspaceStreams } from '../../../workspace/streams.ts';

/**
 * `offered`: the session may come here. `staged`: all of it is here, and it may be taken over.
 * `asking`: a request was sent that may have settled the move. `away`: by this move the session
 * runs elsewhere. `here`: by this move it runs here. `void`: the move comes to nothing, whatever is
 * still said of it.
 */
export type MoveState = 'offered' | 'staged' | 'asking' | 'away' | 'here' | 'void';

/** A move, with its state here. */
export interface LedgerMove {
  readonly move: string;
  readonly state: MoveState;
  /** The address of the other side. Left out by the side that waits to be reached. */
  readonly url?: string;
  /** For a move away: the entry by which the session left. */
  readonly n?: number;
  /**
   * The content that was noted for the move: everything that goes along, as `Departure` of
   * wire/handover has it.
   */
  readonly departure?: ContentId;
}

/** The known moves of a session. */
export interface Ledger {
  /** This workspace's id as a place of the session. */
  readonly place: string;
  /** The session has begun here. */
  readonly isHome: boolean;
  /** The newest state of each move, oldest first. */
  readonly moves: ReadonlyMap<string, LedgerMove>;
}

/** The stream that a session's ledger is. */
export const toLedgerId = (sessionId: string): string => `${ledgerPrefix}${sessionId}`;

const ledgerPrefix = 'moves/';

/** The sessions that were ever moved from or to this workspace, or offered to it. */
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
 * The address of the place that the session was moved to, or that was asked for it last. Undefined:
 * it isn't known. Moves that came to nothing, or have only begun, tell nothing of it.
 */
export function findUrl(ledger: Ledger | undefined): string | undefined {
  const moves = [...(ledger?.moves.values() ?? [])];
  return moves.findLast(({ state }) => state === 'away' || state === 'asking' || state === 'here')
    ?.url;
}

/** The ledger, begun if there is none. `isHome`: the session is this workspace's own. */
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
 * Claims the ledger for a session that begins in this workspace. A session of its id was on its way
 * here, or was deleted after it had left. The new session is at home here, and moves of the earlier
 * one come to nothing. Does nothing if there is no ledger.
 */
export async function claimLedger(streams: WorkspaceStreams, sessionId: string): Promise<void> {
  const ledger = await readLedger(streams, sessionId);
  if (!ledger) return;
  const open = [...ledger.moves.values()].filter(({ state }) => state !== 'void');
  for (const { move } of open) await noteMove(streams, sessionId, { move, state: 'void' });
  await noteHome(streams, sessionId, { place: crypto.randomUUID(), isHome: true });
}

/** Notes the session's home. The newest note counts. */
export async function noteHome(
  streams: WorkspaceStreams,
  sessionId: string,
  { place, isHome }: Pick<Ledger, 'place' | 'isHome'>,
): Promise<void> {
  const id = toLedgerId(sessionId);
  const at = (await streams.list()).find((stream) => stream.id === id)?.length ?? 0;
  await streams.append(id, [{ value: { type: 'place', place, isHome } }], { at });
}

/** Notes the state of a move. The note outlives a power cut when this resolves. */
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
