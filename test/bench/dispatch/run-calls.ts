// One conversation in which a model that answers at once calls a tool that does nothing, again and
// again, and how long each call took.
import * as z from 'zod';
import { buildTool, query } from '../../../src/index.ts';
import type { AssistantMessage, Model, ModelEvent, Tool } from '../../../src/index.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { toEvents } from '../../../src/model/to-events.ts';

export interface Setup {
  /** How many permission rules hold. The last of them allows the call. */
  readonly rules: number;
  /** How many PreToolUse hooks there are. Every other one is meant, and says nothing. */
  readonly hooks: number;
}

/** In microseconds. */
export interface CallTimes {
  /** From the end of the tool_use block to the message with the result. */
  readonly callUs: number;
  /** From there to the next request. */
  readonly stepUs: number;
}

const inputSchema = z.strictObject({ path: z.string() });

/** Does nothing. */
export const noop = buildTool({
  name: 'Noop',
  inputSchema,
  description: () => Promise.resolve('Does nothing.'),
  prompt: () => Promise.resolve(''),
  getPath: (input: z.output<typeof inputSchema>) => input.path,
  call: () => Promise.resolve({ data: 'done' }),
  mapToolResultToToolResultBlockParam: (output: unknown, toolUseID: string) =>
    ({ type: 'tool_result', tool_use_id: toolUseID, content: String(output) }) as const,
}) as Tool;

/** The times of the conversation's calls, in order. Throws where a call wasn't answered as it should be. */
export async function runCalls(count: number, setup: Setup): Promise<CallTimes[]> {
  const handedAt: number[] = [];
  const askedAt: number[] = [];
  const answeredAt: number[] = [];
  const model: Model = {
    name: 'bench',
    apiKeySource: 'none',
    async *stream() {
      askedAt.push(performance.now());
      const call = handedAt.length;
      for (const event of toEvents(call < count ? callMessage(call) : lastMessage)) {
        if (call < count && event.type === 'content_block_stop') handedAt.push(performance.now());
        yield event satisfies ModelEvent;
      }
    },
  };
  await using host = await createInlineHost();
  const conversation = query({
    prompt: 'Go.',
    options: { host, model, tools: [noop], ...toRules(setup.rules), ...toHooks(setup.hooks) },
  });
  for await (const message of conversation) {
    if (message.type !== 'user') continue;
    answeredAt.push(performance.now());
    checkAnswer(message.message.content);
  }
  if (answeredAt.length !== count)
    throw new Error(`${answeredAt.length} of ${count} were answered.`);
  return handedAt.map((start, call) => ({
    callUs: ((answeredAt[call] ?? Number.NaN) - start) * 1000,
    stepUs: ((askedAt[call + 1] ?? Number.NaN) - start) * 1000,
  }));
}

function checkAnswer(content: unknown): void {
  const text = JSON.stringify(content);
  if (!text.includes('"content":"done"')) throw new Error(`A call was answered with ${text}.`);
}

/** Rules of all kinds, as a project gathers them; of five, three are globs. */
function toRules(count: number) {
  const share = Math.floor(count / 5);
  const list = (rule: (at: number) => string) => Array.from({ length: share }, (_, at) => rule(at));
  const permissions = {
    deny: [...list((at) => `Edit(secrets-${at}/**)`), ...list((at) => `mcp__server-${at}__drop`)],
    ask: [...list((at) => `Edit(packages/*/release-${at}.ts)`), ...list((at) => `Deploy${at}`)],
    allow: [...list((at) => `Noop(generated-${at}/**/*.ts)`).slice(1), 'Noop'],
  };
  return { settings: { permissions } };
}

function toHooks(count: number) {
  if (count === 0) return {};
  const matchers = Array.from({ length: count }, (_, at) => ({
    matcher: at % 2 === 0 ? 'Noop' : 'Edit|Write',
    hooks: [() => Promise.resolve({})],
  }));
  return { hooks: { PreToolUse: matchers } };
}

export function callMessage(call: number): AssistantMessage {
  const input = { path: `src/module-${call % 100}/file.ts` };
  return toMessage({ type: 'tool_use', id: `toolu_${call}`, name: 'Noop', input }, 'tool_use');
}

export const lastMessage = toMessage({ type: 'text', text: 'Done.' }, 'end_turn');

function toMessage(
  block: AssistantMessage['content'][number],
  stop_reason: 'tool_use' | 'end_turn',
): AssistantMessage {
  return {
    id: 'msg_bench',
    type: 'message',
    role: 'assistant',
    model: 'bench',
    content: [block],
    stop_reason,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}
