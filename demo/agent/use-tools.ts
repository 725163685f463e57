// The tools of a conversation, once they are loaded: their own words say what a call does.
import { useEffect, useState } from 'react';
import type { Tools } from 'rockpool/browser';
import type { Conversation } from './conversation.ts';

/** None until they are loaded, and where they can't be: then their names are told. */
export function useTools(session: Conversation): Tools {
  const [tools, setTools] = useState<Tools>([]);
  useEffect(() => {
    let isOver = false;
    session.loadTools().then(
      (loaded) => {
        if (!isOver) setTools(loaded);
      },
      // The query says so, with its first message.
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [session]);
  return tools;
}
