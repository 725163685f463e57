// WebSearch by the host's own search, and by the server's tool: Anthropic's client against a server on the loopback.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runTools } from '../../src/agent/run-tools.ts';
import type { ContentBlock } from '../../src/core/messages/blocks.ts';
import type { WebSearchQuery } from '../../src/core/host-ports/web-search.ts';
import { createInlineHost } from '../../src/hosts/inline/create-inline-host.ts';
import { createAnthropicModel } from '../../src/model/anthropic.ts';
import { toEvents } from '../../src/model/to-events.ts';
import { webSearchInputSchema } from '../../src/tools/web-search/schema.ts';
import { webSearchTool } from '../../src/tools/web-search/tool.ts';
import { startMessagesServer, type MessagesServer } from '../support/models/messages-server.ts';
import { assistantMessage, toSse } from '../support/models/model-streams.ts';
import { createPerson } from '../support/turns/run-cells.ts';
import { callTools } from '../support/turns/web-server.ts';

let server: MessagesServer;
beforeAll(async () => {
  server = await startMessagesServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const query = 'tide tables';
const allowedTools = ['WebSearch'];
const page = { title: 'Tables', url: 'https://tides.example/july' };

describe("WebSearch's definition", () => {
  it('takes a query, and lists that are not empty', () => {
    const parse = (input: unknown) => webSearchInputSchema().safeParse(input).success;
    const inputs = [{ query }, { query: ' x ' }, { query, allowed_domains: [] }, {}];
    expect(inputs.map(parse)).toEqual([true, false, false, false]);
  });

  it.each([
    [{ allowed_domains: ['a.net'], blocked_domains: ['b.net'] }, 'exclude each other: give one'],
    [
      { allowed_domains: ['a.net', 'https://b.net'] },
      '"https://b.net" is no domain: write example.com',
    ],
    [{ blocked_domains: ['*.b.net'] }, '"*.b.net" is no domain'],
  ])('refuses %j at the door', async (lists, message) => {
    expect(await webSearchTool.validateInput({ query, ...lists })).toMatchObject({
      result: false,
      message: expect.stringContaining(message),
    });
  });
});

describe("WebSearch by the host's own search", () => {
  it('gives what it found, without what the domains leave out and what is no link', async () => {
    const asked: WebSearchQuery[] = [];
    const webSearch = (given: WebSearchQuery) => {
      asked.push(given);
      const found = [
        { ...page, snippet: ' High\n water ', rank: 1 },
        { title: '', url: 'https://sub.tides.example/x' },
        { title: 'Another', url: 'https://other.example/' },
        { title: 'Like it', url: 'https://eviltides.example/' },
        { title: 'Script', url: 'javascript:alert(1)' },
        null,
      ];
      return Promise.resolve(found as never);
    };
    const input = { query, allowed_domains: ['tides.example'] };
    const { outputs, texts } = await callTools('WebSearch', [input], { webSearch, allowedTools });
    expect(asked).toEqual([{ query, allowedDomains: ['tides.example'] }]);
    const content = [
      { ...page, snippet: 'High water' },
      { title: 'https://sub.tides.example/x', url: 'https://sub.tides.example/x' },
    ];
    expect(outputs).toEqual([
      { query, results: [{ tool_use_id: 'call-0', content }], durationSeconds: 0, searchCount: 1 },
    ]);
    expect(texts).toEqual([
      'The web, searched for "tide tables":\n\n- Tables\n  https://tides.example/july\n  High water\n- https://sub.tides.example/x\n  https://sub.tides.example/x',
    ]);
  });

  it('leaves out what is blocked', async () => {
    const webSearch = () => Promise.resolve([page]);
    const input = { query, blocked_domains: ['tides.example/july'] };
    const { texts } = await callTools('WebSearch', [input], { webSearch, allowedTools });
    expect(texts[0]).toContain('No pages were found. Try other words.');
  });

  it('knows a domain that is not ASCII as addresses spell it', async () => {
    const german = { title: 'Gezeiten', url: 'https://www.müller.example/' };
    const webSearch = () => Promise.resolve([german, page]);
    const inputs = [
      { query, blocked_domains: ['Müller.example'] },
      { query, allowed_domains: ['müller.example'] },
    ];
    const { texts } = await callTools('WebSearch', inputs, { webSearch, allowedTools });
    expect(texts.map((text) => text.includes('Gezeiten'))).toEqual([false, true]);
  });

  it.each<[string, () => Promise<never>, string]>([
    ['fails', () => Promise.reject(new Error('no key')), 'The search of this host failed: no key'],
    ['gives no list', () => Promise.resolve({} as never), 'gave no list of results'],
  ])('says so where that %s', async (_what, webSearch, told) => {
    const { texts } = await callTools('WebSearch', [{ query }], { webSearch, allowedTools });
    expect(texts[0]).toContain(told);
  });

  it('asks a person, and taints the session for the egress policy', async () => {
    const person = createPerson();
    const running = callTools('WebSearch', [{ query }, { query }], {
      ...{ webSearch: () => Promise.resolve([page]), egress: 'deny' as const },
      canUseTool: person.canUseTool,
    });
    const question = await person.next();
    expect(question.options).toMatchObject({ title: 'Search the web?', description: query });
    question.answer({ behavior: 'allow' });
    expect((await running).texts).toEqual([
      expect.stringContaining('Tables'),
      expect.stringContaining('text from outside came into this conversation by WebSearch'),
    ]);
  });
});

describe("WebSearch by the model's server", () => {
  const callOf = (input: object): ContentBlock[] => [
    { type: 'tool_use', id: 'call-0', name: 'WebSearch', input },
  ];
  const searched: ContentBlock[] = [
    { type: 'server_tool_use', id: 'srv-1', name: 'web_search', input: { query } },
    {
      type: 'web_search_tool_result',
      tool_use_id: 'srv-1',
      content: [{ type: 'web_search_result', ...page, encrypted_content: 'abc', page_age: null }],
    },
  ];
  const answer = (content: readonly ContentBlock[], stop: string, searches = 0) => {
    const usage = {
      ...{ input_tokens: 10, output_tokens: 5 },
      ...(searches > 0 && { server_tool_use: { web_search_requests: searches } }),
    };
    const message = assistantMessage(content, { stop_reason: stop, usage });
    server.answer({ type: 'stream', text: toSse([...toEvents(message)]) });
  };
  const openModel = (options: object = {}) =>
    createAnthropicModel({
      ...{ model: 'claude-haiku-4-5', apiKey: 'sk-test', baseURL: server.url, maxRetries: 0 },
      ...options,
    });

  it('asks in a request of its own, and counts its searches and their price', async () => {
    const before = server.requests.length;
    answer(callOf({ query, blocked_domains: ['b.net'] }), 'tool_use');
    answer(searched, 'pause_turn', 1);
    answer(
      [
        { type: 'text', text: 'At ' },
        { type: 'text', text: 'tides.example.' },
      ],
      'end_turn',
    );
    answer([{ type: 'text', text: 'Done.' }], 'end_turn');
    const input = { query, blocked_domains: ['b.net'] };
    const called = await callTools('WebSearch', [input], {
      ...{ allowedTools, model: openModel({ webSearch: true }) },
    });
    expect(called.outputs).toEqual([
      {
        query,
        results: [{ tool_use_id: 'srv-1', content: [page] }, 'At tides.example.'],
        durationSeconds: 0,
        searchCount: 1,
      },
    ]);
    const bodies = server.requests.slice(before).map(({ body }) => body as never);
    const tool = {
      ...{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 },
      blocked_domains: ['b.net'],
    };
    const asked = { role: 'user', content: 'Search the web for: tide tables' };
    expect(bodies.slice(1, 3)).toEqual([
      expect.objectContaining({ tools: [tool], messages: [asked] }),
      expect.objectContaining({
        tools: [tool],
        messages: [asked, { role: 'assistant', content: searched }],
      }),
    ]);
    expect(called.result?.modelUsage).toMatchObject({ 'claude-test': { webSearchRequests: 1 } });
    // 4 requests of 10 and 5 tokens at 1 and 5 dollars a million, and a search at a cent.
    expect(called.result?.total_cost_usd).toBeCloseTo(0.01 + (4 * (10 + 25)) / 1e6, 9);
  });

  it('is asked for the calls of a reply that came whole, too', async () => {
    answer([...searched, { type: 'text', text: 'Found.' }], 'end_turn', 1);
    const host = await createInlineHost();
    onTestFinished(() => host[Symbol.asyncDispose]());
    const call = { type: 'tool_use', id: 'call-0', name: 'WebSearch', input: { query } } as const;
    const model = openModel({ webSearch: true });
    const [result] = await runTools([call], { host, model, allowedTools });
    expect(result?.content).toContain('- Tables\n  https://tides.example/july\n\nFound.');
  });

  it('fails where the server did not search', async () => {
    answer(callOf({ query }), 'tool_use');
    const failed = { type: 'web_search_tool_result_error', error_code: 'too_many_requests' };
    answer([{ type: 'web_search_tool_result', tool_use_id: 'srv-1', content: failed }], 'end_turn');
    answer([{ type: 'text', text: 'Done.' }], 'end_turn');
    const model = openModel({ webSearch: true });
    const { texts } = await callTools('WebSearch', [{ query }], { allowedTools, model });
    expect(texts).toEqual([
      expect.stringContaining('did not search the web. A search failed: too many requests.'),
    ]);
  });

  it('is refused, with what to do, where that has no such tool', async () => {
    const before = server.requests.length;
    answer(callOf({ query }), 'tool_use');
    answer([{ type: 'text', text: 'Done.' }], 'end_turn');
    const { texts } = await callTools('WebSearch', [{ query }], {
      allowedTools,
      model: openModel(),
    });
    expect(texts).toEqual([expect.stringContaining('Nothing here can search the web')]);
    expect(server.requests).toHaveLength(before + 2);
  });
});
