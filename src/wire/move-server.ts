// What answers the requests by which a session is moved, as handle-requests.ts passes them on. handover/serve-moves.ts
// makes it.

/** The media type of a request's body and of its answer's. */
export const moveType = 'application/x-rockpool-move';

/** 32 MiB of a message of a move, packed or not: four times what one has but for a large entry alone. An isolate's memory is shared. */
export const maxMoveBytes = 33_554_432;

/** 64 kB less, for what else a message has: the largest content that goes along. */
export const maxContentBytes = maxMoveBytes - 65_536;

/** Half a megabit a second: whoever is slower moves no session. */
export const moveBytesPerMs = 64;

/** Answers one request's body by an answer's. Never rejects but where the place itself fails. */
export type MoveServer = (body: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>;
