// The FS worker's side of one tool worker's feed. Accepts three kinds of messages: a subscription,
// a request for a part of the log's files, and the worker's search index to store.
import { toSerializedError } from '../../../core/errors.ts';
import type { FeedPacker } from '../../../workspace/feed/feed-packer.ts';
import type { StoredPart } from '../../../workspace/state/content-source.ts';
import { serveFeed, type FeedSource } from '../../../workspace/feed/serve-feed.ts';
import type { FromFeed, ToFeed } from '../wire/protocol.ts';
import { readToFeed } from '../wire/read-message.ts';

/** Feeds the other end of the port until disposed of. The packer is shared by all feeds. */
export function serveSubscriber(
  source: FeedSource,
  packer: FeedPacker,
  port: MessagePort,
): Disposable {
  let feed: Disposable | undefined;
  // A snapshot of a large workspace takes longer than a replica's timeout. If each repeated request
  // restarted it, it would never finish.
  let isOnItsWay = false;
  const send = (message: FromFeed) => {
    if (message.type !== 'record') isOnItsWay = false;
    port.postMessage(message);
  };
  /** Reads a part. If that fails here, the reader uses its Blob, or gets that error. */
  const read = async (id: number, part: StoredPart) => {
    const bytes = await source.contents.readStored?.(part).catch(() => undefined);
    const message: FromFeed = { type: 'stored', id, bytes };
    port.postMessage(message, bytes ? [bytes.buffer] : []);
  };
  const end = () => {
    feed?.[Symbol.dispose]();
    port.close();
  };
  port.addEventListener('message', (event) => {
    let message: ToFeed;
    try {
      message = readToFeed(event.data);
    } catch {
      // Security: a tool worker that sends anything else isn't trusted any more. Its feed ends, and
      // its calls fail by their deadlines.
      end();
      return;
    }
    if (message.type === 'read-stored') {
      void read(message.id, message.part);
      return;
    }
    if (message.type === 'index') {
      // An index of another era refers to other contents.
      if (message.era === packer.era) source.contents.saveIndex?.(message.index);
      return;
    }
    if (isOnItsWay) return;
    isOnItsWay = true;
    feed?.[Symbol.dispose]();
    feed = serveFeed(source, {
      send,
      packer,
      onError: (error) => send({ type: 'feed-failed', error: toSerializedError(error) }),
    });
  });
  port.start();
  return { [Symbol.dispose]: end };
}
