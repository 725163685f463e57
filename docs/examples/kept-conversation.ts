import { getSessionInfo, getSessionMessages, openSession, type Host, type Model } from 'rockpool';
import { followSession } from 'rockpool/react';

/** The session of that id, gone on with where the workspace keeps it; else a new one. */
export async function openConversation(host: Host, model: Model, id: string) {
  const isKept = (await getSessionInfo(id, { host })) !== undefined;
  const which = isKept ? { resume: id } : { sessionId: id };
  return followSession(
    (wiring) => openSession({ host, model, includePartialMessages: true, ...which, ...wiring }),
    isKept ? { kept: await getSessionMessages(id, { host }) } : {},
  );
}
