// Merges several deltas of one block. Used by open-reply.ts, and where stream events cross a wire.
import { isRecord } from '../../core/values/is-record.ts';
import type { BlockDelta, ModelEvent } from '../../core/messages/messages.ts';

/** The field that grows with the deltas of a type. Deltas of other types aren't merged. */
const growing: Readonly<Record<string, string>> = {
  text_delta: 'text',
  input_json_delta: 'partial_json',
  thinking_delta: 'thinking',
};

/**
 * The merged delta, if the second continues the first: the same block, the same type, and only
 * text. Undefined: they can't be merged.
 */
export function mergeDeltas(first: ModelEvent, second: ModelEvent): ModelEvent | undefined {
  if (first.type !== 'content_block_delta' || second.type !== 'content_block_delta') {
    return undefined;
  }
  if (first.index !== second.index) return undefined;
  const field = growing[first.delta.type];
  if (field === undefined || second.delta.type !== first.delta.type) return undefined;
  const text = grownText(first.delta, field);
  const more = grownText(second.delta, field);
  if (text === undefined || more === undefined) return undefined;
  return { ...first, delta: { type: first.delta.type, [field]: text + more } };
}

/** Undefined if the delta has other fields besides its text. */
function grownText(delta: BlockDelta, field: string): string | undefined {
  if (!isRecord(delta) || Object.keys(delta).length !== 2) return undefined;
  const text = delta[field];
  return typeof text === 'string' ? text : undefined;
}
