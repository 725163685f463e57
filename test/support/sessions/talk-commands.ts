// Turns of a query over a host, for tests of commands: what was told, and what commands have said.
import { query } from '../../../src/agent/query.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import type { SDKMessage, SDKUserMessage } from '../../../src/core/messages/sdk-message.ts';
import type { quickHost } from './open-sessions.ts';
import type { listModel } from '../turns/play-turns.ts';

export type QuickHost = Awaited<ReturnType<typeof quickHost>>;

/** One turn for each prompt. */
export async function talk(
  host: QuickHost,
  prompts: readonly string[],
  options: Omit<QueryOptions, 'host'>,
): Promise<{ readonly told: readonly SDKMessage[]; readonly texts: readonly string[] }> {
  const told: SDKMessage[] = [];
  async function* say(): AsyncGenerator<SDKUserMessage, void> {
    for (const [at, content] of prompts.entries()) {
      yield {
        type: 'user',
        uuid: `p${at}`,
        message: { role: 'user', content },
        parent_tool_use_id: null,
      };
    }
  }
  for await (const one of query({ prompt: say(), options: { ...options, host } })) told.push(one);
  const texts = told.flatMap((one) =>
    one.type === 'system' && one.subtype === 'local_command_output' ? [one.content] : [],
  );
  return { told, texts };
}

export const results = (told: readonly SDKMessage[]) => told.filter((one) => one.type === 'result');
/** What the model was asked, without reminders. */
export const lastPrompt = (model: ReturnType<typeof listModel>) =>
  model.requests
    .at(-1)
    ?.messages.filter(({ role, content }) => role === 'user' && typeof content === 'string')
    .at(-1)?.content;
