// rockpool/wire: the client of a remote session, for a page, Node or another Worker.
import './core/symbol-dispose.ts';
export { connectSession } from './wire/connect-session.ts';
export type { ConnectOptions, ConnectedSession } from './wire/connect-session.ts';
export { fetchTicket } from './wire/fetch-ticket.ts';
export type { FollowedFiles } from './wire/followed-files.ts';
export type { Transport } from './wire/keep-link.ts';
export type { CreateSocket, WireSocket } from './wire/open-socket.ts';
export type { WireRole } from './wire/protocol.ts';
export { bringBack } from './wire/handover/bring-back.ts';
export type { BringBackOptions, BroughtBack } from './wire/handover/bring-back.ts';
export { moveSession } from './wire/handover/move-session.ts';
export type { MoveSessionOptions } from './wire/handover/move-session.ts';
export type { PlaceOptions } from './wire/handover/ask-place.ts';
export { reclaimSession } from './wire/handover/reclaim-session.ts';
export type { ReclaimedSession } from './wire/handover/reclaim-session.ts';
export { settleMove } from './wire/handover/settle-move.ts';
export type { SettledMove, SettleMoveOptions } from './wire/handover/settle-move.ts';
