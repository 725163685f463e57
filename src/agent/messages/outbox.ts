// Sends messages in order to a client of the wire or to other tabs. Deltas of a reply wait up to 50
// ms for the next ones, and are sent merged.
import type { SDKMessage } from '../../core/messages/sdk-message.ts';
import type { Clock } from '../../core/tool/ports.ts';
import { mergeDeltas } from './merge-deltas.ts';

/** 50 ms: three frames of a screen, and at most 20 messages a second. */
const mergeMs = 50;

/** Disposing it drops the waiting messages. A timer runs only while messages wait. */
export interface Outbox extends Disposable {
  push(message: SDKMessage): void;
  /** Sends the waiting messages at once. */
  flush(): void;
}

/** `send` must keep the order. */
export function createOutbox(clock: Clock, send: (message: SDKMessage) => void): Outbox {
  let waiting: (SDKMessage & { readonly type: 'stream_event' }) | undefined;
  let timer: Disposable | undefined;

  function flush(): void {
    timer?.[Symbol.dispose]();
    timer = undefined;
    const message = waiting;
    waiting = undefined;
    if (message) send(message);
  }

  return {
    push(message) {
      const isDelta =
        message.type === 'stream_event' && message.event.type === 'content_block_delta';
      if (!isDelta) {
        flush();
        send(message);
        return;
      }
      const isOfSame = waiting?.parent_tool_use_id === message.parent_tool_use_id;
      const both = isOfSame ? waiting && mergeDeltas(waiting.event, message.event) : undefined;
      if (waiting && both) {
        waiting = { ...waiting, event: both };
        return;
      }
      flush();
      waiting = message;
      timer = clock.after(mergeMs, flush);
    },
    flush,
    [Symbol.dispose]() {
      timer?.[Symbol.dispose]();
      waiting = undefined;
    },
  };
}
