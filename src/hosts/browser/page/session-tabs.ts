// How the tabs of one workspace share its sessions: a Web Lock and a BroadcastChannel for each open
// session. They are on the page and not in its FS worker, so that both end with the page that runs
// the loop.
import type { SessionLease, SessionTabs } from '../../../agent/tabs/session-tabs.ts';
import { createClosedHostError } from '../../closed-host.ts';
import { DisposableSet, requestLock } from './page-locks.ts';

/**
 * For the workspace of that name in this origin. Disposing of it releases all sessions, as the end
 * of the page does. A session that stayed locked could record nothing, and other tabs would wait
 * for it.
 */
export function createSessionTabs(workspace: string): SessionTabs & Disposable {
  // The id comes first. It contains no colon, so lock names are unambiguous.
  const toName = (sessionId: string) => `rockpool-session:${sessionId}:${workspace}`;
  const closing = new AbortController();
  const resources = new DisposableSet();
  /** Resolves to undefined if `ifAvailable` was set and the lock is taken. */
  const request = async (name: string, options: LockOptions): Promise<SessionLease | undefined> => {
    closing.signal.throwIfAborted();
    const lease = await requestLock(name, options);
    return lease && resources.add(lease);
  };
  return {
    tryHold: (sessionId) => request(toName(sessionId), { ifAvailable: true }),
    async hold(sessionId, signal) {
      const either = AbortSignal.any([signal, closing.signal]);
      const lease = await request(toName(sessionId), { signal: either });
      if (lease) return lease;
      throw new TypeError('A lock was asked for without ifAvailable, and not given.');
    },
    openChannel(sessionId) {
      const channel = new BroadcastChannel(toName(sessionId));
      let isOpen = true;
      const open = resources.add({
        [Symbol.dispose]() {
          isOpen = false;
          channel.close();
        },
      });
      return {
        post(message) {
          if (isOpen) channel.postMessage(message);
        },
        listen: (receive) => channel.addEventListener('message', ({ data }) => receive(data)),
        [Symbol.dispose]: () => open[Symbol.dispose](),
      };
    },
    [Symbol.dispose]() {
      closing.abort(createClosedHostError());
      resources[Symbol.dispose]();
    },
  };
}
