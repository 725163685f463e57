// The port through which an object's class or server connects clients to its session. Created once
// per instance.
import type { AgentSession } from '../../../agent/agent-session.ts';

/**
 * Connects clients to the session. Each handler returns whether the event was its own; undefined
 * and false mean it wasn't.
 */
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
  /**
   * Called at each opening: sockets may have survived the previous instance, and the files have a
   * new writer.
   */
  opened?(session: AgentSession): void;
  /** Called when the session with that id has moved to another place; `url` if it is known. */
  moved?(sessionId: string, url?: string): void;
}
