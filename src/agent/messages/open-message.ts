// Builds an assistant message from stream events, equal to the server's answer without streaming.
// `collect.ts` drives it. Pure: it never changes its arguments.
import { isTextBlock, isToolUseBlock } from '../../core/messages/blocks.ts';
import type { ContentBlock } from '../../core/messages/blocks.ts';
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { isNestedDeeper, maxInputDepth } from '../../core/values/nesting.ts';
import type { AssistantMessage, BlockDelta, ModelEvent } from '../../core/messages/messages.ts';
import type { ToolUse } from './collect.ts';

/** A block and its progress. Each delta replaces `block` and never changes it. */
interface OpenBlock {
  block: ContentBlock;
  open: boolean;
  /** The input's JSON so far; undefined if none was streamed. */
  json?: string;
  inputError?: string;
}

/**
 * Enforces the Messages API's order. Blocks open one after the other, and deltas belong to an open
 * block. No block is open at the end of the message, unless the model was cut. Throws
 * `model-protocol` for events in another order.
 */
export class OpenMessage {
  /** The message's other fields. Its content is that of the start. */
  #fields: AssistantMessage;
  readonly #blocks: OpenBlock[];
  readonly #callIds: Set<string>;
  /** Cached until the next event, because ten thousand calls may ask for it, each at its start. */
  #partial: AssistantMessage | undefined;

  /** `message` is usually empty. Blocks that it already has are complete. */
  constructor(message: AssistantMessage) {
    if (!Array.isArray(message?.content)) throw protocolError('message_start has no content array');
    // Some compatible servers leave out the usage. It then counts as zero.
    this.#fields = { ...message, usage: message.usage ?? { input_tokens: 0, output_tokens: 0 } };
    this.#blocks = message.content.map((block) => ({ block, open: false }));
    this.#callIds = new Set(message.content.filter(isToolUseBlock).map(({ id }) => id));
  }

  /**
   * Applies one event after `message_start` and gives the indices of the completed blocks. Unknown
   * events change nothing.
   */
  apply(event: ModelEvent): readonly number[] {
    this.#partial = undefined;
    switch (event.type) {
      case 'content_block_start':
        this.#start(event.index, event.content_block);
        return [];
      case 'content_block_delta': {
        const entry = this.#openBlock(event.index, event.type);
        if (!event.delta) throw protocolError(`a delta of block ${event.index} is empty`);
        applyDelta(entry, event.delta);
        return [];
      }
      case 'content_block_stop':
        closeBlock(this.#openBlock(event.index, event.type));
        return [event.index];
      case 'message_delta': {
        const { type: _type, delta, usage, ...rest } = event;
        if (typeof delta !== 'object') throw protocolError('message_delta has no delta');
        const fields = merge(merge(this.#fields, delta), rest);
        this.#fields = { ...fields, usage: merge(fields.usage, usage ?? {}) };
        return [];
      }
      default:
        return [];
    }
  }

  closedIndexes(): readonly number[] {
    return [...this.#blocks.keys()].filter((index) => !this.#blocks[index]?.open);
  }

  get closedCount(): number {
    return this.closedIndexes().length;
  }

  blockAt(index: number): ContentBlock | undefined {
    return this.#blocks[index]?.block;
  }

  /** The tool of a call whose block isn't complete. */
  get openCall(): string | undefined {
    const block = this.#blocks.find(({ open }) => open)?.block;
    return block && isToolUseBlock(block) ? block.name : undefined;
  }

  /** The call of a complete block; undefined if it isn't a tool_use block. */
  toToolUse(index: number): ToolUse | undefined {
    const entry = this.#blocks[index];
    if (!entry || entry.open || !isToolUseBlock(entry.block)) return undefined;
    const { id, name, input } = entry.block;
    if (typeof id !== 'string' || typeof name !== 'string') {
      throw protocolError(`the tool_use block ${index} has no id or no name`);
    }
    const { inputError } = entry;
    return { id, name, input, index, ...(inputError !== undefined && { inputError }) };
  }

  /** The message without incomplete blocks. */
  toPartial(): AssistantMessage {
    this.#partial ??= {
      ...this.#fields,
      content: this.#blocks.flatMap(({ open, block }) => (open ? [] : [block])),
    };
    return this.#partial;
  }

  /**
   * The complete message. If the model was cut, some servers leave the last block open. Its text is
   * then kept; an incomplete call or thinking block is left out. Throws `model-protocol` for any
   * other incomplete block.
   */
  finish(): AssistantMessage {
    const index = this.#blocks.findIndex((entry) => entry.open);
    if (index < 0) return this.toPartial();
    if (!cutOffReasons.has(this.#fields.stop_reason ?? '')) {
      throw protocolError(`message_stop came while block ${index} was still open`);
    }
    const whole = this.#blocks.filter(({ block, open }) => !open || isTextBlock(block));
    return { ...this.#fields, content: whole.map(({ block }) => block) };
  }

  #start(index: number, block: ContentBlock): void {
    if (typeof block?.type !== 'string') throw protocolError(`block ${index} has no type`);
    if (index !== this.#blocks.length) {
      throw protocolError(`block ${index} started where ${this.#blocks.length} was due`);
    }
    // Each result refers to its call by id, so two calls with one id couldn't both be answered.
    if (isToolUseBlock(block)) {
      if (this.#callIds.has(block.id)) {
        throw protocolError(`block ${index} repeats the tool_use id ${block.id}`);
      }
      this.#callIds.add(block.id);
    }
    this.#blocks.push({ block, open: true });
    const servedBy = modelAfterFallback(block);
    if (servedBy !== undefined) this.#fields = { ...this.#fields, model: servedBy };
  }

  #openBlock(index: number, event: string): OpenBlock {
    const entry = this.#blocks[index];
    if (!entry?.open) throw protocolError(`${event} names block ${index}, which isn't open`);
    return entry;
  }
}

/** Stop reasons that may cut a block. */
const cutOffReasons: ReadonlySet<string> = new Set([
  'max_tokens',
  'model_context_window_exceeded',
  'refusal',
]);

/** Applies a delta by the API's rules. An unknown one changes nothing. */
function applyDelta(entry: OpenBlock, delta: BlockDelta): void {
  // The cast: a block's fields depend on its type, and a delta may belong to an unknown type.
  const block = entry.block as Readonly<Record<string, unknown>> & ContentBlock;
  switch (delta.type) {
    case 'text_delta':
      entry.block = { ...block, text: asText(block['text']) + asText(delta['text']) };
      return;
    case 'thinking_delta':
      entry.block = { ...block, thinking: asText(block['thinking']) + asText(delta['thinking']) };
      return;
    case 'signature_delta':
      entry.block = { ...block, signature: delta['signature'] };
      return;
    case 'citations_delta': {
      const before = Array.isArray(block['citations']) ? (block['citations'] as unknown[]) : [];
      entry.block = { ...block, citations: [...before, delta['citation']] };
      return;
    }
    case 'input_json_delta':
      entry.json = (entry.json ?? '') + asText(delta['partial_json']);
      return;
    case 'compaction_delta': {
      // The delta has the block's final values, not additions.
      const { type: _type, ...values } = delta;
      entry.block = { ...block, ...values };
      return;
    }
  }
}

function closeBlock(entry: OpenBlock): void {
  entry.open = false;
  const { block } = entry;
  if (!entry.json) {
    // A call without input streams nothing or an empty string. Then the input of the block's start
    // is used.
    if (!isToolUseBlock(block) || !isNestedDeeper(block.input, maxInputDepth)) return;
    entry.inputError = tooDeep;
    entry.block = { ...block, input: {} };
    return;
  }
  const parsed = parseInput(entry.json);
  if ('error' in parsed) entry.inputError = parsed.error;
  // A value that isn't an object can't be sent back to the API. The error in the call's result
  // informs the model.
  entry.block = { ...block, input: 'input' in parsed ? parsed.input : {} };
}

const tooDeep = `The input is nested more than ${maxInputDepth} levels deep. Send it flatter.`;

function parseInput(json: string): { readonly input: object } | { readonly error: string } {
  try {
    const input: unknown = JSON.parse(json);
    if (isNestedDeeper(input, maxInputDepth)) return { error: tooDeep };
    if (isRecord(input)) return { input };
    return { error: `The input must be a JSON object. Received: ${shorten(json)}` };
  } catch (error) {
    return { error: `The input isn't valid JSON (${String(error)}). Received: ${shorten(json)}` };
  }
}

/** `changes` over `base`. Null values of counters and other fields overwrite nothing. */
function merge<T extends object>(base: T, changes: object): T {
  const known = new Map(Object.entries(base));
  const said = Object.entries(changes).filter(
    ([key, value]) => value !== null || known.get(key) === undefined,
  );
  return { ...base, ...Object.fromEntries(said) };
}

/** A `fallback` block has the name of the model that has continued the message. */
function modelAfterFallback(block: ContentBlock): string | undefined {
  if (block.type !== 'fallback' || !('to' in block)) return undefined;
  const to = block.to as { readonly model?: unknown } | null;
  return typeof to?.model === 'string' ? to.model : undefined;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

// 500 characters: enough to see the mistake, without filling the conversation.
function shorten(text: string): string {
  return text.length <= 500 ? text : `${text.slice(0, 250)} … ${text.slice(-250)}`;
}

function protocolError(what: string): SdkError {
  return new SdkError(
    'model-protocol',
    `The model's server broke the Messages API's stream: ${what}. Nothing unfinished was run.`,
    { data: { what } },
  );
}
