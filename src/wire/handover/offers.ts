// Cancels an offer to a place whose sender has become silent, for example a page that was closed
// during a move. The place's host calls it after a while, as `MovingPlace.expecting` says.
import { fromSerializedError } from '../../core/errors.ts';
import type { SerializedError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { listLedgers, readLedger } from '../../agent/session/handover/ledger.ts';
import type { MoveState } from '../../agent/session/handover/ledger.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { MoveServer } from '../move-server.ts';
import { decodeFrame, encodeFrame } from './frames.ts';
import { moveProtocol } from './move-messages.ts';
import type { MovingPlace } from './serve-moves.ts';

/**
 * Drops the data of an offered session. If its sender continues, it learns that the move was
 * cancelled. The session stays in its old place. It is here if the place had taken it over and was
 * killed before it recorded that. `serve`: the place's own handler, which is called like the sender
 * would call it, so that both sides agree. Rejects like the place.
 */
export async function callOffOffers(
  place: Pick<MovingPlace, 'withWorkspace'>,
  serve: MoveServer,
): Promise<void> {
  for (const about of await place.withWorkspace(listOffers)) {
    const asked = { ...about, protocol: moveProtocol, type: 'cancel' };
    const { error } = (await decodeFrame(await serve(await encodeFrame(asked)))).fields;
    if (isRecord(error)) throw fromSerializedError(error as unknown as SerializedError);
  }
}

interface Offer {
  readonly session: string;
  readonly move: string;
}

const openStates: ReadonlySet<MoveState> = new Set(['offered', 'staged', 'here']);

async function listOffers({ streams }: Workspace): Promise<Offer[]> {
  const offers: Offer[] = [];
  for (const session of await listLedgers(streams)) {
    const ledger = await readLedger(streams, session);
    // Older moves don't matter any more. The newest move has an address if it was offered from
    // here.
    const newest = [...(ledger?.moves.values() ?? [])].at(-1);
    const isOpen = newest && openStates.has(newest.state);
    if (isOpen && newest.url === undefined) offers.push({ session, move: newest.move });
  }
  return offers;
}
