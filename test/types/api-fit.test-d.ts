// Core's wire types are its own. These claims hold them to the Anthropic client's, in the direction
// in which each crosses. What the API says must be readable as ours. What we send must be the
// API's.
import type { Anthropic } from '@anthropic-ai/sdk';
import { describe, expectTypeOf, it } from 'vitest';
import type {
  ContentBlock,
  ImageBlock,
  OpaqueBlock,
  RedactedThinkingBlock,
  TextBlock,
  ThinkingBlock,
  ToolReferenceBlock,
  ToolResultBlock,
  ToolUseBlock,
} from '../../src/core/messages/blocks.ts';
import type {
  AssistantMessage,
  BlockDelta,
  MessageParam,
  ModelEvent,
  Usage,
} from '../../src/core/messages/messages.ts';
import type { ThinkingOption } from '../../src/core/messages/thinking.ts';
import type { ToolParam } from '../../src/model/model.ts';

/** `T` as parsed JSON has it: an interface becomes a plain object type, which an index signature takes. */
type Received<T> = T extends Primitive ? T : { readonly [K in keyof T]: Received<T[K]> };

/** `T` as it is serialised: whether it may be written to makes no difference. */
type Sent<T> = T extends Primitive ? T : { -readonly [K in keyof T]: Sent<T[K]> };

type Primitive = string | number | boolean | null | undefined;

describe('what the API says', () => {
  it('is readable as our blocks', () => {
    expectTypeOf<Received<Anthropic.TextBlock>>().toExtend<TextBlock>();
    expectTypeOf<Received<Anthropic.ThinkingBlock>>().toExtend<ThinkingBlock>();
    expectTypeOf<Received<Anthropic.RedactedThinkingBlock>>().toExtend<RedactedThinkingBlock>();
    expectTypeOf<Received<Anthropic.ToolUseBlock>>().toExtend<ToolUseBlock>();
    expectTypeOf<Received<Anthropic.ContentBlock>>().toExtend<ContentBlock>();
    expectTypeOf<Received<Anthropic.ServerToolUseBlock>>().toExtend<OpaqueBlock>();
  });

  it('is readable as our events, deltas, messages and usage', () => {
    expectTypeOf<Received<Anthropic.RawMessageStreamEvent>>().toExtend<ModelEvent>();
    expectTypeOf<Received<Anthropic.RawContentBlockDelta>>().toExtend<BlockDelta>();
    expectTypeOf<Received<Anthropic.Message>>().toExtend<AssistantMessage>();
    expectTypeOf<Received<Anthropic.Usage>>().toExtend<Usage>();
  });

  it('has an event of ours for each of its own', () => {
    expectTypeOf<Anthropic.RawMessageStreamEvent['type'] | 'ping'>().toEqualTypeOf<
      ModelEvent['type']
    >();
  });
});

describe('what we send', () => {
  it("is the API's, block by block", () => {
    expectTypeOf<Sent<TextBlock>>().toExtend<Anthropic.TextBlockParam>();
    expectTypeOf<Sent<ThinkingBlock>>().toExtend<Anthropic.ThinkingBlockParam>();
    expectTypeOf<Sent<RedactedThinkingBlock>>().toExtend<Anthropic.RedactedThinkingBlockParam>();
    expectTypeOf<Sent<ToolUseBlock>>().toExtend<Anthropic.ToolUseBlockParam>();
    expectTypeOf<Sent<ImageBlock>>().toExtend<Anthropic.ImageBlockParam>();
    expectTypeOf<Sent<ToolReferenceBlock>>().toExtend<Anthropic.ToolReferenceBlockParam>();
    expectTypeOf<Sent<ToolResultBlock>>().toExtend<Anthropic.ToolResultBlockParam>();
  });

  it("is the API's, as messages, tools and options", () => {
    expectTypeOf<MessageParam['role']>().toExtend<Anthropic.MessageParam['role']>();
    type Known = Exclude<MessageParam['content'][number], string | OpaqueBlock>;
    expectTypeOf<Sent<Known>>().toExtend<Anthropic.ContentBlockParam>();
    expectTypeOf<Sent<ToolParam>>().toExtend<Anthropic.Tool>();
    expectTypeOf<Sent<ThinkingOption>>().toExtend<Anthropic.ThinkingConfigParam>();
  });
});
