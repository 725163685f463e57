// The FS worker's side of one tool worker's feed. It accepts three kinds of message: "subscribe", a
// request for a part of the log's files, and the search index of the worker. The index is stored
// for others.
import { toSerializedError } from '../../../core/errors.ts';
import type { FeedPacker } from '../../../workspace/feed/feed-packer.ts';
import type { StoredPart } from '../../../workspace/state/content-source.ts';
import { serveFeed, type FeedSource } from '../../../workspace/feed/serve-feed.ts';
import type { FromFeed, ToFeed } from '../wire/protocol.ts';
import { readToFeed } from '../wire/read-message.ts';

/** Feeds whoever holds the other end, until it is disposed. The packer is that of all its like. */
export function serveSubscriber(
  source: FeedSource,
  packer: FeedPacker,
  port: MessagePort,
): Disposable {
  let feed: Disposable | undefined;
  // A large workspace's snapshot takes longer than a replica's patience. Begun again each time that
  // the replica asks, it would never be done.
  let isOnItsWay = false;
  const send = (message: FromFeed) => {
    if (message.type !== 'record') isOnItsWay = false;
    port.postMessage(message);
  };
  /**
   * Reads a part. If it can't be read here, its Blob may still give it, or tells the reader why it
   * can't.
   */
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
      // Security: a tool worker that says anything else here isn't ours any more. It is left deaf,
      // and its calls fail by their own deadline.
      end();
      return;
    }
    if (message.type === 'read-stored') {
      void read(message.id, message.part);
      return;
    }
    if (message.type === 'index') {
      // An index of another era is about other contents.
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
