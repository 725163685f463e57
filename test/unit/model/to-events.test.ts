import { describe, expect, it } from 'vitest';
import { toEvents } from '../../../src/model/to-events.ts';
import { assistantMessage } from '../../support/models/model-streams.ts';

describe('toEvents', () => {
  it('streams text, thinking and inputs in pieces, and other blocks whole', () => {
    const message = assistantMessage(
      [
        { type: 'thinking', thinking: 'hm', signature: 'sig' },
        { type: 'text', text: 'a😀bc' },
        { type: 'tool_use', id: 'a', name: 'Read', input: { p: 1 } },
        { type: 'tool_use', id: 'b', name: 'List', input: {} },
        { type: 'web_search_tool_result', content: [{ url: 'u' }] },
      ],
      { stop_reason: 'tool_use', container: { id: 'c' } },
    );
    const piece = (index: number, delta: object) => ({
      type: 'content_block_delta',
      index,
      delta,
    });
    expect([...toEvents(message, 3)]).toEqual([
      {
        type: 'message_start',
        message: assistantMessage([], { stop_reason: null, container: { id: 'c' } }),
      },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'thinking', thinking: '', signature: 'sig' },
      },
      piece(0, { type: 'thinking_delta', thinking: 'hm' }),
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      piece(1, { type: 'text_delta', text: 'a😀b' }),
      piece(1, { type: 'text_delta', text: 'c' }),
      { type: 'content_block_stop', index: 1 },
      {
        type: 'content_block_start',
        index: 2,
        content_block: { type: 'tool_use', id: 'a', name: 'Read', input: {} },
      },
      piece(2, { type: 'input_json_delta', partial_json: '{"p' }),
      piece(2, { type: 'input_json_delta', partial_json: '":1' }),
      piece(2, { type: 'input_json_delta', partial_json: '}' }),
      { type: 'content_block_stop', index: 2 },
      {
        type: 'content_block_start',
        index: 3,
        content_block: { type: 'tool_use', id: 'b', name: 'List', input: {} },
      },
      { type: 'content_block_stop', index: 3 },
      {
        type: 'content_block_start',
        index: 4,
        content_block: { type: 'web_search_tool_result', content: [{ url: 'u' }] },
      },
      { type: 'content_block_stop', index: 4 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'tool_use', stop_sequence: null },
        usage: { input_tokens: 3, output_tokens: 5 },
      },
      { type: 'message_stop' },
    ]);
  });
});
