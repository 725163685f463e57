import { expect, it } from 'vitest';
import { playCachedConversation } from '../../../support/models/cache-conversation.ts';

it('a conversation of 30 turns is read from the cache for 95 % and more', async () => {
  const { requests, readShare } = await playCachedConversation();
  expect(requests).toHaveLength(91);
  expect(readShare).toBeGreaterThanOrEqual(0.95);
  // All that one request has sent is read by the next.
  for (const [at, { read, written }] of requests.slice(0, -1).entries()) {
    expect(requests[at + 1]?.read).toBe(read + written);
  }
});
