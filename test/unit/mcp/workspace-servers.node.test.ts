// The workspace's own `.mcp.json`: who named its servers isn't the host, so a person is asked about the file.
import { expect, it, onTestFinished } from 'vitest';
import type { WorkspaceTrustQuestion } from '../../../src/agent/query-options.ts';
import { startMcpServer } from '../../support/mcp/mcp-server.ts';
import { callTool, openHost, runHooked, say, toResults } from '../../support/turns/run-hooked.ts';
import type { HookedOptions } from '../../support/turns/run-hooked.ts';

async function run(file: unknown, options: HookedOptions) {
  await using host = await openHost();
  const text = typeof file === 'string' ? file : JSON.stringify({ mcpServers: file });
  await host.workspace.fs.writeFile(`${host.cwd}/.mcp.json`, text);
  const turns = [callTool('mcp__there__echo', { text: 'Hello.' }), say('Done.')];
  const ran = await runHooked(host, turns, { settingSources: ['project'], ...options });
  const notices = ran.messages.flatMap((message) =>
    message.type === 'system' && 'content' in message && typeof message.content === 'string'
      ? [message.content]
      : [],
  );
  return { ...ran, notices };
}

async function openServer() {
  const server = await startMcpServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

it('connects its servers once a person trusts it, and their tools say where they come from', async () => {
  const { url } = await openServer();
  const questions: WorkspaceTrustQuestion[] = [];
  const sources: unknown[] = [];
  const { messages } = await run(
    { there: { type: 'http', url, alwaysLoad: true, trustAnnotations: true } },
    {
      trustWorkspace: (question) => Boolean(questions.push(question)),
      canUseTool: async (_toolName, _input, { mcpServer }) => {
        sources.push(mcpServer);
        return { behavior: 'allow' };
      },
    },
  );
  expect(questions).toMatchObject([
    { definitions: [{ allow: [], servers: ['there'] }], paths: ['/workspace/.mcp.json'] },
  ]);
  expect(toResults(messages)).toEqual(['Hello.']);
  expect(sources).toEqual([{ name: 'there', source: 'project' }]);
});

it('names the tools that it would let run without a question, before it is trusted', async () => {
  const { url } = await openServer();
  const questions: WorkspaceTrustQuestion[] = [];
  const tools = [
    { name: 'echo', permission_policy: 'always_allow' },
    { name: 'fail', permission_policy: 'always_ask' },
  ];
  await run(
    { there: { type: 'http', url, alwaysLoad: true, tools } },
    { trustWorkspace: (question) => Boolean(questions.push(question)) },
  );
  expect(questions).toMatchObject([
    { definitions: [{ allow: ['mcp__there__echo'], servers: ['there'] }] },
  ]);
});

it.each([
  ['nobody trusts it', { trustWorkspace: () => false }],
  ['nobody can be asked', {}],
])('connects none where %s, and says so', async (_, options) => {
  const server = await openServer();
  const { notices, messages } = await run(
    { there: { type: 'http', url: server.url, alwaysLoad: true } },
    options,
  );
  expect(server.requests).toEqual([]);
  expect(toResults(messages)[0]).toContain('mcp__there__echo');
  expect(notices.join('\n')).toContain('not connected, as nobody has said');
});

it('loses the servers that can’t be used here, each with the reason, and keeps the host’s own', async () => {
  const [own, other] = [await openServer(), await openServer()];
  const { notices, messages } = await run(
    {
      there: { type: 'http', url: other.url },
      local: { command: 'npx', args: ['server'] },
      secret: { type: 'http', url: 'https://a.example', headers: { a: 'Bearer ${TOKEN}' } },
      untyped: { url: 'https://c.example' },
      there__evil: { type: 'http', url: 'https://b.example' },
    },
    {
      mcpServers: { there: { type: 'http', url: own.url, alwaysLoad: true } },
      permissionMode: 'bypassPermissions',
      trustWorkspace: () => true,
    },
  );
  expect(toResults(messages)).toEqual(['Hello.']);
  expect(other.requests).toEqual([]);
  const told = notices.join('\n');
  expect(told).toContain("The MCP server local can't be used: there are no processes here");
  expect(told).toContain("untyped can't be used: it has a url and no type that reaches one");
  expect(told).toContain("The MCP server secret can't be used: it has a variable");
  expect(told).toContain("there and there__evil can't be used together");
});

it('loses the servers that settings switch off', async () => {
  const { url, requests } = await openServer();
  await using host = await openHost();
  const write = (name: string, text: object) =>
    host.workspace.fs.writeFile(`${host.cwd}/${name}`, JSON.stringify(text));
  await host.workspace.fs.mkdir(`${host.cwd}/.claude`);
  await write('.claude/settings.local.json', { disabledMcpjsonServers: ['prod'] });
  await write('.mcp.json', { mcpServers: { prod: { type: 'http', url, alwaysLoad: true } } });
  const { messages } = await runHooked(host, [], {
    settingSources: ['project', 'local'],
    trustWorkspace: () => true,
  });
  expect(requests).toEqual([]);
  expect(messages[0]).toMatchObject({ subtype: 'init', mcp_servers: [] });
});

it('may begin with a byte order mark, and call HTTP by its whole name', async () => {
  const { url } = await openServer();
  const servers = { mcpServers: { there: { type: 'streamable-http', url, alwaysLoad: true } } };
  const { messages } = await run(`\uFEFF${JSON.stringify(servers)}`, {
    permissionMode: 'bypassPermissions',
    trustWorkspace: () => true,
  });
  expect(toResults(messages)).toEqual(['Hello.']);
});

it('may have fields of other programs, which are passed over and told of', async () => {
  const { url } = await openServer();
  const { messages, notices } = await run(
    {
      there: { type: 'http', url, alwaysLoad: true, autoApprove: ['echo'], trustAnnotations: true },
    },
    { permissionMode: 'bypassPermissions', trustWorkspace: () => true },
  );
  expect(toResults(messages)).toEqual(['Hello.']);
  expect(notices.join('\n')).toContain(
    "Of /workspace/.mcp.json: the MCP server there is used without autoApprove, which it can't have.",
  );
});

it('is left out where it can’t be read, and the query goes on', async () => {
  const { notices, result } = await run('{', { trustWorkspace: () => true });
  expect(result.subtype).toBe('success');
  expect(notices.join('\n')).toContain('The MCP servers in /workspace/.mcp.json are left out');
});

it.each([
  ['in its .mcp.json', '.mcp.json', (servers: object) => ({ mcpServers: servers })],
  ['as the file’s only content', '.mcp.json', (servers: object) => servers],
  [
    'in its manifest',
    '.claude-plugin/plugin.json',
    (servers: object) => ({ name: 'notes', mcpServers: servers }),
  ],
])('connects a plugin’s servers under its name, named %s', async (_, path, toFile) => {
  await using host = await openHost();
  const { url } = await openServer();
  const { fs } = host.workspace;
  await fs.mkdir('/plugins/notes/.claude-plugin', { recursive: true });
  const servers = { there: { type: 'http', url, alwaysLoad: true } };
  await fs.writeFile(`/plugins/notes/${path}`, JSON.stringify(toFile(servers)));
  const turns = [callTool('mcp__plugin_notes_there__echo', { text: 'Hello.' }), say('Done.')];
  const { messages } = await runHooked(host, turns, {
    plugins: [{ type: 'local', path: '/plugins/notes' }],
    trustWorkspace: () => true,
    canUseTool: async () => ({ behavior: 'allow' }),
  });
  expect(messages[0]).toMatchObject({ mcp_servers: [{ name: 'plugin:notes:there' }] });
  expect(toResults(messages)).toEqual(['Hello.']);
});
