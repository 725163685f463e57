// BroadcastChannels between the FS workers of several tabs: one for the workspace, and one for each
// tab, so that snapshots and commits are cloned only for their receiver.
import type { TabChannel } from '../../../workspace/tabs/tab-ports.ts';

/** Without a SharedWorker, which Chrome on Android lacks. Blobs cross it without being copied. */
export function createTabChannel(workspace: string, id: string): TabChannel {
  const everybody = new BroadcastChannel(`rockpool:${workspace}`);
  const inbox = new BroadcastChannel(inboxName(id));
  const others = new Map<string, BroadcastChannel>();
  return {
    post(message, to) {
      if (to === undefined) {
        everybody.postMessage(message);
        return;
      }
      const channel = others.get(to) ?? new BroadcastChannel(inboxName(to));
      others.set(to, channel);
      channel.postMessage(message);
    },
    listen(receive) {
      for (const channel of [everybody, inbox]) {
        channel.addEventListener('message', ({ data }) => receive(data));
      }
    },
    [Symbol.dispose]() {
      for (const channel of [everybody, inbox, ...others.values()]) channel.close();
    },
  };
}

function inboxName(id: string): string {
  return `rockpool-tab:${id}`;
}
