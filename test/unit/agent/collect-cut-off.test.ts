// Replies that their server cut off within a block: what was whole stays.
import { describe, expect, it } from 'vitest';
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
import { assistantMessage } from '../../support/models/model-streams.ts';

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
