// What Anthropic's own client puts on the wire when tools are deferred, and how it goes on from there.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { query } from '../../../src/agent/query.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import type { Host } from '../../../src/agent/host.ts';
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createAnthropicModel } from '../../../src/model/anthropic.ts';
import type { ToolParam } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { coreNames } from '../../support/stages/catalogue.ts';
import { startMessagesServer } from '../../support/models/messages-server.ts';
import type { MessagesServer } from '../../support/models/messages-server.ts';
import { assistantMessage, toSse } from '../../support/models/model-streams.ts';
import { plainTool } from '../../support/stages/test-tools.ts';

let server: MessagesServer;
beforeAll(async () => {
  server = await startMessagesServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host[Symbol.asyncDispose]();
});

interface Body {
  readonly tools: readonly (ToolParam & { readonly cache_control?: object })[];
  readonly messages: readonly unknown[];
}

const callOf = (id: string, name: string, input: object): ContentBlock[] => [
  { type: 'tool_use', id, name, input },
];

/** The bodies of the requests of one query whose model says this, message by message. */
async function ask(
  replies: readonly ContentBlock[][],
  toolReferences: boolean,
  more: readonly Tool[] = [],
  options: Partial<QueryOptions> = {},
): Promise<readonly Body[]> {
  const before = server.requests.length;
  const end: ContentBlock[] = [{ type: 'text', text: 'Done.' }];
  for (const content of [...replies, end]) {
    const isCall = content.some(({ type }) => type === 'tool_use');
    const message = { ...assistantMessage(content), stop_reason: isCall ? 'tool_use' : 'end_turn' };
    server.answer({ type: 'stream', text: toSse([...toEvents(message, 16)]) });
  }
  const host = await createInlineHost();
  hosts.push(host);
  const model = createAnthropicModel({
    model: 'claude-test',
    apiKey: 'sk-test',
    baseURL: server.url,
    toolReferences,
  });
  const tools = [...(await host.loadTools()), ...more];
  for await (const message of query({
    prompt: 'Go.',
    options: { ...options, host, model, tools },
  })) {
    if (message.type === 'result') expect(message).toMatchObject({ subtype: 'success' });
  }
  return server.requests.slice(before).map(({ body }) => body as Body);
}

const remote = (name: string): Tool =>
  plainTool({ name, isMcp: true, description: () => Promise.resolve(`Is ${name}.`) });

const find = callOf('find', 'ToolSearch', { query: 'notebook jupyter' });

/** The request's bytes up to the cache breakpoint. */
function prefix({ tools }: Body): string {
  const end = tools.findIndex((tool) => tool.cache_control);
  expect(tools[end]?.name).toBe(coreNames.at(-1));
  return JSON.stringify(tools.slice(0, end + 1));
}

describe('a request, as Anthropic’s client sends it', () => {
  it('has found tools with defer_loading, and finds as tool_reference', async () => {
    const bodies = await ask([find], true);
    expect(bodies).toHaveLength(2);
    const [first, second] = bodies.map(({ tools }) => tools);
    expect(first?.map(({ name }) => name)).toEqual(coreNames);
    expect(second?.slice(0, coreNames.length)).toEqual(first);
    expect(second?.slice(coreNames.length)).toEqual([
      {
        name: 'NotebookEdit',
        description: expect.stringMatching(/^Replaces, inserts .*\n\nNotebookEdit changes/s),
        input_schema: expect.objectContaining({ type: 'object' }),
        defer_loading: true,
      },
    ]);
    const cached = first?.filter((tool) => tool.cache_control).map(({ name }) => name);
    expect(cached).toEqual([coreNames.at(-1)]);
    expect(bodies[1]?.messages.slice(5)).toEqual([
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'find',
            content: [{ type: 'tool_reference', tool_name: 'NotebookEdit' }],
          },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'text',
            text: expect.stringContaining('NotebookEdit'),
            // The end of this request.
            cache_control: { type: 'ephemeral' },
          },
        ],
      },
    ]);
  });

  it('has neither where the model takes none, but the definition and its text', async () => {
    const bodies = await ask([find], false);
    expect(bodies.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      coreNames,
      [...coreNames, 'NotebookEdit'],
    ]);
    expect(JSON.stringify(bodies)).not.toMatch(/defer_loading|tool_reference/);
    expect(JSON.stringify(bodies[1]?.messages)).toContain('<functions>');
  });

  it.each([true, false])(
    'begins with the same bytes whatever remote tool is there (references: %j)',
    async (toolReferences) => {
      const select = callOf('find', 'ToolSearch', { query: 'select:mcp__a__x,NotebookEdit' });
      const bodies = [
        ...(await ask([], toolReferences)),
        ...(await ask([], toolReferences, [remote('mcp__a__x')])),
        ...(await ask([select], toolReferences, [remote('mcp__z__y'), remote('mcp__a__x')])),
      ];
      expect(bodies).toHaveLength(4);
      expect(new Set(bodies.map(prefix)).size).toBe(1);
    },
  );

  it('carries no remote tool that a rule denies, nor its name', async () => {
    const options = { disallowedTools: ['mcp__a'] };
    const bodies = await ask([find], true, [remote('mcp__a__x')], options);
    expect(JSON.stringify(bodies)).not.toContain('mcp__a__x');
  });
});
