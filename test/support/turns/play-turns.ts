// Whole turns over models that answer from a list: what was sent, what was told, how it ended.
import { query } from '../../../src/agent/query.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import type { AssistantMessage, ModelEvent } from '../../../src/core/messages/messages.ts';
import type {
  SDKMessage,
  SDKResultMessage,
  SDKUserMessage,
} from '../../../src/core/messages/sdk-message.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import type { Model, ModelRequest } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { assistantMessage } from '../models/model-streams.ts';

/** A message, its events one by one, or what the stream fails with. */
export type Reply = AssistantMessage | readonly ModelEvent[] | Error;

export interface ListModel extends Model {
  readonly requests: ModelRequest[];
}

/** Answers each request with the next reply. */
export function listModel(name: string, replies: readonly Reply[]): ListModel {
  const requests: ModelRequest[] = [];
  return {
    name,
    apiKeySource: 'none',
    requests,
    async *stream(request) {
      const reply = replies[requests.length];
      requests.push({ ...request, messages: structuredClone(request.messages) });
      if (reply instanceof Error) throw reply;
      if (!reply) throw new Error(`${name} has no reply number ${requests.length}.`);
      yield* 'role' in reply ? toEvents({ ...reply, model: name }) : reply;
    },
  };
}

export const says = (text: string, fields: Partial<AssistantMessage> = {}): AssistantMessage =>
  assistantMessage([{ type: 'text', text }], fields);

export const asks = (...content: readonly ContentBlock[]): AssistantMessage =>
  assistantMessage(content, { stop_reason: 'tool_use' });

export interface Played {
  readonly messages: readonly SDKMessage[];
  readonly results: readonly SDKResultMessage[];
  /** Of the messages, those that tell of a retraction. */
  readonly fallbacks: readonly Extract<SDKMessage, { subtype: 'model_refusal_fallback' }>[];
}

/** One turn for each prompt, in a workspace with the files `a.txt` and `b.txt`. */
export async function playTurns(
  options: Omit<QueryOptions, 'host'>,
  prompts: readonly string[] = ['Go.'],
): Promise<Played> {
  await using host = await createInlineHost();
  for (const name of ['a', 'b']) await host.workspace.fs.writeFile(`/workspace/${name}.txt`, name);
  const messages: SDKMessage[] = [];
  const talk = query({
    prompt: toPrompts(prompts),
    options: { permissionMode: 'bypassPermissions', ...options, host },
  });
  for await (const message of talk) messages.push(message);
  return {
    messages,
    results: messages.filter((message) => message.type === 'result'),
    fallbacks: messages.filter(
      (message) => message.type === 'system' && message.subtype === 'model_refusal_fallback',
    ),
  };
}

async function* toPrompts(prompts: readonly string[]): AsyncGenerator<SDKUserMessage> {
  for (const content of prompts) {
    yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
  }
}
