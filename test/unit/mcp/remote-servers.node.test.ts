// MCP servers elsewhere, over real HTTP: what the model gets of them, and how they come and go.
import { describe, expect, it, onTestFinished } from 'vitest';
import { query } from '../../../src/agent/query.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { callTool, openHost, runHooked, say, toResults } from '../../support/run-hooked.ts';
import { startMcpServer } from '../../support/mcp-server.ts';

async function openServer() {
  const server = await startMcpServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

describe('an MCP server by HTTP', () => {
  it('offers its tools, and its results are those of other calls', async () => {
    await using host = await openHost();
    const { url } = await openServer();
    const turns = [
      callTool('mcp__there__echo', { text: 'Hello.' }, 'one'),
      callTool('mcp__there__add', { a: 1, b: 2 }, 'two'),
      callTool('mcp__there__remove', {}, 'three'),
      say('Done.'),
    ];
    const { messages, requests } = await runHooked(host, turns, {
      mcpServers: { there: { type: 'http', url, alwaysLoad: true } },
      permissionMode: 'bypassPermissions',
    });
    expect(toResults(messages)).toEqual(['Hello.', '3', 'It is protected.']);
    expect(JSON.stringify(requests[0])).toContain(
      '<mcp-server name=\\"there\\">\\nCall echo to hear yourself.',
    );
  });
});
void query; void createScriptedModel;
