// The conversation in the Messages API's types: requests, replies, and replies as streams of
// events.
import type { ContentBlock, UserBlock } from './blocks.ts';

/** A turn of the conversation as it is sent. */
export type MessageParam =
  | { readonly role: 'user'; readonly content: string | readonly UserBlock[] }
  | { readonly role: 'assistant'; readonly content: string | readonly ContentBlock[] };

/**
 * What a tool may add to the conversation. A `system` message is sent as a reminder in the user's turn. An
 * attachment's name is sent as a reminder, too. Its content follows as user text, because it may be somebody else's
 * text.
 */
export type NewMessage =
  | MessageParam
  | { readonly role: 'system'; readonly content: string }
  | {
      readonly role: 'attachment';
      /** One line: a path, or a few words. */
      readonly name: string;
      readonly content: string | readonly UserBlock[];
    };

/** Tokens of one request, by kind. Unknown counters of newer APIs pass through. */
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly [counter: string]: unknown;
}

/** The usage in a `message_delta`: totals so far. A counter that doesn't apply is left out or null. */
export type UsageUpdate = { readonly [Counter in keyof Usage]?: Usage[Counter] | null };

/** The model's finished message. */
export interface AssistantMessage {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly model: string;
  readonly content: readonly ContentBlock[];
  /** `tool_use`, `end_turn`, `max_tokens`, `refusal`, `pause_turn`, …; null only in `message_start`. */
  readonly stop_reason: string | null;
  readonly stop_sequence: string | null;
  readonly usage: Usage;
  readonly [field: string]: unknown;
}

/** A change to one block. `type` is `text_delta`, `input_json_delta`, `thinking_delta`, … or unknown. */
export interface BlockDelta {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** One event of a streamed message. Events of unknown types pass through and change nothing. */
export type ModelEvent =
  | { readonly type: 'message_start'; readonly message: AssistantMessage }
  | {
      readonly type: 'content_block_start';
      readonly index: number;
      readonly content_block: ContentBlock;
    }
  | { readonly type: 'content_block_delta'; readonly index: number; readonly delta: BlockDelta }
  | { readonly type: 'content_block_stop'; readonly index: number }
  | {
      readonly type: 'message_delta';
      readonly delta: {
        readonly stop_reason: string | null;
        readonly stop_sequence: string | null;
        readonly [field: string]: unknown;
      };
      readonly usage: UsageUpdate;
      readonly [field: string]: unknown;
    }
  | { readonly type: 'message_stop' }
  | { readonly type: 'ping' };

/** Joins the contents of all messages to the content of one user message. */
export function toUserContent(messages: readonly MessageParam[]): readonly UserBlock[] {
  return messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? [{ type: 'text', text: content } as const]
      : (content as readonly UserBlock[]),
  );
}
