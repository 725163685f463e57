// The FS worker's end of one tool worker's feed. It takes one kind of message: "subscribe".
import { toSerializedError } from '../../core/errors.ts';
import { packForTab, serveFeed } from '../../workspace/serve-feed.ts';
import type { WorkspaceWriter } from '../../workspace/writer.ts';
import type { FromFeed } from './protocol.ts';
import { readToFeed } from './read-message.ts';

/** Feeds whoever holds the other end, until it is disposed. */
export function serveSubscriber(writer: WorkspaceWriter, port: MessagePort): Disposable {
  let feed: Disposable | undefined;
  const send = (message: FromFeed) => port.postMessage(message);
  const end = () => {
    feed?.[Symbol.dispose]();
    port.close();
  };
  port.addEventListener('message', (event) => {
    try {
      readToFeed(event.data);
    } catch {
      // Security: a tool worker that says anything else here isn't ours any more. It is left deaf,
      // and its calls fail by their own deadline.
      end();
      return;
    }
    feed?.[Symbol.dispose]();
    feed = serveFeed(writer, {
      send,
      pack: packForTab,
      onError: (error) => send({ type: 'feed-failed', error: toSerializedError(error) }),
    });
  });
  port.start();
  return { [Symbol.dispose]: end };
}
