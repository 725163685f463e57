// What MCP servers ask a person in the midst of a call, over real HTTP.
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { ToolDef } from '../../../src/core/tool/build-tool.ts';
import type { ElicitationRequest } from '../../../src/core/mcp/mcp-exchange.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { addLibrary } from '../../support/mcp/mcp-library.ts';
import { startMcpServer } from '../../support/mcp/mcp-server.ts';
import { callTool, openHost, runHooked, toResults } from '../../support/turns/run-hooked.ts';

/** One call of a tool that asks: what the server was answered, and what the person was told. */
async function callAsking(
  options: Partial<QueryOptions>,
  call = callTool('mcp__books__order', {}),
  config: { readonly timeout?: number } = {},
) {
  await using host = await openHost();
  const server = await startMcpServer(0, (one) => addLibrary(one, () => ''));
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { messages } = await runHooked(host, [call], {
    mcpServers: { books: { type: 'http', url: server.url, alwaysLoad: true, ...config } },
    permissionMode: 'bypassPermissions',
    ...options,
  });
  const notices = messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'informational' ? message.content : [],
  );
  const result = toResults(messages)[0] ?? '';
  return { answer: result.startsWith('{') ? (JSON.parse(result) as unknown) : result, notices };
}

const answerWith = (content: Record<string, string | number>) => async () =>
  ({ action: 'accept', content }) as const;

describe('a server that asks for a form', () => {
  it('is answered by the host, as the form wants it', async () => {
    const asked: ElicitationRequest[] = [];
    const { answer } = await callAsking({
      onElicitation: async (request) => {
        asked.push(request);
        return { action: 'accept', content: { kind: 'birch', count: 2 } };
      },
    });
    expect(answer).toEqual({ action: 'accept', content: { kind: 'birch', count: 2 } });
    expect(asked).toMatchObject([
      {
        serverName: 'books',
        message: 'Which tree?',
        mode: 'form',
        requestedSchema: { type: 'object', required: ['kind'] },
      },
    ]);
  });

  it.each([
    ['declined where nobody is there', {}, 'decline', []],
    [
      'cancelled by an answer that isn’t in the form',
      { onElicitation: answerWith({ kind: 'oak' }) },
      'cancel',
      ['kind must be one of those that are offered.'],
    ],
    [
      'cancelled by an answer that lacks something',
      { onElicitation: answerWith({ count: 1 }) },
      'cancel',
      ['kind is needed.'],
    ],
    [
      'cancelled where the host fails',
      { onElicitation: () => Promise.reject(new Error('It broke.')) },
      'cancel',
      ['It broke.'],
    ],
  ])('is %s', async (_, options, action, why) => {
    const { answer, notices } = await callAsking(options);
    expect(answer).toEqual({ action });
    expect(notices.filter((text) => text.includes('books'))).toHaveLength(why.length);
    for (const part of why) expect(notices.join(' ')).toContain(part);
  });

  it('is answered by hooks first, and they see the answer last', async () => {
    const heard: unknown[] = [];
    const { answer } = await callAsking({
      onElicitation: () => Promise.reject(new Error('It was asked.')),
      hooks: {
        Elicitation: [
          {
            matcher: 'books',
            hooks: [
              async ({ message, requested_schema }) => {
                heard.push([message, requested_schema?.['required']]);
                const action = 'accept';
                const content = { kind: 'ash' };
                return { hookSpecificOutput: { hookEventName: 'Elicitation', action, content } };
              },
            ],
          },
        ],
        ElicitationResult: [
          {
            hooks: [
              async ({ action, content }) => {
                heard.push([action, content]);
                const changed = { action: 'accept', content: { kind: 'beech' } } as const;
                return { hookSpecificOutput: { hookEventName: 'ElicitationResult', ...changed } };
              },
            ],
          },
        ],
      },
    });
    expect(answer).toEqual({ action: 'accept', content: { kind: 'beech' } });
    expect(heard).toEqual([
      ['Which tree?', ['kind']],
      ['accept', { kind: 'ash' }],
    ]);
  });

  it('waits for a person longer than its call may take', async () => {
    const onElicitation = async () => {
      await new Promise((resolve) => setTimeout(resolve, 2_300));
      return { action: 'decline' } as const;
    };
    const { answer } = await callAsking({ onElicitation }, undefined, { timeout: 2_000 });
    expect(answer).toEqual({ action: 'decline' });
  });
});

it.each([
  ['https://books.example/pay', { action: 'accept' }, 1],
  ['http://books.example/pay', { action: 'decline' }, 0],
  ['javascript:alert(1)', { action: 'decline' }, 0],
  ['https://user:word@books.example/', { action: 'decline' }, 0],
])('a server that wants %s opened is answered %j', async (url, answer, times) => {
  const asked: unknown[] = [];
  const done = await callAsking(
    {
      onElicitation: async (request) => {
        asked.push(request.url);
        return { action: 'accept' };
      },
    },
    callTool('mcp__books__visit', { url }),
  );
  expect(done.answer).toEqual(answer);
  expect(asked).toEqual(times === 1 ? [url] : []);
  expect(done.notices.some((text) => text.includes('none with https:'))).toBe(times === 0);
});

it('a tool of the host’s own asks in the same way, and knows the servers', async () => {
  await using host = await openHost();
  const seen: unknown[] = [];
  const asking = buildTool({
    name: 'Ask',
    inputSchema: z.strictObject({}),
    description: () => Promise.resolve('Asks.'),
    prompt: () => Promise.resolve(''),
    async call(_input, context) {
      seen.push(context.options.mcpClients);
      const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
      const request = { serverName: 'page', message: 'Who are you?', requestedSchema };
      return { data: JSON.stringify(await context.handleElicitation(request)) };
    },
    mapToolResultToToolResultBlockParam: (content, toolUseID) => ({
      type: 'tool_result',
      tool_use_id: toolUseID,
      content,
    }),
  } satisfies ToolDef<z.ZodObject, string>);
  const { messages } = await runHooked(host, [callTool('Ask', {})], {
    tools: [asking as unknown as Tool],
    permissionMode: 'bypassPermissions',
    onElicitation: answerWith({ name: 'Ada' }),
  });
  expect(toResults(messages)[0]).toContain('Ada');
  expect(seen).toEqual([[]]);
});
