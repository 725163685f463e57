// A bucket of workerd that records its requests, and fails when the test requests it.
import type { ContentsBucket } from '../../../src/edge.ts';

/** `wrong`: returns other bytes. `once`: only the next time. `late`: stores the data but doesn't answer. */
export type BucketMood =
  'well' | 'down' | 'down once' | 'wrong' | 'wrong once' | 'short' | 'short once' | 'late';

export interface WatchedBucket extends ContentsBucket {
  mood: BucketMood;
  /** Resolves when the data is stored and the answer was sent. */
  held: Promise<void> | undefined;
  /** Nothing that is put arrives until this resolves. */
  before: Promise<void> | undefined;
  /** `put`, `get <offset>+<length>`, `delete <count>`. */
  readonly asked: string[];
  /** The most at one time. */
  readonly most: number;
}

export function watchBucket(bucket: ContentsBucket): WatchedBucket {
  const asked: string[] = [];
  let open = 0;
  let most = 0;

  async function ask<Value>(what: string, run: () => Promise<Value>): Promise<Value> {
    asked.push(what);
    if (watched.mood.startsWith('down')) {
      if (watched.mood === 'down once') watched.mood = 'well';
      throw new Error('internal error; 10001');
    }
    open += 1;
    most = Math.max(most, open);
    try {
      return await run();
    } finally {
      open -= 1;
    }
  }

  const watched: WatchedBucket = {
    mood: 'well',
    held: undefined,
    before: undefined,
    asked,
    get most() {
      return most;
    },
    put: (key, bytes, options) =>
      ask('put', async () => {
        await watched.before;
        const put = await bucket.put(key, bytes, options);
        await watched.held;
        return watched.mood === 'late' ? new Promise(() => {}) : put;
      }),
    get: (key, options) =>
      ask(`get ${options.range.offset}+${options.range.length}`, async () => {
        const found = await bucket.get(key, options);
        if (!found) return null;
        const bytes = await found.arrayBuffer();
        const view = new Uint8Array(bytes);
        const [how, once] = watched.mood.split(' ');
        if (once) watched.mood = 'well';
        if (how === 'wrong') view[view.length >> 1] = (view[view.length >> 1] ?? 0) ^ 1;
        const given = how === 'short' ? bytes.slice(0, -1) : bytes;
        return { arrayBuffer: async () => given };
      }),
    delete: (keys) => ask(`delete ${keys.length}`, () => bucket.delete(keys)),
  };
  return watched;
}
