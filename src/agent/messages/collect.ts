// Stage 2 turns the model's events into the assistant message and its tool calls. `loop.ts`
// iterates it, forwards the events and starts each call when its block is complete. A call with an
// incomplete block is never given. A second `message_start` gives a restart item.
import type { ContentBlock } from '../../core/messages/blocks.ts';
import { SdkError } from '../../core/errors.ts';
import type { AssistantMessage, ModelEvent } from '../../core/messages/messages.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { OpenMessage } from './open-message.ts';

/** One complete call by the model. `input` is untrusted until `validate.ts` has parsed it. */
export interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** The block's index in the message. Results are returned in this order. */
  readonly index: number;
  /**
   * The reason, for the model, why the streamed input isn't a JSON object; `input` is then `{}`.
   * Such a call gets an error as its result and never runs.
   */
  readonly inputError?: string;
}

/** The items of {@link collect}, in the order of the events. */
export type Collected =
  /**
   * Every event, unchanged, including unknown ones. It comes before the items that follow from it.
   */
  | { readonly type: 'event'; readonly event: ModelEvent }
  /** A block is complete: this call can start now, while the reply still streams. */
  | { readonly type: 'tool-use'; readonly toolUse: ToolUse }
  /**
   * The message starts again. All earlier items are void, including started calls. Until the next
   * item is requested, {@link Collection.partial} is the void message.
   */
  | { readonly type: 'restart' }
  /** The complete message. Comes exactly once, as the last item. */
  | {
      readonly type: 'message';
      readonly message: AssistantMessage;
      /** The tool of a call whose block was cut. The message doesn't contain it. */
      readonly cutCall?: string;
    };

/** A complete block, and its index in the message. */
export interface ClosedBlock {
  readonly index: number;
  readonly block: ContentBlock;
  /** See {@link ToolUse}. */
  readonly inputError?: string;
}

/** A message that is being read. Iterate it once. */
export interface Collection extends AsyncIterable<Collected> {
  /**
   * The message with its complete blocks, for a turn that is stopped during the stream. Undefined
   * before `message_start`. Its tool calls are those that were given.
   */
  partial(): AssistantMessage | undefined;
  /** The blocks that were completed since the last call of this method, without void ones. */
  takeClosed(): readonly ClosedBlock[];
}

/**
 * Reads one message from a model's events.
 *
 * The final message equals the server's answer to the same request without `stream`. Throws the
 * errors of `events`, including an abort. Throws `model-stream-cut` if the events end before
 * `message_stop`, and `model-protocol` if their order is invalid. Ending the iteration early closes
 * `events`.
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
        // Until the next item is requested, `partial` is the void message.
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

  /** The indices of the blocks that the event has completed. */
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

/** An untyped adapter may give any value. */
function requireEvent(event: unknown): void {
  if (isRecord(event) && typeof event['type'] === 'string') return;
  throw new SdkError(
    'model-protocol',
    'The model gave something that is no event of the Messages API: each is an object with a type. Mend its adapter.',
  );
}

/** The reply's price depends on the model's name. */
function requireModelName({ message }: { readonly message: unknown }): void {
  if (isRecord(message) && typeof message['model'] === 'string') return;
  throw new SdkError(
    'model-protocol',
    "The model's message_start has no message that names its model: { message: { model: 'my-model', … } }. Mend its adapter.",
    { data: { event: 'message_start' } },
  );
}

/** Events that need an open message. Pings and unknown events may come at any time. */
const ownsMessage: ReadonlySet<string> = new Set([
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
]);
