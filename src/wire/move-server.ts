// What answers the requests by which a session is moved, as handle-requests.ts passes them on. handover/serve-moves.ts
// makes it.

/** The media type of a request's body and of its answer's. */
export const moveType = 'application/x-rockpool-move';

/** Answers one request's body by an answer's. Never rejects but where the place itself fails. */
export type MoveServer = (body: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>;
