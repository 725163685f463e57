// For tests of `collect`: builders for the events of a stream, and the collected results.
import { collect } from '../../../src/agent/messages/collect.ts';
import type { Collected } from '../../../src/agent/messages/collect.ts';
import type { SdkError } from '../../../src/core/errors.ts';
import type { AssistantMessage, ModelEvent } from '../../../src/core/messages/messages.ts';
import { assistantMessage, fromArray } from '../models/model-streams.ts';

/** The items before the end of the events, and the error with which they ended, if any. */
export async function collectAll(events: readonly unknown[]) {
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
export const withoutEvents = (items: readonly Collected[]) =>
  items.filter((item) => item.type !== 'event');

export const start = (fields: Partial<AssistantMessage> = {}) => ({
  type: 'message_start',
  message: assistantMessage([], { stop_reason: null, ...fields }),
});
export const blockStart = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
});
export const delta = (index: number, change: object) => ({
  type: 'content_block_delta',
  index,
  delta: change,
});
export const blockStop = (index: number) => ({ type: 'content_block_stop', index });
export const messageDelta = (change: object, usage: object = {}, rest: object = {}) => ({
  type: 'message_delta',
  delta: { stop_reason: 'end_turn', stop_sequence: null, ...change },
  usage,
  ...rest,
});
export const stop = { type: 'message_stop' };
export const toolStart = (index: number, id: string) =>
  blockStart(index, { type: 'tool_use', id, name: 'Read', input: {} });
export const json = (index: number, partial_json: string) =>
  delta(index, { type: 'input_json_delta', partial_json });
