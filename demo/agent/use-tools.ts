// The tools of a conversation, once they are loaded. They describe what a call does.
import { useEffect, useState } from 'react';
import type { Tools } from 'rockpool/browser';
import type { Conversation } from './conversation.ts';

/** Empty until they are loaded, and if they can't be loaded. Then only the tools' names are shown. */
export function useTools(session: Conversation): Tools {
  const [tools, setTools] = useState<Tools>([]);
  useEffect(() => {
    let isOver = false;
    session.loadTools().then(
      (loaded) => {
        if (!isOver) setTools(loaded);
      },
      // The query reports the error with its first message.
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [session]);
  return tools;
}
