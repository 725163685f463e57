// MCP servers elsewhere, over real HTTP: what the model gets of them, and how they come and go.
import { ask } from '../../../docs/examples/mcp.ts';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { McpHttpServerConfig } from '../../../src/core/mcp/mcp-server.ts';
import { callTool, openHost, runHooked, say, toResults } from '../../support/turns/run-hooked.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import { query } from '../../../src/agent/query.ts';
import type { Query } from '../../../src/agent/query.ts';
import type { Model } from '../../../src/model/model.ts';
import { startMcpServer } from '../../support/mcp/mcp-server.ts';

// As long as a loaded machine needs.
const patience = { timeout: 240_000 };

async function openServer() {
  const server = await startMcpServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

const at = (url: string, more: Partial<McpHttpServerConfig> = {}): McpHttpServerConfig => ({
  type: 'http',
  url,
  alwaysLoad: true,
  ...more,
});

/** A query that has not been asked anything: its servers can be watched. */
async function openQuery(mcpServers: Readonly<Record<string, McpHttpServerConfig>>) {
  const host = await openHost();
  const model = createScriptedModel({ script: { turns: [say('Done.')] } });
  const asked = query({ prompt: 'Go.', options: { host, model, mcpServers } });
  onTestFinished(async () => {
    asked.close();
    await host[Symbol.asyncDispose]();
  });
  const statusOf = async (name: string) =>
    (await asked.mcpServerStatus()).find((server) => server.name === name);
  return { asked, statusOf };
}

it('a session that is open is given servers, and switches them off and on', async () => {
  await using host = await openHost();
  const { url } = await openServer();
  const model = createScriptedModel({ script: { turns: [] } });
  await using session = await openSession({ host, model, sessionId: 's-servers' });
  expect(await session.mcpServerStatus()).toEqual([]);
  await expect(session.reconnectMcpServer('there')).rejects.toThrow(
    'There are no MCP servers here',
  );
  const changed = await session.setMcpServers({ there: at(url) });
  expect(changed).toEqual({ added: ['there'], removed: [], errors: {} });
  await session.toggleMcpServer('there', false);
  expect(await session.mcpServerStatus()).toMatchObject([{ name: 'there', status: 'disabled' }]);
  await session.toggleMcpServer('there', true);
  expect(await session.mcpServerStatus()).toMatchObject([{ name: 'there', status: 'connected' }]);
});

describe('an MCP server by HTTP', () => {
  it('offers its tools, and its results are those of other calls', async () => {
    await using host = await openHost();
    const { url, requests: received } = await openServer();
    const turns = [
      callTool('mcp__there__echo', { text: 'Hello.' }, 'one'),
      callTool('mcp__there__add', { a: 1, b: 2 }, 'two'),
      callTool('mcp__there__remove', {}, 'three'),
      say('Done.'),
    ];
    const headers = { authorization: 'Bearer s3cret' };
    const { messages, requests } = await runHooked(host, turns, {
      mcpServers: { there: at(url, { headers }) },
      permissionMode: 'bypassPermissions',
    });
    expect(toResults(messages)).toEqual(['Hello.', '3', 'It is protected.']);
    expect(JSON.stringify(requests[0])).toContain(
      '<mcp-server name=\\"there\\">\\nCall echo to hear yourself.',
    );
    expect(received.every((one) => one.headers.get('authorization') === 'Bearer s3cret')).toBe(
      true,
    );
    expect(JSON.stringify([messages, requests])).not.toContain('s3cret');
  });

  it('taints, is asked about by its name, and is refused while the agent plans', async () => {
    await using host = await openHost();
    const { url } = await openServer();
    const servers = { there: at(url) };
    const echo = callTool('mcp__there__echo', { text: 'Hello.' });
    const asked: unknown[] = [];
    const { messages } = await runHooked(host, [echo, say('Done.')], {
      mcpServers: servers,
      canUseTool: async (toolName, _input, { mcpServer }) => {
        asked.push([toolName, mcpServer]);
        return { behavior: 'allow' };
      },
    });
    expect(asked).toEqual([['mcp__there__echo', { name: 'there', source: 'option' }]]);
    expect(toResults(messages)).toEqual(['Hello.']);
    const adding = callTool('mcp__there__add', { a: 1, b: 2 }, 'add');
    const planned = await runHooked(host, [adding, echo, say('Done.')], {
      mcpServers: servers,
      permissionMode: 'plan',
      canUseTool: async (toolName) => {
        asked.push(toolName);
        return { behavior: 'allow' };
      },
    });
    const [added, echoed] = toResults(planned.messages);
    // Of echo the server says that it only reads: a person may think so, too.
    expect([added, echoed]).toEqual([expect.stringContaining('plan'), 'Hello.']);
    expect(asked.slice(1)).toEqual(['mcp__there__echo']);
  });

  it('reads without a question only where the host vouches for its hints', async () => {
    await using host = await openHost();
    const { url } = await openServer();
    const echo = callTool('mcp__there__echo', { text: 'Hello.' });
    const asked: string[] = [];
    await runHooked(host, [echo, say('Done.')], {
      mcpServers: { there: at(url, { trustAnnotations: true }) },
      permissionMode: 'plan',
      canUseTool: async (toolName) => {
        asked.push(toolName);
        return { behavior: 'allow' };
      },
    });
    // Reading the network changes nothing here: in plan mode it is asked, not refused.
    expect(asked).toEqual(['mcp__there__echo']);
  });

  it('holds no turn that needs none of its tools, and says that it is not there yet', async () => {
    await using host = await openHost();
    const server = await openServer();
    server.intercept(() => true);
    const { requests, result } = await runHooked(host, [say('Done.')], {
      mcpServers: { there: at(server.url, { alwaysLoad: false }) },
    });
    expect(result.subtype).toBe('success');
    expect(JSON.stringify(requests[0])).toContain('It is being connected');
  });

  it('is told of once when it has come, and nothing that was sent changes', async () => {
    await using host = await openHost();
    const server = await openServer();
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    server.intercept((_request, response) => {
      void opened.then(() => response.writeHead(503).end());
      return true;
    });
    const scripted = createScriptedModel({
      script: { turns: [callTool('Glob', { pattern: '*.txt' }), say('One.'), say('Two.')] },
    });
    const sent: string[] = [];
    const model: Model = {
      ...scripted,
      stream(request, options) {
        const { system, messages } = request;
        sent.push(JSON.stringify([system, messages]).slice(0, -2));
        return scripted.stream(request, options);
      },
    };
    const conversation: { asked?: Query } = {};
    const prompts = (async function* () {
      yield { type: 'user', message: { role: 'user', content: 'Go.' } } as const;
      server.intercept(undefined);
      open();
      const { asked } = conversation;
      const statusOf = async () => (await asked?.mcpServerStatus())?.[0]?.status;
      // It has failed, or is there again already.
      await vi.waitFor(async () => expect(await statusOf()).not.toBe('pending'), patience);
      await asked?.reconnectMcpServer('there');
      yield { type: 'user', message: { role: 'user', content: 'On.' } } as const;
    })();
    const mcpServers = { there: at(server.url, { alwaysLoad: false }) };
    const asked = query({ prompt: prompts as never, options: { host, model, mcpServers } });
    conversation.asked = asked;
    for await (const _ of asked);
    expect(sent).toHaveLength(3);
    expect(sent[1]?.startsWith(sent[0] ?? '-')).toBe(true);
    expect(sent[2]?.startsWith(sent[1] ?? '-')).toBe(true);
    expect(sent[0]).toContain('It is being connected');
    expect(sent[2]?.split('Call echo to hear yourself.')).toHaveLength(2);
    expect(sent[2]).toContain('mcp__there__echo');
  });

  it('offers what it says that it offers now', async () => {
    const server = await openServer();
    const { statusOf } = await openQuery({ there: at(server.url) });
    const own = ['echo', 'add', 'slow', 'remove'].map((name) => ({ name }));
    expect(await statusOf('there')).toEqual({
      name: 'there',
      status: 'connected',
      serverInfo: { name: 'test-server', version: '1.2.3' },
      tools: own,
    });
    server.offer('later');
    await vi.waitFor(async () => {
      expect((await statusOf('there'))?.tools).toEqual([...own, { name: 'later' }]);
    }, patience);
  });

  it('is asked by the example of the docs', async () => {
    const { url } = await openServer();
    const model = createScriptedModel({ script: { turns: [say('Done.')] } });
    expect(await ask(model, url)).toEqual(['docs: connected']);
  });

  it('is switched off and on, and can be given and taken by the host', async () => {
    const [one, two] = [await openServer(), await openServer()];
    const { asked, statusOf } = await openQuery({ one: at(one.url) });
    await asked.toggleMcpServer('one', false);
    expect(await statusOf('one')).toEqual({ name: 'one', status: 'disabled' });
    await asked.toggleMcpServer('one', true);
    expect((await statusOf('one'))?.status).toBe('connected');
    expect(await asked.setMcpServers({ two: at(two.url) })).toEqual({
      added: ['two'],
      removed: [],
      errors: {},
    });
    expect((await statusOf('two'))?.status).toBe('connected');
    const received = two.requests.length;
    expect(await asked.setMcpServers({ two: at(two.url) })).toEqual({
      added: [],
      removed: [],
      errors: {},
    });
    expect(two.requests).toHaveLength(received);
    const gone = at(`${two.url}x`.replace(/:\d+/u, ':1'));
    expect(await asked.setMcpServers({ gone })).toMatchObject({
      added: ['gone'],
      removed: ['two'],
      errors: { gone: expect.stringContaining('could not be reached') },
    });
    expect((await asked.mcpServerStatus()).map(({ name }) => name)).toEqual(['one', 'gone']);
    await expect(asked.setMcpServers({ one: at(two.url) })).rejects.toThrow('another name');
    await expect(asked.reconnectMcpServer('three')).rejects.toThrow('There are: one, gone.');
  });

  it('wants a login where it says so', async () => {
    const server = await openServer();
    server.intercept((_request, response) => {
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      return true;
    });
    const { statusOf } = await openQuery({ there: at(server.url) });
    expect(await statusOf('there')).toMatchObject({
      status: 'needs-auth',
      error: expect.stringContaining('Authorization'),
    });
  });

  it.each([
    [{ type: 'stdio', command: 'x' }, 'there are no processes here'],
    [{ type: 'ws', url: 'https://x' }, 'an absolute one with wss: or ws:'],
    [{ type: 'ws', url: 'wss://x', headers: { a: 'b' } }, 'a WebSocket takes no headers'],
    [{ type: 'port', port: {} }, 'its port must be a MessagePort'],
    [
      { type: 'http', url: 'https://there', tools: [{ name: 'a', permission_policy: 'deny' }] },
      'with one of always_allow',
    ],
    [{ type: 'http', url: '/mcp' }, 'its url must be an absolute one'],
    [{ type: 'http', url: 'file:///mcp' }, 'its url must be an absolute one'],
    [{ type: 'http', url: 'https://user:word@there' }, 'give a header Authorization instead'],
    [{ type: 'http', url: 'https://there', headers: { a: 1 } }, 'headers must be texts'],
    [{ type: 'http', url: 'https://there', headers: { a: '“x”' } }, 'its header a has characters'],
    [{ type: 'http', url: 'https://there', timeout: 0 }, 'a number of milliseconds above 0'],
  ])('is refused at the door: %j', async (config, why) => {
    await using host = await openHost();
    const run = runHooked(host, [say('Done.')], { mcpServers: { there: config as never } });
    await expect(run).rejects.toMatchObject({
      code: 'bad-usage',
      message: expect.stringContaining(why),
    });
  });
});
