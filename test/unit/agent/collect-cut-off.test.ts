// Replies that their server cut off within a block: what was whole stays.
import { describe, expect, it } from 'vitest';
import { collect } from '../../../src/agent/messages/collect.ts';
import type { Collected } from '../../../src/agent/messages/collect.ts';
import type { SdkError } from '../../../src/core/errors.ts';
import type { AssistantMessage, ModelEvent } from '../../../src/core/messages.ts';
import { assistantMessage, fromArray } from '../../support/model-streams.ts';

/** What came before the events ended, and the error they ended with, if any. */
async function collectAll(events: readonly unknown[]) {
  const items: Collected[] = [];
  const collection = collect(fromArray(events as ModelEvent[]));
  try {
    for await (const item of collection) items.push(item);
    return { items, collection };
  } catch (error) {
    return { items, collection, error: error as SdkError };
  }
}

/** The items but for the forwarded events. */
const withoutEvents = (items: readonly Collected[]) =>
  items.filter((item) => item.type !== 'event');

const start = (fields: Partial<AssistantMessage> = {}) => ({
  type: 'message_start',
  message: assistantMessage([], { stop_reason: null, ...fields }),
});
const blockStart = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const delta = (index: number, change: object) => ({
  type: 'content_block_delta',
  index,
  delta: change,
});
const blockStop = (index: number) => ({ type: 'content_block_stop', index });
const messageDelta = (change: object, usage: object = {}, rest: object = {}) => ({
  type: 'message_delta',
  delta: { stop_reason: 'end_turn', stop_sequence: null, ...change },
  usage,
  ...rest,
});
const stop = { type: 'message_stop' };
const toolStart = (index: number, id: string) =>
  blockStart(index, { type: 'tool_use', id, name: 'Read', input: {} });
const json = (index: number, partial_json: string) =>
  delta(index, { type: 'input_json_delta', partial_json });

describe('collect, where the model is cut off', () => {
  it.each(['max_tokens', 'model_context_window_exceeded', 'refusal'])(
    'keeps what was whole where %s cut the model off within a call’s input',
    async (stop_reason) => {
      const { items, error } = await collectAll([
        start(),
        blockStart(0, { type: 'text', text: '' }),
        delta(0, { type: 'text_delta', text: 'I write it.' }),
        blockStop(0),
        toolStart(1, 'toolu_whole'),
        blockStop(1),
        toolStart(2, 'toolu_cut'),
        json(2, '{"file_path": "/a'),
        messageDelta({ stop_reason }),
        stop,
      ]);
      expect(error).toBeUndefined();
      const whole = { type: 'tool_use', id: 'toolu_whole', name: 'Read', input: {} };
      expect(withoutEvents(items)).toEqual([
        { type: 'tool-use', toolUse: { id: 'toolu_whole', name: 'Read', input: {}, index: 1 } },
        {
          type: 'message',
          message: assistantMessage([{ type: 'text', text: 'I write it.' }, whole], {
            stop_reason,
          }),
          cutCall: 'Read',
        },
      ]);
    },
  );

  it('keeps an open text and drops an open thought where max_tokens cut the model off', async () => {
    const end = [messageDelta({ stop_reason: 'max_tokens' }), stop];
    const text = await collectAll([
      start(),
      blockStart(0, { type: 'text', text: '' }),
      delta(0, { type: 'text_delta', text: 'Half a sen' }),
      ...end,
    ]);
    expect(text.items.at(-1)).toMatchObject({ message: { content: [{ text: 'Half a sen' }] } });
    const thought = await collectAll([
      start(),
      blockStart(0, { type: 'thinking', thinking: 'Hm', signature: '' }),
      ...end,
    ]);
    expect(thought.items.at(-1)).toMatchObject({ message: { content: [] } });
  });
});
