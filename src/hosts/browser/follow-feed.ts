// The tool worker's end of its feed: a replica that is ready, and follows the workspace from then on.
import { fromSerializedError } from '../../core/errors.ts';
import { systemClock } from '../../core/system-clock.ts';
import { createReplica, type Replica } from '../../workspace/replica.ts';
import type { ToFeed } from './protocol.ts';
import { readFromFeed } from './read-message.ts';

/** Resolves when the first snapshot is in. Rejects with the FS worker's reason when there is none. */
export function followFeed(port: MessagePort): Promise<Replica> {
  return new Promise((resolve, reject) => {
    const subscribe: ToFeed = { type: 'subscribe' };
    const replica = createReplica({
      subscribe: () => port.postMessage(subscribe),
      clock: systemClock,
    });
    port.addEventListener('message', (event) => {
      try {
        const message = readFromFeed(event.data);
        // After the first snapshot this rejects nothing: the replica itself asks again.
        if (message.type === 'feed-failed') reject(fromSerializedError(message.error));
        else replica.receive(message);
      } catch (error) {
        reject(error);
      }
    });
    port.start();
    replica.waitFor(0).then(() => resolve(replica), reject);
  });
}
