import { expect, it } from 'vitest';
import { createRequestHash } from '../../../../src/agent/journal/request-hash.ts';
import type { MessageParam } from '../../../../src/core/messages/messages.ts';

const said = (...texts: readonly string[]) =>
  texts.map((content): MessageParam => ({ role: 'user', content }));
const request = (messages: readonly MessageParam[], system = 'Be kind.') => ({
  system: [{ type: 'text' as const, text: system }],
  messages,
  tools: [],
});

it('is the same for the same request, whatever was sent before', () => {
  const hash = createRequestHash();
  const messages = said('a', 'b');
  hash(request(messages.slice(0, 1)));
  const { hash: grown } = hash(request(messages));
  expect(createRequestHash()(request(said('a', 'b'))).hash).toBe(grown);
  hash(request([...messages, ...said('c', 'd')]));
  // After a rewind or a compaction the conversation is another one.
  expect(hash(request(messages)).hash).toBe(grown);
  expect(grown).toMatch(/^[0-9a-f]{32}$/u);
});

it('is another one where anything that is sent differs', () => {
  const hashes = [
    request(said('a', 'b')),
    request(said('a', 'c')),
    request(said('ab')),
    request(said('b', 'a')),
    request(said('a', 'b'), 'Be brief.'),
  ].map((one) => createRequestHash()(one).hash);
  expect(new Set(hashes).size).toBe(hashes.length);
});
