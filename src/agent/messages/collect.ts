// Station 2: the model's events become the assistant message and its tool calls. `loop.ts` iterates
// it, forwards the events and starts each call as its block closes. A call whose block never closed
// is never given out; what begins again after a second `message_start` is announced as a restart.
import type { ContentBlock } from '../../core/messages/blocks.ts';
import { SdkError } from '../../core/errors.ts';
import type { AssistantMessage, ModelEvent } from '../../core/messages/messages.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { OpenMessage } from './open-message.ts';

/** One call that the model asks for, whole. `input` is untrusted until `validate.ts` has parsed it. */
export interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** The block's place in the message: results are returned in this order. */
  readonly index: number;
  /**
   * Why the streamed input isn't a JSON object, in words for the model; `input` is then `{}`.
   * Such a call must be answered with an error, never run.
   */
  readonly inputError?: string;
}

/** What {@link collect} gives, in the order in which it comes to be known. */
export type Collected =
  /** Every event, untouched, unknown ones included. Comes before what follows from it. */
  | { readonly type: 'event'; readonly event: ModelEvent }
  /** A block closed: this call can start now, while the model still speaks. */
  | { readonly type: 'tool-use'; readonly toolUse: ToolUse }
  /**
   * The message begins again: all that was given before is void, started calls included. While this item is
   * looked at, {@link Collection.partial} still is the void message.
   */
  | { readonly type: 'restart' }
  /** The whole message. Comes exactly once, as the last item. */
  | {
      readonly type: 'message';
      readonly message: AssistantMessage;
      /** The tool of a call that the model was cut off in: it isn't in the message. */
      readonly cutCall?: string;
    };

/** A block that is whole, and its place in the message. */
export interface ClosedBlock {
  readonly index: number;
  readonly block: ContentBlock;
  /** See {@link ToolUse}. */
  readonly inputError?: string;
}

/** One message being read: iterate it once. */
export interface Collection extends AsyncIterable<Collected> {
  /**
   * The message as far as its blocks are closed, for a turn that is stopped while it streams.
   * Undefined before `message_start`. Its tool calls are those that were given out.
   */
  partial(): AssistantMessage | undefined;
  /** The blocks that have closed since it was last asked. None that is void is given. */
  takeClosed(): readonly ClosedBlock[];
}

/**
 * Reads one message out of a model's events.
 *
 * The final message equals the server's answer to the same request without `stream`. Throws what
 * `events` throws (so abort is the model's business); `model-stream-cut` when they end before
 * `message_stop`; `model-protocol` when they break the Messages API's order. Leaving the iteration
 * closes `events`.
 */
export function collect(events: AsyncIterable<ModelEvent>): Collection {
  let message: OpenMessage | undefined;
  let closedBlocks: ClosedBlock[] = [];

  async function* read(): AsyncGenerator<Collected, void> {
    for await (const event of events) {
      requireEvent(event);
      const isRestart = event.type === 'message_start' && message !== undefined;
      if (isRestart) {
        yield { type: 'event', event };
        // Until whoever iterates goes on, `partial` is what is void from then on.
        yield { type: 'restart' };
        message = undefined;
        closedBlocks = [];
      }
      const closed = applyEvent(event);
      for (const index of closed) {
        const block = message?.blockAt(index);
        const inputError = message?.toToolUse(index)?.inputError;
        if (block) {
          closedBlocks.push({ index, block, ...(inputError !== undefined && { inputError }) });
        }
      }
      if (!isRestart) yield { type: 'event', event };
      for (const index of closed) {
        const toolUse = message?.toToolUse(index);
        if (toolUse) yield { type: 'tool-use', toolUse };
      }
      if (event.type === 'message_stop' && message) {
        const { openCall: cutCall } = message;
        const whole = message.finish();
        yield { type: 'message', message: whole, ...(cutCall !== undefined && { cutCall }) };
        return;
      }
    }
    throw new SdkError(
      'model-stream-cut',
      message
        ? 'The reply broke off before it was complete. Nothing unfinished was run: send the message again.'
        : 'The model ended the connection without an answer: send the message again.',
      { data: { closedBlocks: message?.closedCount ?? 0 } },
    );
  }

  /** The indexes of the blocks that the event closed. */
  function applyEvent(event: ModelEvent): readonly number[] {
    if (event.type === 'message_start') {
      requireModelName(event);
      message = new OpenMessage(event.message);
      return message.closedIndexes();
    }
    if (message) return message.apply(event);
    if (ownsMessage.has(event.type)) {
      throw new SdkError(
        'model-protocol',
        `The model's server sent ${event.type} before message_start. It doesn't speak the Messages API's stream: check the base URL.`,
        { data: { event: event.type } },
      );
    }
    return [];
  }

  return {
    [Symbol.asyncIterator]: read,
    partial: () => message?.toPartial(),
    takeClosed: () => closedBlocks.splice(0),
  };
}

/** An adapter without types may give anything. */
function requireEvent(event: unknown): void {
  if (isRecord(event) && typeof event['type'] === 'string') return;
  throw new SdkError(
    'model-protocol',
    'The model gave something that is no event of the Messages API: each is an object with a type. Mend its adapter.',
  );
}

/** The reply is priced by it. */
function requireModelName({ message }: { readonly message: unknown }): void {
  if (isRecord(message) && typeof message['model'] === 'string') return;
  throw new SdkError(
    'model-protocol',
    "The model's message_start has no message that names its model: { message: { model: 'my-model', … } }. Mend its adapter.",
    { data: { event: 'message_start' } },
  );
}

/** Events that make no sense without a message; pings and unknown ones may come at any time. */
const ownsMessage: ReadonlySet<string> = new Set([
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
]);
