// Converts a complete message to stream events, for servers that answer `application/json`, and for
// the scripted model. The inverse of agent/messages/collect.ts.
import type { ContentBlock } from '../core/messages/blocks.ts';
import { isRecord } from '../core/values/is-record.ts';
import type { AssistantMessage, BlockDelta, ModelEvent } from '../core/messages/messages.ts';
import { isNestedDeeper, maxInputDepth } from '../core/values/nesting.ts';

/** The fields that a stream fills in by deltas, with the delta's type and the field it carries. */
const streamed: Readonly<Record<string, readonly [delta: string, carries: string]>> = {
  text: ['text_delta', 'text'],
  thinking: ['thinking_delta', 'thinking'],
  input: ['input_json_delta', 'partial_json'],
};

/**
 * The events of `message`, in the API's order. Text, thinking and tool inputs come in pieces of
 * `pieceLength` characters; blocks of unknown types come whole.
 *
 * @defaultValue `pieceLength` is Infinity: one piece each.
 */
export function* toEvents(
  message: AssistantMessage,
  pieceLength = Infinity,
): Generator<ModelEvent, void> {
  const { content, stop_reason, stop_sequence, usage, ...fields } = message;
  yield {
    type: 'message_start',
    message: { ...fields, content: [], stop_reason: null, stop_sequence: null, usage },
  };
  for (const [index, block] of content.entries()) {
    const { start, deltas } = takeApart(block, pieceLength);
    yield { type: 'content_block_start', index, content_block: start };
    for (const delta of deltas) yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  yield { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage };
  yield { type: 'message_stop' };
}

/** A block's start, without its streamed fields, and the deltas with these fields. */
function takeApart(block: ContentBlock, pieceLength: number) {
  let start: ContentBlock = block;
  const deltas: BlockDelta[] = [];
  for (const [field, value] of Object.entries(block)) {
    const [type, carries] = streamed[field] ?? [];
    if (type === undefined || carries === undefined) continue;
    if (field === 'input' ? !canBeStreamed(value) : field !== block.type) continue;
    start = { ...start, [field]: field === 'input' ? {} : '' };
    const whole = field === 'input' ? toInputJson(value) : String(value);
    for (const piece of toPieces(whole, pieceLength)) deltas.push({ type, [carries]: piece });
  }
  return { start, deltas };
}

/** Like the API, streams nothing for an empty input: the start has `{}`. */
function toInputJson(input: unknown): string {
  const json = JSON.stringify(input);
  return json === '{}' ? '' : json;
}

/** `text` in pieces of `length` characters. Surrogate pairs are never split. */
function toPieces(text: string, length: number): string[] {
  if (text.length <= length) return text === '' ? [] : [text];
  const characters = Array.from(text);
  const pieces: string[] = [];
  for (let start = 0; start < characters.length; start += length) {
    pieces.push(characters.slice(start, start + length).join(''));
  }
  return pieces;
}

/**
 * False for an input that is too deep to be serialised. It stays in the block, and is refused
 * later.
 */
function canBeStreamed(input: unknown): boolean {
  return isRecord(input) && !isNestedDeeper(input, maxInputDepth);
}
