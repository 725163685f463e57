// The tool worker's end of its feed: a replica that follows the workspace.
import { fromSerializedError, SdkError } from '../../../core/errors.ts';
import { systemClock } from '../../../core/async/system-clock.ts';
import type { ReadStored } from '../../../workspace/feed/block-reader.ts';
import { createReplica, type Replica } from '../../../workspace/feed/replica.ts';
import type { FromFeed, ToFeed } from '../wire/protocol.ts';
import { OpenRequests } from '../wire/request-port.ts';

/** A replica and its source. */
export interface FollowedFeed {
  readonly replica: Replica;
  /** Continues through another port, because the FS worker was replaced. */
  follow(port: MessagePort): void;
}

/** Returns at once. Calls wait for the data that they need, and fail with the FS worker's error. */
export function followFeed(first: MessagePort): FollowedFeed {
  const subscribe: ToFeed = { type: 'subscribe' };
  let port = first;
  /** Open requests on the current port. */
  const reading = new OpenRequests<(bytes: Uint8Array | undefined) => void>();
  const readStored: ReadStored = (part) =>
    new Promise((resolve) => {
      const message: ToFeed = { type: 'read-stored', id: reading.add(resolve), part };
      port.postMessage(message);
    });
  const replica = createReplica({
    subscribe: () => port.postMessage(subscribe),
    saveIndex(era, index) {
      const message: ToFeed = { type: 'index', era, index };
      port.postMessage(message, [index.bytes.buffer]);
    },
    readStored,
    clock: systemClock,
  });
  const hear = ({ data: message }: MessageEvent<FromFeed>) => {
    try {
      if (message.type === 'stored') {
        reading.take(message.id)?.(message.bytes);
      } else if (message.type === 'feed-failed') replica.fail(fromSerializedError(message.error));
      else replica.receive(message);
    } catch (error) {
      replica.fail(SdkError.isInstance(error) ? error : createUnreadableError(error));
    }
  };
  const listen = () => {
    port.addEventListener('message', hear);
    port.start();
  };
  listen();
  return {
    replica,
    follow(next) {
      port.close();
      port = next;
      // Nobody will answer them any more.
      for (const resolve of reading.takeAll()) resolve(undefined);
      listen();
      port.postMessage(subscribe);
    },
  };
}

function createUnreadableError(cause: unknown): SdkError {
  return new SdkError(
    'worker-lost',
    'What the FS worker sent of the workspace could not be read. Reload the page.',
    { cause },
  );
}
