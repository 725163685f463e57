// The handler of move requests, which handle-requests.ts calls. Created by handover/serve-moves.ts.

/** The media type of the bodies of requests and answers. */
export const moveType = 'application/x-rockpool-move';

/**
 * 32 MiB for a message of a move, packed or not. That is four times a usual message; only a single
 * large entry needs more. An isolate's memory is shared.
 */
export const maxMoveBytes = 33_554_432;

/**
 * 64 kB less for the other parts of a message: the size of the largest content that can be moved.
 */
export const maxContentBytes = maxMoveBytes - 65_536;

/** Half a megabit per second: with a slower connection sessions can't be moved. */
export const moveBytesPerMs = 64;

/** Returns the body of the answer to a request's body. Rejects only if the place itself fails. */
export type MoveServer = (body: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>;
