// Logins at MCP servers, by a real authorisation server on the loopback: who is let in, what is kept, and what isn't
// believed.
import { describe, expect, it, onTestFinished } from 'vitest';
import { query } from '../../../src/agent/query.ts';
import type { Query } from '../../../src/agent/query.ts';
import type { McpLoginOptions, McpLoginStore } from '../../../src/core/mcp/mcp-login.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createMemoryLoginStore } from '../../../src/mcp/client/login/login-records.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { startLoginServer, type LoginServer } from '../../support/mcp/login-server.ts';
import { callTool, runHooked, say, toResults } from '../../support/turns/run-hooked.ts';

const redirectUrl = 'https://app.example/logged-in';

async function openServer(): Promise<LoginServer> {
  const server = await startLoginServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

const openHost = (login: McpLoginOptions = { redirectUrl }, loginMs = 10_000) =>
  createInlineHost({ mcp: { login, bounds: { loginMs } } });

const toConfig = ({ mcp }: LoginServer) =>
  ({ type: 'http', url: mcp.url, alwaysLoad: true }) as const;

/** A query that isn't asked anything: its servers can be watched. */
async function openQuery(server: LoginServer, login?: McpLoginOptions): Promise<Query> {
  const host = await openHost(login);
  const model = createScriptedModel({ script: { turns: [say('Done.')] } });
  const options = { host, model, mcpServers: { there: toConfig(server) } };
  const asked = query({ prompt: 'Go.', options });
  onTestFinished(async () => {
    asked.close();
    await host[Symbol.asyncDispose]();
  });
  return asked;
}

const statusOf = async (asked: Query) => (await asked.mcpServerStatus())[0]?.status;

async function logIn(asked: Query, server: LoginServer): Promise<void> {
  const { url = '' } = await asked.loginMcpServer('there');
  await asked.completeMcpLogin(server.approve(url));
}

describe('a login at an MCP server', () => {
  it('lets a person in, and its tokens are told nobody else', async () => {
    const server = await openServer();
    const store = createMemoryLoginStore();
    const asked = await openQuery(server, { redirectUrl, store });
    expect(await statusOf(asked)).toBe('needs-auth');
    const { url = '' } = await asked.loginMcpServer('there');
    const params = Object.fromEntries(new URL(url).searchParams);
    expect(params).toMatchObject({
      redirect_uri: redirectUrl,
      code_challenge_method: 'S256',
      resource: server.mcp.url,
    });
    await asked.completeMcpLogin(server.approve(url));
    expect(await statusOf(asked)).toBe('connected');

    await using host = await openHost({ redirectUrl, store });
    const { messages, requests } = await runHooked(
      host,
      [callTool('mcp__there__echo', { text: 'Hello.' }), say('Done.')],
      { mcpServers: { there: toConfig(server) }, permissionMode: 'bypassPermissions' },
    );
    // A later session with the same store needs no login.
    expect(toResults(messages)).toEqual(['Hello.']);
    const told = JSON.stringify([messages, requests]);
    for (const secret of server.secrets) expect(told).not.toContain(secret);
    expect(server.paths.filter((path) => path === '/token')).toHaveLength(1);
  });

  it('is renewed without the person when its token expires, once for all who need it', async () => {
    const server = await openServer();
    const store = createMemoryLoginStore();
    const [one, other] = [
      await openQuery(server, { redirectUrl, store }),
      await openQuery(server, { redirectUrl, store }),
    ];
    await statusOf(one);
    await logIn(one, server);
    server.expire();
    await Promise.all([one.reconnectMcpServer('there'), other.reconnectMcpServer('there')]);
    expect([await statusOf(one), await statusOf(other)]).toEqual(['connected', 'connected']);
    // The first was for the code. A refresh token that was used twice would have been refused.
    expect(server.paths.filter((path) => path === '/token')).toHaveLength(2);
  });

  it('is asked for again when it was revoked', async () => {
    const server = await openServer();
    const asked = await openQuery(server);
    await statusOf(asked);
    await logIn(asked, server);
    server.revoke();
    await expect(asked.reconnectMcpServer('there')).rejects.toThrow('login');
    expect(await statusOf(asked)).toBe('needs-auth');
    await logIn(asked, server);
    expect(await statusOf(asked)).toBe('connected');
  });

  it('asks for further rights once more, and keeps those it has', async () => {
    const server = await openServer();
    const store = createMemoryLoginStore();
    const asked = await openQuery(server, { redirectUrl, store });
    await statusOf(asked);
    await logIn(asked, server);
    server.scope = 'files:write';
    await using host = await openHost({ redirectUrl, store });
    const echo = callTool('mcp__there__echo', { text: 'Hello.' });
    const wanted: string[] = [];
    const mcpServers = { there: toConfig(server) };
    const permissionMode = 'bypassPermissions' as const;
    const { messages } = await runHooked(host, [echo, say('Done.')], {
      mcpServers,
      permissionMode,
    });
    expect(toResults(messages)[0]).toContain('further rights for this (files:write)');
    const model = createScriptedModel({ script: { turns: [say('Done.')] } });
    const again = query({ prompt: 'Go.', options: { host, model, mcpServers } });
    const { url = '' } = await again.loginMcpServer('there');
    wanted.push(new URL(url).searchParams.get('scope') ?? '');
    await again.completeMcpLogin(server.approve(url));
    again.close();
    expect(wanted).toEqual(['files:write']);
    const after = await runHooked(host, [echo, say('Done.')], { mcpServers, permissionMode });
    expect(toResults(after.messages)).toEqual(['Hello.']);
  });

  it('names a client metadata document where the server reads them, else registers', async () => {
    const server = await openServer();
    const clientMetadataUrl = 'https://app.example/client.json';
    const asked = await openQuery(server, { redirectUrl, clientMetadataUrl });
    await statusOf(asked);
    await asked.loginMcpServer('there');
    expect(server.paths).toContain('/register');
    const reading = await openServer();
    reading.faults.readsMetadataDocuments = true;
    const other = await openQuery(reading, { redirectUrl, clientMetadataUrl });
    await statusOf(other);
    const { url = '' } = await other.loginMcpServer('there');
    expect(new URL(url).searchParams.get('client_id')).toBe(clientMetadataUrl);
    expect(reading.paths).not.toContain('/register');
  });

  it('is a machine’s by its secret, without a person', async () => {
    const server = await openServer();
    const clients = [{ issuer: server.issuer, clientId: 'robot', clientSecret: 's3cret' }];
    const asked = await openQuery(server, { clients });
    expect(await statusOf(asked)).toBe('connected');
    server.revoke();
    await asked.reconnectMcpServer('there');
    expect(await statusOf(asked)).toBe('connected');
    expect(JSON.stringify(await asked.mcpServerStatus())).not.toContain('s3cret');
  });

  it('is forgotten by a logout', async () => {
    const server = await openServer();
    const kept = new Map<string, string>();
    const asked = await openQuery(server, { redirectUrl, store: toStore(kept) });
    await statusOf(asked);
    await logIn(asked, server);
    await asked.logoutMcpServer('there');
    expect(await statusOf(asked)).toBe('needs-auth');
    expect([...kept.keys()].some((key) => key.startsWith('tokens'))).toBe(false);
    await expect(asked.reconnectMcpServer('there')).rejects.toThrow('login');
  });
});

describe('the answer to a login', () => {
  const hostile: readonly [what: string, change: (back: URL) => void, says: string][] = [
    ['a state nobody gave', (back) => back.searchParams.set('state', 'x'), 'No login waits'],
    ['no state', (back) => back.searchParams.delete('state'), 'No login waits'],
    ['a foreign issuer', (back) => back.searchParams.set('iss', 'https://evil.example'), 'failed'],
    ['no issuer', (back) => back.searchParams.delete('iss'), 'failed'],
    ['a code of its own', (back) => back.searchParams.set('code', 'x'), 'failed'],
    ['a refusal', (back) => back.searchParams.set('error', 'access_denied'), 'access_denied'],
    ['another page', (back) => void (back.pathname = '/elsewhere'), 'redirectUrl'],
  ];
  it.each(hostile)('that has %s lets nobody in', async (_what, change, says) => {
    const server = await openServer();
    const asked = await openQuery(server);
    await statusOf(asked);
    const { url = '' } = await asked.loginMcpServer('there');
    const answered = asked.completeMcpLogin(server.approve(url, change));
    await expect(answered).rejects.toThrow(says);
    expect(await statusOf(asked)).toBe('needs-auth');
  });

  it('is taken once, and not after another login has begun', async () => {
    const server = await openServer();
    const asked = await openQuery(server);
    await statusOf(asked);
    const { url: first = '' } = await asked.loginMcpServer('there');
    const { url: second = '' } = await asked.loginMcpServer('there');
    await expect(asked.completeMcpLogin(server.approve(first))).rejects.toThrow('No login waits');
    const back = server.approve(second);
    await asked.completeMcpLogin(back);
    await expect(asked.completeMcpLogin(back)).rejects.toThrow('No login waits');
    expect(await statusOf(asked)).toBe('connected');
  });

  it('is given up where nothing comes of it', async () => {
    const server = await openServer();
    const host = await openHost({ redirectUrl }, 300);
    const model = createScriptedModel({ script: { turns: [say('Done.')] } });
    const options = { host, model, mcpServers: { there: toConfig(server) } };
    const asked = query({ prompt: 'Go.', options });
    const { url = '' } = await asked.loginMcpServer('there');
    server.faults.isSilent = true;
    await expect(asked.completeMcpLogin(server.approve(url))).rejects.toThrow('took too long');
    asked.close();
    await host[Symbol.asyncDispose]();
  });
});

describe('a server whose login', () => {
  const faults: readonly [what: string, faults: LoginServer['faults'], says: string][] = [
    ['would run a script', { authorizationEndpoint: 'javascript:alert(1)' }, 'login'],
    ['has another issuer’s metadata', { issuer: 'https://evil.example' }, 'login'],
    ['leads to a page without https', { authorizationEndpoint: 'http://there.example/' }, 'http'],
  ];
  it.each(faults)('%s is opened for nobody', async (_what, given, says) => {
    const server = await openServer();
    Object.assign(server.faults, given);
    const asked = await openQuery(server);
    await statusOf(asked);
    await expect(asked.loginMcpServer('there')).rejects.toThrow(says);
  });
});

describe('bad options', () => {
  it.each([
    [{}, 'redirectUrl'],
    [{ redirectUrl: 'logged-in' }, 'redirectUrl'],
    [{ redirectUrl, clientMetadataUrl: 'http://app.example/client.json' }, 'clientMetadataUrl'],
  ])('are refused when the host is made: %j', async (login, says) => {
    await expect(createInlineHost({ mcp: { login } })).rejects.toThrow(says);
  });

  it('say that nobody logs in where the host has no logins', async () => {
    const server = await openServer();
    await using host = await createInlineHost();
    const model = createScriptedModel({ script: { turns: [say('Done.')] } });
    const options = { host, model, mcpServers: { there: toConfig(server) } };
    const asked = query({ prompt: 'Go.', options });
    await expect(asked.loginMcpServer('there')).rejects.toThrow('Nobody logs in');
    asked.close();
  });
});

function toStore(kept: Map<string, string>): McpLoginStore {
  return {
    read: async (key) => kept.get(key),
    async write(key, value) {
      if (value === undefined) kept.delete(key);
      else kept.set(key, value);
    },
  };
}
