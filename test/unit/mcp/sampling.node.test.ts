// What MCP servers ask of a model, over real HTTP.
import { expect, it, onTestFinished } from 'vitest';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import type { ModelRequest } from '../../../src/model/model.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { addLibrary } from '../../support/mcp/mcp-library.ts';
import { startMcpServer } from '../../support/mcp/mcp-server.ts';
import { callTool, openHost, runHooked, say, toResults } from '../../support/turns/run-hooked.ts';

/** One call of a tool that wants a model. */
async function callThinking(options: Partial<QueryOptions>) {
  await using host = await openHost();
  const server = await startMcpServer(0, (one) => addLibrary(one, () => ''));
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { messages, result } = await runHooked(host, [callTool('mcp__books__think', {})], {
    mcpServers: { books: { type: 'http', url: server.url, alwaysLoad: true } },
    permissionMode: 'bypassPermissions',
    ...options,
  });
  return { text: toResults(messages)[0] ?? '', result };
}

function createSampler() {
  const scripted = createScriptedModel({ script: { turns: [say('A birch.')] } });
  const requests: ModelRequest[] = [];
  const samplingModel: typeof scripted = {
    ...scripted,
    name: 'sampler',
    async *stream(request, options) {
      requests.push(request);
      for await (const event of scripted.stream(request, options)) {
        const isStart = event.type === 'message_start';
        yield isStart ? { ...event, message: { ...event.message, model: 'sampler' } } : event;
      }
    },
  };
  return { samplingModel, requests };
}

it('a person is asked, the host’s own model answers, and it is priced', async () => {
  const asked: unknown[] = [];
  const { samplingModel, requests } = createSampler();
  const { text, result } = await callThinking({
    samplingModel,
    prices: { sampler: { input: 1, output: 1 }, scripted: { input: 0, output: 0 } },
    canUseTool: async (toolName, input, { title }) => {
      asked.push([toolName, input, title]);
      return { behavior: 'allow' };
    },
  });
  const [thought, roots] = JSON.parse(text) as unknown[];
  expect(thought).toMatchObject({ content: { type: 'text', text: 'A birch.' } });
  expect(roots).toEqual({ roots: [{ uri: 'file:///workspace' }] });
  expect(asked).toEqual([
    [
      'mcp__books',
      { text: 'Name a tree.', system: 'Be brief.' },
      'May the MCP server books ask sampler something?',
    ],
  ]);
  expect(requests).toMatchObject([
    { system: [{ text: 'Be brief.' }], tools: [], max_tokens: 50, messages: [{ role: 'user' }] },
  ]);
  expect(Object.keys(result.modelUsage).toSorted()).toEqual(['sampler', 'scripted']);
});

it.each([
  ['the person says no', { canUseTool: async () => ({ behavior: 'deny', message: 'No.' }) }],
  ['nobody is there', {}],
] as const)('no model is asked where %s', async (_, options) => {
  const { samplingModel, requests } = createSampler();
  const { text } = await callThinking({ samplingModel, ...options } as Partial<QueryOptions>);
  expect(text).toContain('The user did not allow it.');
  expect(requests).toEqual([]);
});

it('a server isn’t told of a model that there isn’t', async () => {
  const { text } = await callThinking({});
  expect(text).toContain('sampling');
});
