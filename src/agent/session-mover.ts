// The port that moves an open session to another place. wire/handover implements it for hosts;
// open-session.ts uses it.
import type { AgentSession } from './agent-session.ts';
import type { Host } from './host.ts';

/** The options of a move. */
export interface MoveToOptions {
  /** Returns a ticket of the role owner for each request: `() => fetchTicket(url)`. */
  readonly ticket: () => string | Promise<string>;
  /** Cancels the move: unless the place has already taken the session over, it stays. */
  readonly signal?: AbortSignal;
}

/**
 * Moves the session with that id and connects to it there. Rejects like `moveSession` of
 * `rockpool/wire`.
 */
export type SessionMover = (
  host: Pick<Host, 'workspace' | 'tabs' | 'clock'>,
  sessionId: string,
  url: string,
  options: MoveToOptions,
) => Promise<AgentSession>;
