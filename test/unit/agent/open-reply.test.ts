// What of a reply that streams is told to who begins to read in the middle of it.
import { describe, expect, it } from 'vitest';
import { createOpenReply } from '../../../src/agent/messages/open-reply.ts';
import { mergeDeltas } from '../../../src/agent/messages/merge-deltas.ts';
import { createOutbox } from '../../../src/agent/messages/outbox.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import type { ModelEvent } from '../../../src/core/messages/messages.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';

let count = 0;
const told = (event: ModelEvent): SDKMessage => {
  count += 1;
  return {
    type: 'stream_event',
    event,
    parent_tool_use_id: null,
    uuid: `u${count}`,
    session_id: 's1',
  };
};
const start = told({
  type: 'message_start',
  message: { id: 'm1' } as Extract<ModelEvent, { type: 'message_start' }>['message'],
});
const open = (index: number) =>
  told({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } });
const text = (index: number, words: string): ModelEvent => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'text_delta', text: words },
});
const json = (index: number, words: string): ModelEvent => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'input_json_delta', partial_json: words },
});

describe('mergeDeltas', () => {
  it('joins the texts of one block, and nothing else', () => {
    expect(mergeDeltas(text(0, 'a'), text(0, 'b'))).toEqual(text(0, 'ab'));
    expect(mergeDeltas(json(1, '{'), json(1, '}'))).toEqual(json(1, '{}'));
    expect(mergeDeltas(text(0, 'a'), text(1, 'b'))).toBeUndefined();
    expect(mergeDeltas(text(0, 'a'), json(0, 'b'))).toBeUndefined();
    const cited = { type: 'text_delta', text: 'b', citation: 1 };
    const other: ModelEvent = { type: 'content_block_delta', index: 0, delta: cited };
    expect(mergeDeltas(text(0, 'a'), other)).toBeUndefined();
    expect(mergeDeltas({ type: 'ping' }, text(0, 'a'))).toBeUndefined();
  });
});

describe('an open reply', () => {
  it('is told in one delta a block, and stays as it was when more comes', () => {
    const reply = createOpenReply();
    for (let at = 0; at < 2_500; at += 1) {
      if (at === 0) for (const message of [start, open(0)]) reply.take(message);
      reply.take(told(text(0, 'x')));
    }
    reply.take(told({ type: 'content_block_stop', index: 0 }));
    reply.take(open(1));
    reply.take(told({ type: 'ping' }));
    const before = reply.events();
    reply.take(told(text(1, 'y')));
    expect(before.map(({ event }) => event.type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
    ]);
    expect(before[2]?.event).toEqual(text(0, 'x'.repeat(2_500)));
    expect(reply.events().at(-1)?.event).toEqual(text(1, 'y'));
  });

  it.each<[string, SDKMessage]>([
    ['its end', told({ type: 'message_stop' })],
    ['its whole message', { type: 'assistant', parent_tool_use_id: null } as unknown as SDKMessage],
    ["the turn's end", { type: 'result' } as unknown as SDKMessage],
  ])('is over with %s', (_name, end) => {
    const reply = createOpenReply();
    for (const message of [start, open(0), told(text(0, 'a'))]) reply.take(message);
    reply.take(end);
    expect(reply.events()).toEqual([]);
    reply.take(told(text(0, 'late')));
    expect(reply.events()).toEqual([]);
  });

  it('is the session’s own: a sub-agent’s says nothing of it', () => {
    const reply = createOpenReply();
    for (const message of [start, open(0), told(text(0, 'a'))]) reply.take(message);
    const before = reply.events();
    const ofAgent = { parent_tool_use_id: 'c1' } as const;
    const end = told({ type: 'message_stop' });
    for (const message of [start, told(text(0, 'b')), end]) {
      reply.take({ ...message, ...ofAgent } as SDKMessage);
    }
    expect(reply.events()).toEqual(before);
  });
});

describe('an outbox', () => {
  it('joins the deltas of one reply, and never those of two', () => {
    const sent: SDKMessage[] = [];
    using outbox = createOutbox(createVirtualClock(), (message) => sent.push(message));
    const ofAgent = (words: string) =>
      ({ ...told(text(0, words)), parent_tool_use_id: 'c1' }) as SDKMessage;
    for (const message of [told(text(0, 'a')), told(text(0, 'b')), ofAgent('c'), ofAgent('d')]) {
      outbox.push(message);
    }
    outbox.flush();
    expect(sent.map((message) => 'event' in message && message.event)).toEqual([
      text(0, 'ab'),
      text(0, 'cd'),
    ]);
  });
});
