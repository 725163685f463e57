import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collect } from '../../../src/agent/messages/collect.ts';
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import type { AssistantMessage, ModelEvent } from '../../../src/core/messages/messages.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import {
  blockStart,
  blockStop,
  collectAll,
  delta,
  json,
  messageDelta,
  start,
  stop,
  toolStart,
  withoutEvents,
} from '../../support/stages/collect-events.ts';
import { assistantMessage, fromArray } from '../../support/models/model-streams.ts';
import { readAll } from '../../support/read-all.ts';

describe('collect', () => {
  it('gives a call the moment its block closes, before the model has gone on', async () => {
    const events = [
      start(),
      toolStart(0, 'toolu_a'),
      json(0, '{"file_path":'),
      json(0, '"/a.ts"}'),
      blockStop(0),
      toolStart(1, 'toolu_b'),
      blockStop(1),
      messageDelta({ stop_reason: 'tool_use' }),
      stop,
    ];
    const { items } = await collectAll(events);
    const names = items.map((item) => (item.type === 'event' ? item.event.type : item.type));
    expect(names).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'tool-use',
      'content_block_start',
      'content_block_stop',
      'tool-use',
      'message_delta',
      'message_stop',
      'message',
    ]);
    expect(withoutEvents(items)).toEqual([
      {
        type: 'tool-use',
        toolUse: { id: 'toolu_a', name: 'Read', input: { file_path: '/a.ts' }, index: 0 },
      },
      { type: 'tool-use', toolUse: { id: 'toolu_b', name: 'Read', input: {}, index: 1 } },
      {
        type: 'message',
        message: assistantMessage(
          [
            { type: 'tool_use', id: 'toolu_a', name: 'Read', input: { file_path: '/a.ts' } },
            { type: 'tool_use', id: 'toolu_b', name: 'Read', input: {} },
          ],
          { stop_reason: 'tool_use' },
        ),
      },
    ]);
  });

  it('keeps apart blocks that stream at the same time', async () => {
    const { items } = await collectAll([
      start(),
      toolStart(0, 'toolu_a'),
      toolStart(1, 'toolu_b'),
      json(1, '{"n":'),
      json(0, '{"n":1}'),
      json(1, '2}'),
      blockStop(1),
      blockStop(0),
      stop,
    ]);
    expect(withoutEvents(items).slice(0, 2)).toEqual([
      { type: 'tool-use', toolUse: { id: 'toolu_b', name: 'Read', input: { n: 2 }, index: 1 } },
      { type: 'tool-use', toolUse: { id: 'toolu_a', name: 'Read', input: { n: 1 }, index: 0 } },
    ]);
  });

  it('begins anew at a second message_start and voids what came before', async () => {
    const { items } = await collectAll([
      start({ id: 'msg_first' }),
      toolStart(0, 'toolu_first'),
      json(0, '{"half'),
      start({ id: 'msg_second' }),
      toolStart(0, 'toolu_second'),
      blockStop(0),
      messageDelta({ stop_reason: 'tool_use' }),
      stop,
    ]);
    expect(withoutEvents(items)).toEqual([
      { type: 'restart' },
      { type: 'tool-use', toolUse: { id: 'toolu_second', name: 'Read', input: {}, index: 0 } },
      {
        type: 'message',
        message: assistantMessage(
          [{ type: 'tool_use', id: 'toolu_second', name: 'Read', input: {} }],
          { id: 'msg_second', stop_reason: 'tool_use' },
        ),
      },
    ]);
  });

  it('gives the calls that message_start already holds whole', async () => {
    const call = { type: 'tool_use', id: 'toolu_a', name: 'roll', input: { sides: 6 } };
    const { items } = await collectAll([start({ content: [call] }), stop]);
    expect(withoutEvents(items)).toEqual([
      { type: 'tool-use', toolUse: { id: 'toolu_a', name: 'roll', input: { sides: 6 }, index: 0 } },
      { type: 'message', message: assistantMessage([call], { stop_reason: null }) },
    ]);
  });

  it('never gives a half-read call when the stream is cut, and says that it was', async () => {
    const events = [start(), toolStart(0, 'toolu_a'), json(0, '{"file_path":"/a.ts"}')];
    for (let length = 0; length <= events.length; length += 1) {
      const { items, error } = await collectAll(events.slice(0, length));
      expect(withoutEvents(items)).toEqual([]);
      expect(error?.code).toBe('model-stream-cut');
    }
  });

  it('refuses a message that ends while a block is open', async () => {
    const { items, error } = await collectAll([start(), toolStart(0, 'toolu_a'), stop]);
    expect(withoutEvents(items)).toEqual([]);
    expect([error?.code, error?.data]).toEqual([
      'model-protocol',
      { what: 'message_stop came while block 0 was still open' },
    ]);
  });

  it.each([
    ['{"file_path": "/a', /^The input isn't valid JSON .* Received: {"file_path": "\/a$/],
    [`${'{"a":'.repeat(501)}1${'}'.repeat(501)}`, /^The input is nested more than 500 levels deep/],
    ['[1]', /^The input must be a JSON object\. Received: \[1\]$/],
    ['null', /^The input must be a JSON object\. Received: null$/],
  ])('marks a call whose input is %s, and keeps the message sendable', async (input, reason) => {
    const { items } = await collectAll([
      start(),
      toolStart(0, 'a'),
      json(0, input),
      blockStop(0),
      stop,
    ]);
    const [call, last] = withoutEvents(items);
    expect(call).toEqual({
      type: 'tool-use',
      toolUse: {
        id: 'a',
        name: 'Read',
        input: {},
        index: 0,
        inputError: expect.stringMatching(reason) as string,
      },
    });
    expect(last?.type === 'message' && last.message.content).toEqual([
      { type: 'tool_use', id: 'a', name: 'Read', input: {} },
    ]);
  });

  it('passes unknown events, blocks and deltas through, and changes nothing for them', async () => {
    const block = { type: 'crystal_ball', vision: { deep: [1] } };
    const events = [
      { type: 'weather', mood: 'fine' },
      start(),
      { type: 'ping' },
      blockStart(0, block),
      delta(0, { type: 'mist_delta', mist: 'thick' }),
      blockStop(0),
      messageDelta({}),
      stop,
    ];
    const { items } = await collectAll(events);
    expect(items.flatMap((item) => (item.type === 'event' ? [item.event] : []))).toEqual(events);
    expect(withoutEvents(items)).toEqual([{ type: 'message', message: assistantMessage([block]) }]);
  });

  it('takes each kind of delta as the API means it', async () => {
    const { items } = await collectAll([
      start({ model: 'claude-first' }),
      blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
      delta(0, { type: 'thinking_delta', thinking: 'm.' }),
      delta(0, { type: 'signature_delta', signature: 'sig' }),
      blockStop(0),
      blockStart(1, { type: 'text', text: '' }),
      delta(1, { type: 'citations_delta', citation: { url: 'a' } }),
      delta(1, { type: 'text_delta', text: 'So' }),
      delta(1, { type: 'citations_delta', citation: { url: 'b' } }),
      blockStop(1),
      blockStart(2, { type: 'compaction', content: null }),
      delta(2, { type: 'compaction_delta', content: 'Before: …', encrypted_content: 'x' }),
      blockStop(2),
      blockStart(3, { type: 'fallback', to: { model: 'claude-second' } }),
      blockStop(3),
      blockStart(4, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
      json(4, '{"query":"rock"}'),
      blockStop(4),
      stop,
    ]);
    expect(withoutEvents(items)).toEqual([
      {
        type: 'message',
        message: assistantMessage(
          [
            { type: 'thinking', thinking: 'Hmm.', signature: 'sig' },
            { type: 'text', text: 'So', citations: [{ url: 'a' }, { url: 'b' }] },
            { type: 'compaction', content: 'Before: …', encrypted_content: 'x' },
            { type: 'fallback', to: { model: 'claude-second' } },
            { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'rock' } },
          ],
          { model: 'claude-second', stop_reason: null },
        ),
      },
    ]);
  });

  it('merges message_delta: counters and fields that are said replace, nulls erase nothing', async () => {
    const { items } = await collectAll([
      start({ usage: { input_tokens: 9, output_tokens: 1, cache_read_input_tokens: 4 } }),
      messageDelta(
        { stop_reason: 'refusal', stop_details: { why: 'x' }, container: null },
        { output_tokens: 7, cache_read_input_tokens: null, server_tool_use: { web: 1 } },
        { context_management: { applied_edits: [] } },
      ),
      stop,
    ]);
    expect(withoutEvents(items)).toEqual([
      {
        type: 'message',
        message: assistantMessage([], {
          stop_reason: 'refusal',
          stop_details: { why: 'x' },
          container: null,
          context_management: { applied_edits: [] },
          usage: {
            input_tokens: 9,
            output_tokens: 7,
            cache_read_input_tokens: 4,
            server_tool_use: { web: 1 },
          },
        }),
      },
    ]);
  });

  it.each([
    [[delta(0, { type: 'text_delta', text: 'x' })]],
    [[stop]],
    [[{ type: 'message_start', message: null }]],
    [[start(), delta(0, { type: 'text_delta', text: 'x' })]],
    [[start(), blockStop(0)]],
    [[start(), toolStart(0, 'toolu_a'), blockStop(0), blockStop(0)]],
    [[start(), toolStart(0, 'toolu_a'), blockStop(0), json(0, '{}')]],
    [[start(), blockStart(1, { type: 'text', text: '' })]],
    [[start(), toolStart(0, 'toolu_a'), blockStop(0), toolStart(1, 'toolu_a')]],
    [[start(), { type: 'content_block_start', index: 0 }]],
    [[start(), blockStart(0, { type: 'tool_use', input: {} }), blockStop(0)]],
    [[start(), { type: 'message_delta' }]],
  ])('refuses events that break the protocol: %j', async (events) => {
    const { error } = await collectAll(events);
    expect(error?.code).toBe('model-protocol');
  });

  it('tells the closed part of a message that is stopped', async () => {
    const collection = collect(
      fromArray([
        start(),
        toolStart(0, 'toolu_a'),
        blockStop(0),
        blockStart(1, { type: 'text', text: '' }),
        delta(1, { type: 'text_delta', text: 'half' }),
      ] as ModelEvent[]),
    );
    expect(collection.partial()).toBeUndefined();
    await expect(readAll(collection)).rejects.toMatchObject({ code: 'model-stream-cut' });
    expect(collection.partial()).toEqual(
      assistantMessage([{ type: 'tool_use', id: 'toolu_a', name: 'Read', input: {} }], {
        stop_reason: null,
      }),
    );
  });

  it('reads nothing after message_stop and closes the events', async () => {
    let closed = false;
    async function* events(): AsyncGenerator<ModelEvent, void> {
      try {
        yield* toEvents(assistantMessage([]));
        throw new Error('read on');
      } finally {
        closed = true;
      }
    }
    await readAll(collect(events()));
    expect(closed).toBe(true);
  });

  it('is the inverse of toEvents, whatever the pieces', async () => {
    const block: fc.Arbitrary<ContentBlock> = fc.oneof(
      fc.record({ type: fc.constant('text'), text: fc.string({ unit: 'grapheme' }) }),
      fc.record({ type: fc.constant('thinking'), thinking: fc.string(), signature: fc.string() }),
      fc.record({
        type: fc.constantFrom('tool_use', 'mcp_tool_use'),
        id: fc.string({ minLength: 1 }),
        name: fc.string({ minLength: 1 }),
        input: fc.dictionary(fc.string(), fc.jsonValue()),
      }),
      fc.record({ type: fc.constant('crystal_ball'), vision: fc.jsonValue() }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(block, { maxLength: 5 }),
        fc.integer({ min: 1, max: 9 }),
        async (content, pieceLength) => {
          // As the wire would carry it: JSON knows no -0 and no undefined.
          const message = JSON.parse(JSON.stringify(assistantMessage(content))) as AssistantMessage;
          const { items } = await collectAll([...toEvents(message, pieceLength)]);
          expect(items.at(-1)).toEqual({ type: 'message', message });
        },
      ),
    );
  });
});
