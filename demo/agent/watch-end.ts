// Calls back when a session yields no more messages: it was closed here, it can't continue, or it
// has moved to another place.
import type { SDKMessage } from 'rockpool/browser';
import type { FollowedSession } from 'rockpool/react';

export interface Ending {
  /** Resolves when the session yields no more messages. Never resolves if it couldn't be opened. */
  readonly ended: Promise<void>;
  isEnded(): boolean;
  /** True if the session has ended, couldn't be opened, or has failed: new prompts would be lost. */
  isOver(): boolean;
}

/** `kept`: the messages so far. */
export function watchEnd(
  opened: Promise<FollowedSession>,
  kept: readonly SDKMessage[] = [],
): Ending {
  const last = kept.reduce((most, { n = 0 }) => Math.max(most, n), 0);
  let isEnded = false;
  let isOver = false;
  const watch = async () => {
    const session = await opened;
    // Adds a reader that skips the messages so far. A number that the session hasn't reached yet would be refused.
    const messages = session.messages({ after: last })[Symbol.asyncIterator]();
    while (!(await messages.next()).done);
    isEnded = true;
  };
  const watched = watch().finally(() => (isOver = true));
  const ended = watched.catch(() => new Promise<void>(() => undefined));
  return { ended, isEnded: () => isEnded, isOver: () => isOver };
}
