// Counts the conversations that wait for the person's answer, except the shown one: those that are open in this page,
// and those of the cloud.
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Cloud } from '../cloud/cloud.ts';
import type { OpenConversations } from './open-conversations.ts';

/** Requests the cloud's list when another conversation is shown, and when the person returns to the page. */
export function useAsking(
  cloud: Cloud | null,
  conversations: OpenConversations,
  shownId: string,
): number {
  const activities = useSyncExternalStore(conversations.subscribe, conversations.getSnapshot);
  const [inCloud, setInCloud] = useState<readonly string[]>([]);
  useEffect(() => {
    let isCurrent = true;
    const read = () => {
      if (document.hidden || !cloud) return;
      cloud.list().then(
        (sessions) =>
          isCurrent && setInCloud(sessions.filter((one) => one.isAsking).map(({ id }) => id)),
        // The list of conversations reports the error.
        () => isCurrent && setInCloud([]),
      );
    };
    read();
    document.addEventListener('visibilitychange', read);
    return () => {
      isCurrent = false;
      document.removeEventListener('visibilitychange', read);
    };
  }, [cloud, shownId]);
  const ids = new Set(inCloud);
  // For conversations that are open here, this page's state is newer than the cloud's.
  for (const [id, activity] of activities)
    if (activity === 'asking') ids.add(id);
    else ids.delete(id);
  ids.delete(shownId);
  return ids.size;
}
