// rockpool/wire: a session that runs elsewhere, from a page, Node or another Worker.
export { connectSession } from './wire/connect-session.ts';
export type { ConnectOptions, ConnectedSession } from './wire/connect-session.ts';
export { fetchTicket } from './wire/fetch-ticket.ts';
export type { FollowedFiles } from './wire/follow-files.ts';
export type { Transport } from './wire/keep-link.ts';
export type { CreateSocket, WireSocket } from './wire/open-socket.ts';
export type { WireRole } from './wire/protocol.ts';
