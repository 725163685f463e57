// One conversation with the protocol's reference server, in whichever runtime. It has tools and
// their progress, a resource that is watched, a prompt with completion, a form, a sampling and a
// task that is stopped.
import { expect } from 'vitest';
import { query } from '../../../src/agent/query.ts';
import type { Query } from '../../../src/agent/query.ts';
import type { Host } from '../../../src/agent/host.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { callTool, say, toResults } from '../turns/run-hooked.ts';
import { askSettled } from '../turns/settled-servers.ts';

const uri = 'demo://resource/static/document/architecture.md';

/** What came of it. `sent`: each request's messages, as JSON. */
export async function playEverything(host: Host, url: string) {
  const turns = [
    callTool('ReadMcpResourceTool', { server: 'every', uri }, 'one'),
    callTool('mcp__every__toggle-subscriber-updates', {}, 'two'),
    callTool('mcp__every__trigger-elicitation-request', {}, 'three'),
    callTool('mcp__every__trigger-sampling-request', { prompt: 'Name a tree.' }, 'four'),
    callTool('mcp__every__get-sum', { a: 1, b: 2 }, 'five'),
    callTool('mcp__every__simulate-research-query', { topic: 'Trees.' }, 'six'),
    callTool('mcp__every__trigger-long-running-operation', { duration: 0.1, steps: 2 }, 'slow'),
    callTool('TaskStop', { task_id: 'the one before' }, 'seven'),
    say('Done.'),
  ];
  const scripted = createScriptedModel({ script: { turns } });
  const sent: string[] = [];
  const model: typeof scripted = {
    ...scripted,
    stream(request, options) {
      sent.push(JSON.stringify(request.messages));
      return scripted.stream(request, options);
    },
  };
  const messages: SDKMessage[] = [];
  const asked: string[] = [];
  /** The script can't know a task's id. */
  const nameTask = async () => {
    const [, task_id = ''] = /which is (\S+) here/u.exec(toResults(messages).join('\n')) ?? [];
    return {
      hookSpecificOutput: { hookEventName: 'PreToolUse' as const, updatedInput: { task_id } },
    };
  };
  const running: Query = query({
    prompt: askSettled(() => running, '/mcp__every__args-prompt Berlin'),
    options: {
      ...{ host, model, permissionMode: 'bypassPermissions' },
      hooks: { PreToolUse: [{ matcher: 'TaskStop', hooks: [nameTask] }] },
      mcpServers: { every: { type: 'http', url, alwaysLoad: true } },
      samplingModel: createScriptedModel({ script: { turns: [say('A birch.')] } }),
      canUseTool: async (toolName) => {
        asked.push(toolName);
        return { behavior: 'allow' };
      },
      onElicitation: async ({ serverName, message }) => {
        asked.push(`${serverName}: ${message}`);
        return { action: 'accept', content: { name: 'Ada', check: true, integer: 7 } };
      },
    },
  });
  const name = 'mcp__every__completable-prompt';
  const names = async () => (await running.supportedCommands()).map((command) => command.name);
  await expect.poll(names).toContain(name);
  const completed = await running.completeCommand(name, 'Eng');
  for await (const message of running) messages.push(message);
  const steps = messages.flatMap((message) =>
    message.type === 'tool_progress' && message.tool_use_id === 'slow' ? [message.progress] : [],
  );
  return { results: toResults(messages), steps, sent, asked, completed };
}

/** What it must have come to, in each runtime. */
export function expectEverything({
  results,
  steps,
  sent,
  asked,
  completed,
}: Awaited<ReturnType<typeof playEverything>>): void {
  expect(completed).toEqual(['Engineering']);
  expect(sent[0]).toContain('What follows was written by the MCP server every.');
  expect(sent[0]).toContain('Berlin');
  expect(results[0]).toContain('# Everything Server');
  expect(results[2]).toContain('Ada');
  expect(results[3]).toContain('A birch.');
  expect(results[5]).toContain('The server runs the call as a task');
  expect(steps).toEqual([
    { progress: 1, total: 2 },
    { progress: 2, total: 2 },
  ]);
  expect(results[7]).toContain('is stopped');
  expect(asked).toEqual(['every: Please provide inputs for the following fields:', 'mcp__every']);
  const news = `The resource ${uri} of the server every has changed since you read it.`;
  expect(sent.at(-1)?.split(news)).toHaveLength(2);
}
