// Queries with agents, and a tool that does several things with them concurrently. For tests of concurrency.
import * as z from 'zod';
import { query } from '../../../src/agent/query.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import type { Host } from '../../../src/agent/host.ts';
import { isToolResultBlock, toResultText } from '../../../src/core/messages/blocks.ts';
import type { Agents } from '../../../src/core/agents/agents.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { BackgroundTasks } from '../../../src/core/tool/background.ts';
import type { CallContext } from '../../../src/core/tool/context.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import type { ScriptTurn } from '../../../src/model/script.ts';
import { createAgentsModel } from '../models/agents-model.ts';
import { callTool, readAll } from './run-hooked.ts';

export const task = (prompt: string, more: Record<string, unknown> = {}, id = `call-${prompt}`) =>
  callTool('Agent', { description: 'Look around', prompt, ...more }, id);
export const waited = { run_in_background: false };
export const letter = (to: string, message: string, id = 'call-mail') =>
  callTool('SendMessage', { to, message }, id);

export async function run(
  host: Host,
  scripts: Readonly<Record<string, readonly ScriptTurn[]>>,
  options: Omit<QueryOptions, 'host' | 'model'> = {},
  before?: Parameters<typeof createAgentsModel>[1],
) {
  const model = createAgentsModel(scripts, before);
  const messages = await readAll(
    query({ prompt: 'Go.', options: { toolSearch: false, ...options, host, model } }),
  );
  return { messages, requests: model.requests };
}

/** A tool that does several things with agents at once. */
export function atOnce(
  work: (
    agents: Agents,
    signal: AbortSignal,
    tasks: BackgroundTasks,
  ) => readonly Promise<unknown>[],
): Tool {
  return buildTool({
    name: 'AtOnce',
    inputSchema: z.strictObject({}),
    description: () => Promise.resolve('Does several things at once.'),
    prompt: () => Promise.resolve(''),
    checkPermissions: () => Promise.resolve({ behavior: 'allow' }),
    changesOnlySession: () => true,
    async call(_input: unknown, { agents, tasks, abortController }: CallContext) {
      const ends = await Promise.allSettled(work(agents, abortController.signal, tasks));
      const told = ends.map((end) =>
        end.status === 'fulfilled' ? end.value : (end.reason as Error).message,
      );
      return { data: JSON.stringify(told) };
    },
    mapToolResultToToolResultBlockParam: (content: string, tool_use_id: string) => ({
      type: 'tool_result' as const,
      tool_use_id,
      content,
    }),
  }) as unknown as Tool;
}

export function untilAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  const aborted = new Promise<void>((resolve) => {
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
  return Promise.race([work, aborted]);
}

/** The texts of the results that the session's main agent gets. */
export const listResults = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) => {
    if (message.type !== 'user' || message.agent_id !== undefined) return [];
    const { content } = message.message;
    return typeof content === 'string' ? [] : content.filter(isToolResultBlock).map(toResultText);
  });
