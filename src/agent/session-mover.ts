// The port by which a session that is open moves to another place. Hosts provide it from wire/handover, which knows how
// places are reached; open-session.ts asks it.
import type { AgentSession } from './agent-session.ts';
import type { Host } from './host.ts';

/** How the other place is asked. */
export interface MoveToOptions {
  /** Gets a ticket of the role owner, one for each request: `() => fetchTicket(url)`. */
  readonly ticket: () => string | Promise<string>;
  /** Ends the attempt: before the place has taken it over the session stays. */
  readonly signal?: AbortSignal;
}

/** Moves the session of that id, and connects to it there. Rejects as `moveSession` of `rockpool/wire`. */
export type SessionMover = (
  host: Pick<Host, 'workspace' | 'tabs' | 'clock'>,
  sessionId: string,
  url: string,
  options: MoveToOptions,
) => Promise<AgentSession>;
