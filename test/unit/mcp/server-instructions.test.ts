// What servers in process say of their tools, as the model is told it.
import { expect, it } from 'vitest';
import { query } from '../../../src/agent/query.ts';
import { createSdkMcpServer } from '../../../src/mcp/create-sdk-mcp-server.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { callTool, openHost, say } from '../../support/run-hooked.ts';

it.each([undefined, 'You are X.'])(
  'has its instructions in the system prompt, beside the tools’ (systemPrompt: %j)',
  async (systemPrompt) => {
    const server = createSdkMcpServer({ name: 'weather', instructions: 'Ask for one city.' });
    await using host = await openHost();
    const turns = [callTool('Glob', { pattern: '*.txt' }), say('Done.')];
    const scripted = createScriptedModel({ script: { turns } });
    const systems: unknown[] = [];
    const model: typeof scripted = {
      ...scripted,
      stream: (request, options) => {
        systems.push(request.system);
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
    expect(JSON.stringify(systems)).toContain('# The tools of weather\\n\\nAsk for one city.');
    expect(JSON.stringify(systems)).toContain('Grep searches file contents as ripgrep does');
    // The same bytes at each request, so that the prompt cache holds.
    expect(systems).toHaveLength(2);
    expect(JSON.stringify(systems[1])).toBe(JSON.stringify(systems[0]));
  },
);
