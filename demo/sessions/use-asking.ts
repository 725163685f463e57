// How many conversations wait for the person, without the one that is shown: of those that are open in this page, and of
// the cloud's.
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Cloud } from '../cloud/cloud.ts';
import type { OpenConversations } from './open-conversations.ts';

/** The cloud is asked when another conversation is shown, and when the person comes back to the page. */
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
        // The list of conversations says what is wrong with it.
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
  // What is open here is known better here.
  for (const [id, activity] of activities)
    if (activity === 'asking') ids.add(id);
    else ids.delete(id);
  ids.delete(shownId);
  return ids.size;
}
