// What one end of a port says in one task crosses as one message. Posting costs both ends more than
// most of what is posted, and hundreds of writes at once come to as many answers and events.

/** A message, or those of one task in their order: `[posted].flat()` has them again. */
export type Posted<Message> = Message | readonly Message[];

/** Keeps the order of what it is given. */
export interface Outbox<Message> {
  /**
   * To be posted when what runs now has run. `bytes`: about how many it brings, if they may be many;
   * much is posted at once.
   */
  add(message: Message, options?: AddOptions): void;
  /** Posts what waits. */
  flush(): void;
}

interface AddOptions {
  readonly bytes?: number;
  /** Buffers that move with the message instead of being cloned. */
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

// 1 MB: a message is serialised into one buffer, and what is large gains nothing by company.
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
      // One of them is what couldn't be cloned: the others must not fail with it.
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

/** How many bytes of texts and arrays are among the values, for {@link AddOptions}. */
export function bytesAmong(values: readonly unknown[]): number {
  let bytes = 0;
  for (const value of values) {
    if (typeof value === 'string') bytes += value.length;
    else if (ArrayBuffer.isView(value)) bytes += value.byteLength;
  }
  return bytes;
}
