// Builders for streamed messages: events out of a few words, their bytes as a server sends them, and
// those bytes cut into chunks. Portable.
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import type { AssistantMessage, ModelEvent } from '../../../src/core/messages/messages.ts';
import { toEvents } from '../../../src/model/to-events.ts';

/** A finished message with plausible fields. */
export function assistantMessage(
  content: readonly ContentBlock[],
  fields: Partial<AssistantMessage> = {},
): AssistantMessage {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-test',
    content,
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 5 },
    ...fields,
  };
}

/** The events of a message that says `text`. */
export function textEvents(text: string): readonly ModelEvent[] {
  return [...toEvents(assistantMessage([{ type: 'text', text }]), 4)];
}

/** Events as the text of a stream, named as the API names them. */
export function toSse(events: readonly { readonly type: string }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

/** `text` as UTF-8, in chunks of the sizes given, over and over; characters may be cut in two. */
export function toChunks(text: string, sizes: readonly number[]): Uint8Array[] {
  const bytes = new TextEncoder().encode(text);
  const chunks: Uint8Array[] = [];
  for (let start = 0, turn = 0; start < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    chunks.push(bytes.slice(start, start + size));
    start += size;
  }
  return chunks;
}

export async function* fromArray<T>(items: readonly T[]): AsyncGenerator<T, void> {
  yield* items;
}
