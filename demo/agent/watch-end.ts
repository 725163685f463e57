// Hears when nothing more is told of a session: it was closed here, it can't go on, or it has left for another place.
import type { FollowedSession } from 'rockpool/react';

export interface Ending {
  /** Resolves then. Never where it couldn't be opened. */
  readonly ended: Promise<void>;
  isEnded(): boolean;
}

export function watchEnd(opened: Promise<FollowedSession>): Ending {
  let isEnded = false;
  const watch = async () => {
    const session = await opened;
    // One more reader, of nothing that was said by now.
    const messages = session.messages({ after: Number.MAX_SAFE_INTEGER })[Symbol.asyncIterator]();
    while (!(await messages.next()).done);
    isEnded = true;
  };
  const ended = watch().catch(() => new Promise<void>(() => undefined));
  return { ended, isEnded: () => isEnded };
}
