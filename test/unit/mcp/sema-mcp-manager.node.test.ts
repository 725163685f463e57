// Sema Core's MCPManager over a query whose servers answer by HTTP.
import { expect, it, onTestFinished } from 'vitest';
import { MCPManager } from '../../../src/adapters/sema/mcp-manager.ts';
import { query } from '../../../src/agent/query.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { startMcpServer } from '../../support/mcp/mcp-server.ts';
import { openHost, say } from '../../support/turns/run-hooked.ts';

it('adds servers, lists them and takes them away, and the query’s own stay', async () => {
  const servers = await Promise.all([startMcpServer(), startMcpServer(), startMcpServer()]);
  onTestFinished(() =>
    Promise.all(servers.map((one) => one[Symbol.asyncDispose]())).then(() => {}),
  );
  const [own, one, two] = servers.map(
    ({ url }) => ({ type: 'http', url, alwaysLoad: true }) as const,
  );
  await using host = await openHost();
  const model = createScriptedModel({ script: { turns: [say('Done.')] } });
  const mcpServers = own ? { own } : {};
  const asked = query({ prompt: 'Go.', options: { host, model, mcpServers } });
  onTestFinished(() => asked.close());
  const manager = new MCPManager(asked);
  const listed = async () => (await manager.list()).map(({ name, status }) => `${name}: ${status}`);
  if (one && two) await Promise.all([manager.add('one', one), manager.add('two', two)]);
  expect(await listed()).toEqual(['own: connected', 'one: connected', 'two: connected']);
  await manager.remove('one');
  expect(await listed()).toEqual(['own: connected', 'two: connected']);
  await expect(manager.remove('one')).rejects.toThrow('No MCP server one was added.');
  if (one) await expect(manager.add('two', one)).rejects.toThrow('remove it first');
  const gone = { type: 'http', url: 'http://127.0.0.1:1/mcp' } as const;
  await expect(manager.add('gone', gone)).rejects.toMatchObject({ code: 'mcp-failed' });
  await expect(manager.add('bad', { type: 'stdio' } as never)).rejects.toMatchObject({
    code: 'bad-usage',
  });
});
