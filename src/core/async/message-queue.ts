// An unbounded queue between a producer and one reader. It is used between the loop and a query's
// caller, and between a person and `query({ prompt })`.

/** Items come out in the order in which they went in; each is given once. */
export interface MessageQueue<T> extends AsyncIterable<T> {
  push(item: T): void;
  /** Ends the queue. The remaining items are still given. */
  end(): void;
}

/** Unbounded, because the producer must not wait for a slow reader. For one reader. */
export function createMessageQueue<T>(): MessageQueue<T> {
  const items: T[] = [];
  let isEnded = false;
  let wake: () => void = () => undefined;
  return {
    push(item) {
      items.push(item);
      wake();
    },
    end() {
      isEnded = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        // Taken as a batch: shifting a long array one by one takes quadratic time.
        yield* items.splice(0);
        if (items.length > 0) continue;
        if (isEnded) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
