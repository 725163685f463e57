// Resources and prompts of a server in process: read and chosen as those of servers elsewhere are.
import { expect, it } from 'vitest';
import { openSession } from '../../../src/agent/open-session.ts';
import { query } from '../../../src/agent/query.ts';
import { createSdkMcpServer } from '../../../src/mcp/create-sdk-mcp-server.ts';
import type { SdkMcpPrompt, SdkMcpResource } from '../../../src/mcp/sdk-server-extras.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import {
  callTool,
  openHost,
  readAll,
  runHooked,
  say,
  toResults,
} from '../../support/turns/run-hooked.ts';

const resources: readonly SdkMcpResource[] = [
  {
    uri: 'note://today',
    name: 'today',
    description: 'What is on.',
    read: async () => ({ contents: [{ uri: 'note://today', text: 'Plant trees.' }] }),
  },
  {
    uri: 'file://archive',
    name: 'archive',
    read: async () => ({
      contents: [{ uri: 'file://archive', mimeType: 'application/zip', blob: btoa('PK') }],
    }),
  },
  {
    uri: 'note://lost',
    name: 'lost',
    read: () => Promise.reject(new Error('It is lost.')),
  },
];

const prompts: readonly SdkMcpPrompt[] = [
  {
    name: 'praise',
    description: 'Praises a tree.',
    arguments: [{ name: 'tree', required: true }],
    get: async ({ tree = '' }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `Praise the ${tree}.` } }],
    }),
    complete: async (_argument, value) =>
      ['ash', 'beech', 'birch'].filter((one) => one.startsWith(value)),
  },
];

const mcpServers = { books: createSdkMcpServer({ name: 'books', resources, prompts }) };

it('the model lists and reads its resources, and bytes become files', async () => {
  await using host = await openHost();
  const read = (uri: string, id: string) =>
    callTool('ReadMcpResourceTool', { server: 'books', uri }, id);
  const turns = [
    callTool('ListMcpResourcesTool', {}, 'one'),
    read('note://today', 'two'),
    read('file://archive', 'three'),
    read('note://lost', 'four'),
    read('note://none', 'five'),
  ];
  const { messages } = await runHooked(host, turns, {
    mcpServers,
    permissionMode: 'bypassPermissions',
  });
  const results = toResults(messages);
  expect(JSON.parse(results[0] ?? '')).toEqual([
    { uri: 'note://today', name: 'today', description: 'What is on.', server: 'books' },
    { uri: 'file://archive', name: 'archive', server: 'books' },
    { uri: 'note://lost', name: 'lost', server: 'books' },
  ]);
  expect(results[1]).toBe('note://today:\nPlant trees.');
  const path = /its bytes are in (\S+)\./u.exec(results[2] ?? '')?.[1] ?? '';
  expect(await host.workspace.fs.readFile(path, 'utf8')).toBe('PK');
  expect(results[3]).toContain('It is lost.');
  expect(results[4]).toContain('The server books has no resource note://none.');
});

it('its resources are read by the host, and nobody else hears of it', async () => {
  await using host = await openHost();
  const model = createScriptedModel({ script: { turns: [say('Fine.')] } });
  const options = { host, model, mcpServers };
  const asked = query({ prompt: 'Go.', options });
  const contents = [{ uri: 'note://today', text: 'Plant trees.' }];
  expect(await asked.readMcpResource('books', 'note://today')).toMatchObject({ contents });
  const session = await openSession(options);
  expect(await session.readMcpResource('books', 'note://today')).toMatchObject({ contents });
  await expect(session.readMcpResource('books', 'note://none')).rejects.toThrow('no resource');
  await expect(session.readMcpResource('films', 'x')).rejects.toMatchObject({ code: 'bad-usage' });
  await session.close();
  const sent = JSON.stringify(await readAll(asked));
  expect(sent).not.toContain('Plant trees.');
});

it('its prompts are commands, completed by the server', async () => {
  await using host = await openHost();
  const model = createScriptedModel({ script: { turns: [say('Fine.')] } });
  const sent: string[] = [];
  const asked = query({
    prompt: '/mcp__books__praise birch',
    options: {
      host,
      model: {
        ...model,
        stream(request, options) {
          sent.push(JSON.stringify(request.messages));
          return model.stream(request, options);
        },
      },
      mcpServers,
    },
  });
  expect((await asked.supportedCommands()).map(({ name }) => name)).toContain('mcp__books__praise');
  expect(await asked.completeCommand('mcp__books__praise', 'b')).toEqual(['beech', 'birch']);
  for await (const _ of asked);
  expect(sent[0]).toContain('Praise the birch.');
});

it.each([
  ['two resources of one address', { resources: [resources[0], resources[0]] }],
  ['a prompt without a function', { prompts: [{ name: 'praise' }] }],
])('refuses %s', (_what, given) => {
  expect(() => createSdkMcpServer({ name: 'books', ...(given as object) })).toThrow('books');
});
