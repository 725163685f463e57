// `session.moveTo`, as hosts provide it: moves the session, and follows it where it is then.
import type { SessionMover } from '../../agent/session-mover.ts';
import { connectSession } from '../connect-session.ts';
import { moveSession } from './move-session.ts';

/** Resolves with the session as its viewer has it. */
export const moveTo: SessionMover = async (host, sessionId, url, { ticket, signal }) => {
  await moveSession(sessionId, url, { host, ticket, ...(signal && { signal }) });
  return connectSession(url, { ticket: async () => ticket() });
};
