// `session.moveTo` for hosts: moves the session and returns a viewer of it in its new place.
import type { SessionMover } from '../../agent/session-mover.ts';
import { connectSession } from '../connect-session.ts';
import { moveSession } from './move-session.ts';

/** Resolves to the session's viewer. */
export const moveTo: SessionMover = async (host, sessionId, url, { ticket, signal }) => {
  await moveSession(sessionId, url, { host, ticket, ...(signal && { signal }) });
  return connectSession(url, { ticket: async () => ticket() });
};
