// How the tabs of one workspace share its sessions: a Web Lock and a BroadcastChannel for each session that is
// open. On the page and not in its FS worker, so that both go with the page that runs the loop.
import type { SessionLease, SessionTabs } from '../../../agent/tabs/session-tabs.ts';

/** For whoever opens the workspace of that name in this origin. */
export function createSessionTabs(workspace: string): SessionTabs {
  // The id first: it has no colon, and so two names can't meet.
  const toName = (sessionId: string) => `rockpool-session:${sessionId}:${workspace}`;
  return {
    tryHold: (sessionId) => request(toName(sessionId), { ifAvailable: true }),
    async hold(sessionId, signal) {
      const lease = await request(toName(sessionId), { signal });
      if (lease) return lease;
      throw new TypeError('A lock was asked for without ifAvailable, and not given.');
    },
    openChannel(sessionId) {
      const channel = new BroadcastChannel(toName(sessionId));
      return {
        post: (message) => channel.postMessage(message),
        listen: (receive) => channel.addEventListener('message', ({ data }) => receive(data)),
        [Symbol.dispose]: () => channel.close(),
      };
    },
  };
}

/** Undefined where it isn't available, if that was asked for. */
function request(name: string, options: LockOptions): Promise<SessionLease | undefined> {
  return new Promise((resolve, reject) => {
    const over = navigator.locks.request(name, options, (lock) => {
      if (!lock) return resolve(undefined);
      return new Promise<void>((release) => resolve({ [Symbol.dispose]: () => release() }));
    });
    over.catch(reject);
  });
}
