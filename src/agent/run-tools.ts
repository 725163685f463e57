// Runs the tool calls of a complete reply, for a host that sends requests to the model itself. It uses a query whose
// model makes exactly these calls.
import { isToolResultBlock, toFailureContent } from '../core/messages/blocks.ts';
import type { ToolResultBlock, ToolUseBlock } from '../core/messages/blocks.ts';
import { isCompactionPrompt } from '../core/messages/compaction-messages.ts';
import { SdkError } from '../core/errors.ts';
import { isRecord } from '../core/values/is-record.ts';
import type { MessageParam } from '../core/messages/messages.ts';
import type { SDKResultMessage } from '../core/messages/sdk-message.ts';
import type { Model } from '../model/model.ts';
import { toEvents } from '../model/to-events.ts';
import { checkModel } from './check-query.ts';
import { query } from './query.ts';
import type { QueryOptions } from './query-options.ts';

/** The options of a query, except for the model. */
export interface RunToolsOptions extends Omit<
  QueryOptions,
  'model' | 'fallbackModel' | 'maxTurns'
> {
  /** The model for sub-agents that the calls start. Left out: such a call fails with a sentence. */
  readonly model?: Model;
}

/**
 * Runs the calls under the rules of a query: order, permissions, hooks, limits. Resolves to one result for each call,
 * in their order, also for a call that is refused, fails or is stopped. Background tasks that still run after the
 * last call are stopped.
 *
 * The session keeps what the calls have read and saved. `resume` with its id continues it, so an Edit knows what a
 * Read of an earlier reply has read. `sessionId` sets the id. With `persistSession: false` nothing is stored.
 *
 * @throws SdkError `bad-usage` for a value that isn't a list of calls, and as `query` does. Also if no call could
 * run, for example because a hook refuses all prompts; the message has the reason
 */
export async function runTools(
  calls: readonly ToolUseBlock[],
  options: RunToolsOptions,
): Promise<readonly ToolResultBlock[]> {
  const prompt = toPrompt(checkCalls(calls));
  if (!isRecord(options)) refuse('runTools needs options, with a host: runTools(calls, { host }).');
  const wrong = ['maxTurns', 'fallbackModel'].find((name) => name in options);
  if (wrong !== undefined)
    refuse(`runTools asks no model for more, so ${wrong} means nothing. Leave it out.`);
  const { model = noModel } = options;
  checkModel(model);
  if (calls.length === 0) return [];
  const found = new Map<string, ToolResultBlock>();
  let end: SDKResultMessage | undefined;
  const playing = { ...options, model: playCalls(calls, prompt, model), maxTurns: 1 };
  for await (const message of query({ prompt, options: playing })) {
    if (message.type === 'result') end = message;
    if (message.type !== 'user' || message.parent_tool_use_id !== null) continue;
    const { content } = message.message;
    if (typeof content === 'string') continue;
    for (const block of content.filter(isToolResultBlock)) found.set(block.tool_use_id, block);
  }
  return calls.map(({ id, name }) => {
    const result = found.get(id);
    if (result) return result;
    if (end?.subtype === 'success' && end.deferred_tool_use) return toPutOff(id, name);
    throw new SdkError('bad-usage', `${name} could not be run. ${describeEnd(end)}`, {
      data: { toolUseId: id },
    });
  });
}

/** The result of a deferred call: the caller gets one list of results and can't wait for more. */
function toPutOff(id: string, name: string): ToolResultBlock {
  const content = toFailureContent(`${name} was put off by a hook, and has not run.`);
  return { type: 'tool_result', tool_use_id: id, content, is_error: true };
}

function describeEnd(end: SDKResultMessage | undefined): string {
  if (!end) return 'The query ended before its turn.';
  return end.subtype === 'success' ? end.result : end.errors.join(' ');
}

/** The prompt contains the calls' ids, which the API has created, so no other prompt is equal. */
function toPrompt(calls: readonly ToolUseBlock[]): string {
  return `Make these calls: ${calls.map(({ id }) => id).join(', ')}.`;
}

/**
 * Makes the calls once, as the reply to the prompt. All other requests go to the model, also those of a sub-agent
 * that has inherited the prompt.
 */
function playCalls(calls: readonly ToolUseBlock[], prompt: string, model: Model): Model {
  const reply = {
    id: `reply-${calls[0]?.id ?? ''}`,
    type: 'message',
    role: 'assistant',
    model: model.name,
    content: calls,
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0 },
  } as const;
  let isSaid = false;
  return {
    name: model.name,
    apiKeySource: model.apiKeySource,
    contextWindow: model.contextWindow,
    ...(model.toolReferences !== undefined && { toolReferences: model.toolReferences }),
    ...(model.webSearch !== undefined && { webSearch: model.webSearch }),
    ...(model.maxTokens !== undefined && { maxTokens: model.maxTokens }),
    async *stream(request, streamOptions) {
      const { messages } = request;
      const isOurs = !isSaid && messages.some((message) => says(message, prompt));
      if (isOurs && !isCompactionPrompt(messages.at(-1))) {
        isSaid = true;
        yield* toEvents(reply);
      } else yield* model.stream(request, streamOptions);
    },
  };
}

function says({ role, content }: MessageParam, prompt: string): boolean {
  if (role !== 'user') return false;
  if (typeof content === 'string') return content === prompt;
  return content.some((block) => block.type === 'text' && block['text'] === prompt);
}

const noModel: Model = {
  name: 'none',
  apiKeySource: 'none',
  stream() {
    throw new SdkError(
      'bad-usage',
      'runTools was given no model, and something asks one, such as a sub-agent. Give it one: runTools(calls, { host, model }).',
    );
  },
};

const example =
  "[{ type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: 'a.txt' } }]";

/** @throws SdkError `bad-usage` that names the place. */
function checkCalls(calls: readonly ToolUseBlock[]): readonly ToolUseBlock[] {
  if (!Array.isArray(calls)) refuse(`runTools takes the tool_use blocks of a reply: ${example}.`);
  const ids = new Set<unknown>();
  for (const [at, call] of (calls as readonly unknown[]).entries()) {
    const { type, id, name, input } = isRecord(call) ? call : {};
    const isName = typeof name === 'string' && name !== '';
    const isCall = type === 'tool_use' && typeof id === 'string' && id !== '' && isName;
    if (!isCall || !isRecord(input)) {
      refuse(`calls[${at}] is no tool_use block. Write it so: ${example}.`);
    }
    if (ids.has(id)) refuse(`calls[${at}] has the id of a call before it, "${id}".`);
    ids.add(id);
  }
  return calls;
}

function refuse(message: string): never {
  throw new SdkError('bad-usage', message, { data: { option: 'calls' } });
}
