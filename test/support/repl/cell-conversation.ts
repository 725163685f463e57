// A conversation on a real host in which the model runs given cells, one at a time. It continues after any end of a
// cell, also after a stop of the turn.
import { createMessageQueue } from '../../../src/core/async/message-queue.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { query } from '../../../src/agent/query.ts';
import { isToolResultBlock } from '../../../src/core/messages/blocks.ts';
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import type { SDKUserMessage } from '../../../src/core/messages/sdk-message.ts';
import type { Model, ModelRequest } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import type { ReplInput, ReplOutput } from '../../../src/tools/repl/schema.ts';
import { assistantMessage } from '../models/model-streams.ts';

/** The end of a cell, as the model and a viewer get it. */
export interface CellEnd {
  /** The block's content and mark, as the model gets them. */
  readonly content: unknown;
  readonly isError: boolean;
  /** Undefined if the call never ended. */
  readonly output: ReplOutput | undefined;
}

/** Dispose it when done. */
export interface CellConversation extends Disposable {
  /** Returns the ends of the cell. There should be exactly one. */
  run(input: ReplInput): Promise<readonly CellEnd[]>;
  /** Stops the running turn. */
  stop(): void;
}

/** `options` are the query's. */
export function openConversation(options: Omit<QueryOptions, 'model'>): CellConversation {
  const prompts = createMessageQueue<SDKUserMessage>();
  const conversation = query({ prompt: prompts, options: { ...options, model: obedientModel } });
  return {
    async run(input) {
      prompts.push(toPrompt(JSON.stringify(input)));
      const ends: CellEnd[] = [];
      for (;;) {
        const { value: message } = await conversation.next();
        if (!message || message.type === 'result') return ends;
        if (message.type !== 'user' || message.parent_tool_use_id !== null) continue;
        for (const block of message.message.content) {
          if (typeof block !== 'object' || !isToolResultBlock(block)) continue;
          ends.push({
            content: block.content,
            isError: block.is_error === true,
            output: message.tool_use_result as ReplOutput | undefined,
          });
        }
      }
    },
    stop: () => void conversation.interrupt(),
    [Symbol.dispose]() {
      prompts.end();
      conversation.close();
    },
  };
}

/** Runs the prompt as a cell, and doesn't comment on its result. */
const obedientModel: Model = {
  name: 'obedient',
  apiKeySource: 'none',
  async *stream({ messages }: ModelRequest) {
    const last = messages.at(-1)?.content;
    const blocks: readonly ContentBlock[] =
      typeof last === 'string'
        ? [
            {
              type: 'tool_use',
              id: `cell-${messages.length}`,
              name: 'Repl',
              input: JSON.parse(last),
            },
          ]
        : [{ type: 'text', text: 'Done.' }];
    const stop_reason = typeof last === 'string' ? 'tool_use' : 'end_turn';
    yield* toEvents(assistantMessage(blocks, { stop_reason }));
  },
};

function toPrompt(content: string): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
}
