// What shows the session of an object to clients: the port that its class, or its server, is behind. Made once an
// instance, by what createSessionObject is given.
import type { AgentSession } from '../../../agent/agent-session.ts';

/** Shows the session to clients. Each says whether the event was its own: undefined and false mean that it wasn't. */
export interface SessionWire {
  fetch(request: Request): Promise<Response | undefined>;
  webSocketMessage(socket: unknown, data: string | ArrayBuffer): Promise<boolean>;
  webSocketClose(
    socket: unknown,
    code: number,
    reason: string,
    wasClean: boolean,
  ): Promise<boolean>;
  webSocketError(socket: unknown, error: unknown): Promise<boolean>;
  /** At each opening: sockets may have outlived the instance before, and the files have another writer. */
  opened?(session: AgentSession): void;
  /** The session of that id was given away to another place: to that address, if it is known. */
  moved?(sessionId: string, url?: string): void;
}
