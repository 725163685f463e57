// Distributes one session's messages to any number of readers, each at its own pace. Used by
// open-session.ts.
import type { SDKMessage } from '../../core/messages/sdk-message.ts';
import { createMessageQueue } from '../../core/async/message-queue.ts';
import type { MessageQueue } from '../../core/async/message-queue.ts';

/**
 * One reader. It gets all messages from its creation on. Dispose it when it isn't read any more.
 */
export interface MessageReader extends AsyncIterable<SDKMessage>, Disposable {}

export interface MessageHub {
  /** Gives the message to all present readers. */
  push(message: SDKMessage): void;
  /** Readers get the messages so far, and then end. */
  end(): void;
  /** The buffer is unbounded, because the session doesn't wait for a slow reader. */
  read(): MessageReader;
}

/** Makes a hub without readers. */
export function createMessageHub(): MessageHub {
  const queues = new Set<MessageQueue<SDKMessage>>();
  let isEnded = false;
  return {
    push(message) {
      for (const queue of queues) queue.push(message);
    },
    end() {
      isEnded = true;
      for (const queue of queues) queue.end();
      queues.clear();
    },
    read() {
      const queue = createMessageQueue<SDKMessage>();
      if (isEnded) queue.end();
      else queues.add(queue);
      return {
        [Symbol.asyncIterator]: () => queue[Symbol.asyncIterator](),
        [Symbol.dispose]: () => void queues.delete(queue),
      };
    },
  };
}
