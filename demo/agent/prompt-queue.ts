// What a person sends, as the stream that query() reads: it waits while nothing is there.

export interface PromptQueue<T> extends AsyncIterable<T> {
  push(item: T): void;
  /** No more will come: the reader ends when it has read what is there. */
  end(): void;
}

/** For one reader. */
export function createPromptQueue<T>(): PromptQueue<T> {
  const items: T[] = [];
  let isEnded = false;
  let wake = () => {};
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
        while (items.length > 0) yield items.shift() as T;
        if (isEnded) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
