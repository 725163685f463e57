// What servers in process say of their tools, as the model is told it.
import { expect, it } from 'vitest';
import { query } from '../../../src/agent/query.ts';
import { createSdkMcpServer } from '../../../src/mcp/create-sdk-mcp-server.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { callTool, openHost, say } from '../../support/turns/run-hooked.ts';

it.each([undefined, 'You are X.'])(
  'has its instructions in a reminder, and leaves the system prompt as it is (systemPrompt: %j)',
  async (systemPrompt) => {
    const server = createSdkMcpServer({ name: 'weather', instructions: 'Ask for one city.' });
    await using host = await openHost();
    const turns = [callTool('Glob', { pattern: '*.txt' }), say('Done.')];
    const scripted = createScriptedModel({ script: { turns } });
    const systems: unknown[] = [];
    const sent: string[] = [];
    const model: typeof scripted = {
      ...scripted,
      stream: (request, options) => {
        systems.push(request.system);
        sent.push(JSON.stringify(request.messages));
        return scripted.stream(request, options);
      },
    };
    const options = {
      host,
      model,
      mcpServers: { weather: server },
      ...(systemPrompt !== undefined && { systemPrompt }),
    };
    for await (const _ of query({ prompt: 'Go.', options }));
    const told = '<mcp-server name=\\"weather\\">\\nAsk for one city.\\n</mcp-server>';
    expect(sent.map((messages) => messages.split(told).length - 1)).toEqual([1, 1]);
    expect(JSON.stringify(systems)).not.toContain('Ask for one city.');
    expect(JSON.stringify(systems)).toContain('Grep searches file contents as ripgrep does');
    // The same bytes at each request, so that the prompt cache holds.
    expect(systems).toHaveLength(2);
    expect(JSON.stringify(systems[1])).toBe(JSON.stringify(systems[0]));
  },
);
