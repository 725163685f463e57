// The tool worker's end of its feed: a replica that follows the workspace.
import { fromSerializedError, SdkError } from '../../core/errors.ts';
import { systemClock } from '../../core/system-clock.ts';
import { createReplica, type Replica } from '../../workspace/replica.ts';
import type { ToFeed } from './protocol.ts';
import { readFromFeed } from './read-message.ts';

/** At once: calls wait for what they need of it, and fail with the FS worker's reason. */
export function followFeed(port: MessagePort): Replica {
  const subscribe: ToFeed = { type: 'subscribe' };
  const replica = createReplica({
    subscribe: () => port.postMessage(subscribe),
    clock: systemClock,
  });
  port.addEventListener('message', (event) => {
    try {
      const message = readFromFeed(event.data);
      if (message.type === 'feed-failed') replica.fail(fromSerializedError(message.error));
      else replica.receive(message);
    } catch (error) {
      replica.fail(SdkError.isInstance(error) ? error : createUnreadableError(error));
    }
  });
  port.start();
  return replica;
}

function createUnreadableError(cause: unknown): SdkError {
  return new SdkError(
    'worker-lost',
    'What the FS worker sent of the workspace could not be read. Reload the page.',
    { cause },
  );
}
