// Calls off what was offered to a place by somebody who says nothing more of it. That is a page
// that was closed in the midst of a move, say. Its host asks for that after a while, as
// `MovingPlace.expecting` says.
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
 * Drops what has arrived of an offered session. Whoever still brings it is told that the move has
 * come to nothing. The session stays where it is. It is here, if it was taken over and the place
 * was killed before it knew that. `serve` is the place's own handler. It is asked as by the one who
 * made the offer, so that both know what the other did. Rejects as the place does.
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
    // Older moves don't matter any more. A move with an address was offered from here.
    const newest = [...(ledger?.moves.values() ?? [])].at(-1);
    const isOpen = newest && openStates.has(newest.state);
    if (isOpen && newest.url === undefined) offers.push({ session, move: newest.move });
  }
  return offers;
}
