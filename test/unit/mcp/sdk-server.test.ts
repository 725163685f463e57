// A host's own tools as an in-process server: offered, found, asked about and called like any remote
// tool, through whole queries.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { query } from '../../../src/agent/query.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { ToolError } from '../../../src/core/errors.ts';
import type { McpServerConfig } from '../../../src/core/mcp/mcp-server.ts';
import { createScriptedAnswers } from '../../../src/hosts/inline/scripted-answers.ts';
import type { CallToolResult } from '../../../src/mcp/call-tool-result.ts';
import { createSdkMcpServer } from '../../../src/mcp/create-sdk-mcp-server.ts';
import { tool } from '../../../src/mcp/tool.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { onePixel } from '../../support/files/make-png.ts';
import { callTool, openHost, runHooked, say, toResults } from '../../support/turns/run-hooked.ts';

const forecast = tool(
  'forecast',
  'Says what the weather will be.',
  { city: z.string().describe('Where.') },
  async ({ city }) => ({ content: [{ type: 'text', text: `Sun over ${city.toUpperCase()}.` }] }),
  {
    annotations: { readOnlyHint: true, openWorldHint: false, title: 'Forecast' },
    alwaysLoad: true,
  },
);

const weather = (...tools: Parameters<typeof createSdkMcpServer>[0]['tools'] & object) =>
  createSdkMcpServer({ name: 'weather', version: '2.0.0', tools });

/** A tool that answers so, whatever it is asked. */
const answering = (result: unknown) =>
  tool('answer', 'Answers.', {}, async () => result as CallToolResult, { alwaysLoad: true });

async function run(
  server: McpServerConfig,
  turns: Parameters<typeof runHooked>[1],
  options: Omit<QueryOptions, 'host' | 'model'> = {},
) {
  await using host = await openHost();
  return await runHooked(host, turns, { ...options, mcpServers: { weather: server } });
}

const ask = callTool('mcp__weather__forecast', { city: 'Bern' });

describe('a server of tool() and createSdkMcpServer()', () => {
  it('is offered under its key, and its tools are called', async () => {
    const { messages } = await run(weather(forecast), [ask]);
    expect(messages[0]).toMatchObject({
      mcp_servers: [{ name: 'weather', status: 'connected' }],
      tools: expect.arrayContaining(['Read', 'mcp__weather__forecast']),
    });
    expect(toResults(messages)).toEqual(['Sun over BERN.']);
  });

  it('tells of itself', async () => {
    await using host = await openHost();
    const model = createScriptedModel({ script: { turns: [say('Done.')] } });
    const mcpServers = { sky: weather(forecast) };
    await using running = query({ prompt: 'Go.', options: { host, model, mcpServers } });
    const status = {
      name: 'sky',
      status: 'connected',
      serverInfo: { name: 'weather', version: '2.0.0' },
      tools: [{ name: 'forecast' }],
    };
    expect(await running.mcpServerStatus()).toEqual([status]);
    for await (const _ of running);
    expect(await running.mcpServerStatus()).toEqual([status]);
  });

  it('has its tools deferred, and found by ToolSearch, unless they say otherwise', async () => {
    const { alwaysLoad: _, ...deferred } = forecast;
    const { messages, requests } = await run(
      weather(deferred),
      [
        callTool('ToolSearch', { query: 'weather' }),
        { ...ask, blocks: ask.blocks.map((block) => ({ ...block, id: 'call-1' })) },
      ],
      { toolSearch: true },
    );
    expect(JSON.stringify(requests[0])).toContain('mcp__weather__forecast');
    expect(toResults(messages).at(-1)).toBe('Sun over BERN.');
  });

  it('is asked about by its name for people and its server, and as one that reaches out', async () => {
    const { canUseTool, asked } = createScriptedAnswers(['deny']);
    const sent = tool('send', 'Sends it.', {}, async () => ({ content: [] }), {
      annotations: { destructiveHint: true },
      alwaysLoad: true,
    });
    await run(weather(sent), [callTool('mcp__weather__send', {})], { canUseTool });
    expect(asked.map(({ options }) => options)).toMatchObject([
      {
        displayName: 'weather - send',
        description: 'Sends it.',
        mcpServer: { name: 'weather', source: 'sdk' },
        defaultToNo: true,
      },
    ]);
  });

  it('is denied as a whole by its name', async () => {
    const { messages } = await run(weather(forecast), [ask], {
      disallowedTools: ['mcp__weather'],
    });
    expect(messages[0]).toMatchObject({
      tools: expect.not.arrayContaining(['mcp__weather__forecast']),
    });
    expect(toResults(messages)[0]).toMatch(/^There is no tool named mcp__weather__forecast\./);
  });

  it('tells hooks whose tool it is', async () => {
    const seen: unknown[] = [];
    await run(weather(forecast), [ask], {
      hooks: { PreToolUse: [{ hooks: [async (input) => (seen.push(input), {})] }] },
    });
    expect(seen).toMatchObject([{ mcp_server: { name: 'weather', source: 'sdk' } }]);
  });

  it.each<[string, unknown, string]>([
    [
      'text and an image',
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'image', data: onePixel, mimeType: 'image/png' },
        ],
      },
      'a',
    ],
    [
      'an image that the API does not take',
      { content: [{ type: 'image', data: '', mimeType: 'image/tiff' }] },
      'An image (image/tiff): its bytes are in a file.',
    ],
    [
      'a sound',
      { content: [{ type: 'audio', data: '', mimeType: 'audio/wav' }] },
      'A sound (audio/wav): its bytes are in a file.',
    ],
    [
      'a link',
      { content: [{ type: 'resource_link', uri: 'x://1', name: 'One' }] },
      '(A resource: One, x://1)',
    ],
    [
      'a resource',
      { content: [{ type: 'resource', resource: { uri: 'x://1', text: 'inside' } }] },
      '(The resource x://1:)\ninside',
    ],
    [
      'bytes',
      {
        content: [{ type: 'resource', resource: { uri: 'x://1', blob: 'AA==', mimeType: 'a/b' } }],
      },
      'x://1 (a/b): its bytes are in a file.',
    ],
    [
      'bytes that are none',
      {
        content: [
          { type: 'text', text: 'Done.' },
          { type: 'audio', data: '-', mimeType: 'a/b' },
        ],
      },
      expect.stringMatching(/^Done\.\nA sound \(a\/b\): its bytes could not be kept: .+/u),
    ],
    ['an unknown kind', { content: [{ type: 'smell' }] }, '(Content of type smell, not shown.)'],
    ['data alone', { content: [], structuredContent: { degrees: 21 } }, '{"degrees":21}'],
    ['data of another kind', { content: [], structuredContent: [21, 19] }, '[21,19]'],
    ['a number', { content: [], structuredContent: 0 }, '0'],
    [
      'an error',
      { content: [{ type: 'text', text: 'No such city.' }], isError: true },
      'No such city.',
    ],
    [
      'nothing',
      undefined,
      "mcp__weather__answer gave no result: its handler must return { content: [{ type: 'text', text: '…' }] }. This is a fault of the tool; try another way.",
    ],
  ])('may answer with %s', async (_, result, text) => {
    const { messages } = await run(
      weather(answering(result)),
      [callTool('mcp__weather__answer', {})],
      {
        allowedTools: ['mcp__weather'],
      },
    );
    const path = /\/session\/\S+\/mcp-resources\/[\w-]+\.(?:bin|wav)/u;
    expect(toResults(messages).map((one) => one.replace(path, 'a file'))).toEqual([text]);
  });

  const image = { type: 'image', data: 'AA==', mimeType: 'image/png' };
  const resource = (fields: object) => ({ content: [{ type: 'resource', resource: fields }] });
  it.each<[string, unknown, string]>([
    ['no list', { content: 'text' }, ''],
    ['a hole', { content: [undefined] }, 'content[0] has no type'],
    ['a text alone', { content: ['text'] }, 'content[0] has no type'],
    [
      'no text',
      { content: [{ type: 'text' }] },
      'content[0] is of type text, and its text is no text',
    ],
    [
      'a number for text',
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 1 },
        ],
      },
      'content[1] is of type text, and its text is no text',
    ],
    [
      'an image without bytes',
      { content: [{ ...image, data: undefined }] },
      'content[0] is of type image, and its data is no text',
    ],
    [
      'an image without a type',
      { content: [{ ...image, mimeType: undefined }] },
      'content[0] is of type image, and its mimeType is no text',
    ],
    [
      'empty bytes',
      { content: [{ ...image, data: '' }] },
      'content[0] is an image whose data is no base64',
    ],
    [
      'bytes that are none',
      { content: [{ ...image, data: 'data:image/png;base64,AA==' }] },
      'content[0] is an image whose data is no base64',
    ],
    [
      'a link to nowhere',
      { content: [{ type: 'resource_link', name: 'One' }] },
      'content[0] is of type resource_link, and its uri is no text',
    ],
    ['no resource', resource(null as never), 'content[0] is a resource without a uri'],
    [
      'an empty resource',
      resource({ uri: 'x://1' }),
      'content[0] is a resource with neither text nor blob',
    ],
    [
      'a number in it',
      resource({ uri: 'x://1', text: 1, blob: 'AA==' }),
      'content[0] is a resource with neither text nor blob',
    ],
    ['an unclear failure', { content: [], isError: 'yes' }, 'isError is neither true nor false'],
    ['a remark that is none', { content: [], _meta: 'x' }, '_meta is no object'],
  ])('that answers with %s fails its call, and says what is wrong', async (_, result, wrong) => {
    const { messages, result: end } = await run(
      weather(answering(result)),
      [callTool('mcp__weather__answer', {})],
      { allowedTools: ['mcp__weather'] },
    );
    const told =
      wrong === ''
        ? "mcp__weather__answer gave no result: its handler must return { content: [{ type: 'text', text: '…' }] }."
        : `mcp__weather__answer gave a result that can't be read: ${wrong}.`;
    expect(toResults(messages)).toEqual([`${told} This is a fault of the tool; try another way.`]);
    expect(end.subtype).toBe('success');
  });

  it('fails its call where its handler throws, and the conversation goes on', async () => {
    const broken = tool(
      'forecast',
      'Fails.',
      {},
      async () => {
        throw new ToolError('The station is closed.');
      },
      { alwaysLoad: true },
    );
    const { messages, result } = await run(
      weather(broken),
      [callTool('mcp__weather__forecast', {})],
      {
        allowedTools: ['mcp__weather'],
      },
    );
    expect(toResults(messages)).toEqual(['The station is closed.']);
    expect(result.subtype).toBe('success');
  });
});

describe('a server that can not hold', () => {
  it.each<[string, () => unknown, string]>([
    [
      'tools whose names come to the same',
      () => weather({ ...forecast, name: 'a.b' }, { ...forecast, name: 'a_b' }),
      'Two tools of the server weather come to mcp__weather__a_b. Rename one.',
    ],
    [
      'a tool without a name',
      () => tool('', '', {}, async () => ({ content: [] })),
      'A tool needs a name.',
    ],
    [
      'a tool without a text',
      () => tool('t', 5 as never, {}, async () => ({ content: [] })),
      'The tool t needs a description.',
    ],
    [
      'a tool without a shape',
      () => tool('t', '', 5 as never, async () => ({ content: [] })),
      'The tool t needs a shape of its input.',
    ],
    ['a tool without work', () => tool('t', '', {}, 5 as never), 'The tool t needs a handler.'],
    [
      'what is no tool',
      () => createSdkMcpServer({ name: 'weather', tools: [5 as never] }),
      'tools of the server weather is a list of what tool() gives.',
    ],
    ['nothing at all', () => createSdkMcpServer({} as never), 'A server needs a name.'],
    [
      'no name of its own',
      () => createSdkMcpServer({ name: '', tools: [forecast] }),
      'A server needs a name.',
    ],
    ...[0, -1, Number.NaN, '5' as never, null as never].map(
      (timeout): [string, () => unknown, string] => [
        `a timeout of ${timeout}`,
        () => createSdkMcpServer({ name: 'weather', timeout }),
        `The timeout of the server weather must be a number of milliseconds above 0, not ${timeout}.`,
      ],
    ),
  ])('for %s is refused where it is made', (_, make, message) => {
    expect(make).toThrow(expect.objectContaining({ code: 'bad-usage', message }));
  });

  it.each([
    ['weather', 'x'.repeat(115)],
    ['x'.repeat(120), 'forecast'],
  ])('is refused by the first message for a name that is too long: %s, %s', async (name, tool) => {
    await using host = await openHost();
    const options = { mcpServers: { [name]: weather({ ...forecast, name: tool }) } };
    await expect(runHooked(host, [], options)).rejects.toThrow(
      `mcp__${name}__${tool} is longer than the 128 characters that the API takes. Shorten the server's name or the tool's.`,
    );
  });

  it('by its own name alone is none: its tools are called after the name that it is given', async () => {
    const server = createSdkMcpServer({ name: 'x'.repeat(200), tools: [forecast] });
    expect(toResults((await run(server, [ask])).messages)).toEqual(['Sun over BERN.']);
  });

  const whatCan =
    'use a server by http, sse or ws, one behind a MessagePort (port), or offer its tools by createSdkMcpServer of rockpool/mcp';

  it.each<[string, unknown, string]>([
    ['a process', { command: 'npx' }, `there are no processes here: ${whatCan}`],
    [
      'a kind that there is not',
      { type: 'pigeon' },
      `servers by pigeon can't be reached: ${whatCan}`,
    ],
    [
      "another SDK's instance",
      { type: 'sdk', name: 'x', instance: {} },
      "its instance isn't one of rockpool/mcp: make it by createSdkMcpServer",
    ],
    ['nothing', null, "its configuration is an object, such as { type: 'http', url }"],
  ])('by %s is refused by the first message', async (_, config, why) => {
    await expect(run(config as McpServerConfig, [])).rejects.toThrow(
      `The MCP server weather can't be used: ${why}.`,
    );
  });
});
