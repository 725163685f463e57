// Sends all messages of one task as one. Posting costs both ends more than most messages
// themselves, and hundreds of concurrent writes cause as many answers and events.

/** A message, or the messages of one task in order. `[posted].flat()` returns them. */
export type Posted<Message> = Message | readonly Message[];

/** Keeps the order of messages. */
export interface Outbox<Message> {
  /**
   * Queues a message to be posted after the current task. `bytes` is its approximate size if it may
   * be large; large amounts are posted at once.
   */
  add(message: Message, options?: AddOptions): void;
  /** Posts queued messages. */
  flush(): void;
}

interface AddOptions {
  readonly bytes?: number;
  /** Buffers that are transferred instead of cloned. */
  readonly transfer?: readonly ArrayBuffer[] | undefined;
}

export interface OutboxOptions<Message> {
  post(posted: Posted<Message>, transfer: ArrayBuffer[]): void;
  /** Called if a message couldn't be cloned. The others of its batch were posted. */
  onUnsendable(message: Message, error: unknown): void;
}

interface Entry<Message> {
  readonly message: Message;
  readonly transfer: readonly ArrayBuffer[];
}

// 1 MB: a message is serialised into one buffer, so combining large ones gains nothing.
const fullBytes = 1_048_576;

export function createOutbox<Message>(options: OutboxOptions<Message>): Outbox<Message> {
  let waiting: Entry<Message>[] = [];
  let waitingBytes = 0;

  function flush(): void {
    const entries = waiting;
    waiting = [];
    waitingBytes = 0;
    post(entries);
  }

  function post(entries: readonly Entry<Message>[]): void {
    const [first, ...others] = entries;
    if (!first) return;
    const { message } = first;
    try {
      options.post(
        others.length > 0 ? entries.map((entry) => entry.message) : message,
        entries.flatMap(({ transfer }) => transfer),
      );
    } catch (error) {
      // One of them couldn't be cloned. The others must not fail with it.
      if (others.length > 0) for (const entry of entries) post([entry]);
      else options.onUnsendable(message, error);
    }
  }

  return {
    add(message, { bytes = 0, transfer = [] } = {}) {
      if (waiting.push({ message, transfer }) === 1) queueMicrotask(flush);
      waitingBytes += bytes;
      if (waitingBytes >= fullBytes) flush();
    },
    flush,
  };
}

/** Returns the size of strings and byte arrays among the values, for {@link AddOptions}. */
export function bytesAmong(values: readonly unknown[]): number {
  let bytes = 0;
  for (const value of values) {
    if (typeof value === 'string') bytes += value.length;
    else if (ArrayBuffer.isView(value)) bytes += value.byteLength;
  }
  return bytes;
}
