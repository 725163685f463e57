import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { askBucket } from '../../../src/workspace/drivers/ask-bucket.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const wanted = { whose: "the archive's", what: 'take a session' };

it('gives up on a bucket that is silent for a minute, with a sentence', async () => {
  const asked = askBucket(wanted, new Promise<never>(() => undefined));
  const refused = expect(asked).rejects.toMatchObject({
    code: 'EIO',
    message:
      "EIO: the archive's bucket failed to take a session (Error: it has not answered for 60 s). Nothing is lost: try again later.",
  });
  await vi.advanceTimersByTimeAsync(60_000);
  await refused;
  expect(await askBucket(wanted, Promise.resolve(1))).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});
