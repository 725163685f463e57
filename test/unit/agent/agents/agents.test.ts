// Sub-agents through whole queries over a real inline host: what each model is asked, what the reader is told,
// and what the journal has.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { query } from '../../../../src/agent/query.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import { isToolResultBlock, toResultText } from '../../../../src/core/messages/blocks.ts';
import type { UserBlock } from '../../../../src/core/messages/blocks.ts';
import type { MessageParam } from '../../../../src/core/messages/messages.ts';
import { buildTool } from '../../../../src/core/tool/build-tool.ts';
import type { Tool } from '../../../../src/core/tool/tool.ts';
import type { SDKMessage } from '../../../../src/core/messages/sdk-message.ts';
import type { ScriptTurn } from '../../../../src/model/script.ts';
import { createAgentsModel } from '../../../support/models/agents-model.ts';
import type { AgentsModel } from '../../../support/models/agents-model.ts';
import { callTool, openHost, readAll, say } from '../../../support/turns/run-hooked.ts';
import { listResults } from '../../../support/turns/agents-at-once.ts';

const task = (prompt: string, more: Record<string, unknown> = {}, id = 'call-a') =>
  callTool('Agent', { description: 'Look around', prompt, ...more }, id);
const waited = { run_in_background: false };

async function run(
  scripts: Readonly<Record<string, readonly ScriptTurn[]>>,
  options: Omit<QueryOptions, 'host' | 'model'> = {},
): Promise<{ readonly messages: SDKMessage[]; readonly model: AgentsModel }> {
  await using host = await openHost();
  const model = createAgentsModel(scripts);
  const messages = await readAll(
    query({ prompt: 'Go.', options: { toolSearch: false, ...options, host, model } }),
  );
  return { messages, model };
}

function lastResult(messages: readonly SDKMessage[]) {
  const last = messages.at(-1);
  if (last?.type !== 'result') throw new Error('The last message is no result.');
  return last;
}

describe('an agent that its caller waits for', () => {
  it('works in a conversation of its own, and its last words are the result of the call', async () => {
    const { messages, model } = await run({
      main: [task('Read a.txt.', waited), say('All done.')],
      'Read a.txt.': [
        callTool('Read', { file_path: '/workspace/a.txt' }, 'call-b'),
        say('It says one.'),
      ],
    });
    expect(model.requests.map(({ who }) => who)).toEqual([
      'main',
      'Read a.txt.',
      'Read a.txt.',
      'main',
    ]);
    const [told = ''] = listResults(messages);
    expect(told).toContain('It says one.');
    expect(lastResult(messages)).toMatchObject({ subtype: 'success', result: 'All done.' });
    // Its calls are told below the call that began it.
    const read = messages.find(
      (message) => message.type === 'user' && message.agent_id !== undefined,
    );
    expect(read).toMatchObject({ parent_tool_use_id: 'call-a', subagent_type: 'general-purpose' });
  });
});

describe('an agent in the background', () => {
  it('reports to the turn that has begun it, which is not over before', async () => {
    const { messages, model } = await run({
      main: [task('Think.'), say('It runs.'), say('It thought so.')],
      'Think.': [say('I thought.')],
    });
    const told = JSON.stringify(model.requests.at(-1)?.request.messages);
    expect(told).toContain('I thought.');
    expect(told.split('<task-notification>')).toHaveLength(2);
    expect(lastResult(messages)).toMatchObject({ result: 'It thought so.' });
  });
});

describe('a fork', () => {
  it('begins with the request of its caller, byte for byte, and one message', async () => {
    const { model } = await run({
      main: [
        callTool('Read', { file_path: '/workspace/a.txt' }, 'call-r'),
        task('Go on.', { subagent_type: 'fork', ...waited }),
        say('Done.'),
      ],
      'Go on.': [say('I went on.')],
    });
    const [, calling, forked] = model.requests.map(({ request }) => request);
    expect(model.requests.map(({ who }) => who)).toEqual(['main', 'main', 'Go on.', 'main']);
    const bytes = (request: typeof calling) => [
      JSON.stringify(request?.system),
      JSON.stringify(request?.tools),
    ];
    expect(bytes(forked)).toEqual(bytes(calling));
    const sent = calling?.messages ?? [];
    expect(forked?.messages.slice(0, sent.length)).toEqual(sent);
    expect(forked?.messages).toHaveLength(sent.length + 1);
  });

  it('has the variables of its caller, and leaves it its own', async () => {
    const repl = (code: string, id: string) => callTool('Repl', { code }, id);
    const { model } = await run({
      main: [
        repl('let count = 41', 'call-r'),
        task('Count on.', { subagent_type: 'fork', ...waited }),
        repl('count', 'call-s'),
        say('Done.'),
      ],
      'Count on.': [repl('count += 1', 'call-c'), say('Counted.')],
    });
    const results = model.requests.flatMap(({ request }) => listTexts(request.messages.at(-1)));
    expect(results.filter((text) => text.startsWith('=>'))).toEqual(['=> 42', '=> 41']);
  });
});

describe('an agent', () => {
  it('has the tools of its kind, and none that its caller has not', async () => {
    const { model } = await run(
      {
        main: [task('Look.', { subagent_type: 'Explore', ...waited }), say('Done.')],
        'Look.': [say('Seen.')],
      },
      { disallowedTools: ['Grep'] },
    );
    const tools = model.requests[1]?.request.tools?.map(({ name }) => name);
    expect(tools).toEqual(['Glob', 'Read', 'WebFetch', 'WebSearch']);
  });

  it('is refused in a sentence where it can not be begun', async () => {
    const { messages } = await run({
      main: [
        {
          blocks: [
            toUse('call-1', { prompt: 'x', subagent_type: 'Nobody' }),
            toUse('call-2', { prompt: 'One.', name: 'one', ...waited }),
            toUse('call-3', { prompt: 'x', name: 'one' }),
            toUse('call-4', { prompt: ' ' }),
          ],
        },
        callTool('SendMessage', { to: 'two', message: 'Hello.' }, 'call-5'),
        say('Done.'),
      ],
      'One.': [say('One.')],
    });
    expect(listResults(messages)).toEqual([
      'There is no agent type "Nobody". Use one of general-purpose, Explore, Plan, fork.',
      expect.stringContaining('One.'),
      'An agent can\'t be named "one": another one is.',
      'prompt is empty: say what the agent is to do. (error 1)',
      'There is no agent "two". There are one.',
    ]);
  });

  it.each([
    ['no prompt', { helper: { description: 'Helps.' } }, 'which has no prompt.'],
    ['a name that can not be one', { 'a b': { description: 'x', prompt: 'y' } }, "can't be one"],
    ['the name of a fork', { fork: { description: 'x', prompt: 'y' } }, 'always there'],
  ])('is refused with the query where its definition has %s', async (_, agents, sentence) => {
    await using host = await openHost();
    const model = createAgentsModel({ main: [] });
    expect(() =>
      query({ prompt: 'Go.', options: { host, model, agents: agents as never } }),
    ).toThrow(sentence);
  });

  it('that begins itself over and over comes to an end', async () => {
    const again = (at: number) => task('Again.', waited, `call-${at}`);
    const { messages, model } = await run({
      main: [again(0), say('Done.')],
      'Again.': [again(1), say('Enough.')],
    });
    // 3 deep, and the last one isn't offered the tool.
    expect(model.requests.filter(({ who }) => who === 'Again.')).toHaveLength(6);
    expect(
      model.requests.map(({ request }) => request.tools?.some(({ name }) => name === 'Agent')),
    ).toContain(false);
    expect(lastResult(messages)).toMatchObject({ subtype: 'success' });
  });

  it('has the model of the name that it is to use, else its caller’s, and a person is told', async () => {
    const haiku = { ...createAgentsModel({ main: [say('By haiku.')] }), name: 'haiku-model' };
    const { messages } = await run(
      {
        main: [
          task('One.', { model: 'haiku', ...waited }, 'call-1'),
          task('Two.', { model: 'opus', ...waited }, 'call-2'),
          task('Three.', { subagent_type: 'odd', ...waited }, 'call-3'),
          task('Two.', { model: 'opus', ...waited }, 'call-4'),
          say('Done.'),
        ],
        'Two.': [say('Two.')],
        'Three.': [say('Three.')],
      },
      {
        models: { haiku },
        agents: { odd: { description: 'Odd.', prompt: 'Be odd.', model: 'constructor' } },
      },
    );
    const used = messages.flatMap(({ type, ...message }) => {
      const { tool_use_result: output } = message as { tool_use_result?: unknown };
      return type === 'user' && output !== undefined ? [output] : [];
    });
    expect(used).toMatchObject([
      { resolvedModel: 'haiku-model', modelsUsed: ['scripted'] },
      ...['Two.', 'Three.', 'Two.'].map(() => ({ resolvedModel: 'scripted' })),
    ]);
    const notices = messages.filter(
      (one) => one.type === 'system' && one.subtype === 'informational',
    );
    expect(JSON.stringify(notices)).toMatch(/"opus\\"[^]*"constructor\\"/u);
    expect(notices).toHaveLength(2);
  });

  it.each([
    ['a name', { haiku: 'claude-haiku-5' }, /^models has "haiku", which is no model\. /u],
    ['a list', ['haiku'], /^models is no object\. |^models has "0", which is no model\. /u],
  ])('is given no model that is %s', async (_, models, reason) => {
    await using host = await openHost();
    const model = createAgentsModel({ main: [say('Done.')] });
    expect(() =>
      query({ prompt: 'Go.', options: { host, model, models: models as never } }),
    ).toThrow(reason);
  });

  it.each([
    ['tools', 'Read', "whose tools isn't a list of names of tools."],
    ['disallowedTools', [1], "whose disallowedTools isn't a list of names of tools."],
    ['model', {}, "whose model isn't a text."],
    ['maxTurns', 0, "whose maxTurns isn't a whole number above 0."],
    ['background', 'no', "whose background isn't true or false."],
    ['permissionMode', 'yolo', "whose permissionMode isn't one of default, "],
    ['prompt', '', 'which has no prompt.'],
    [
      'disalowedTools',
      ['Write'],
      'which has "disalowedTools", a field without a meaning. Did you mean disallowedTools',
    ],
    ['isFork', true, 'which has "isFork", a field without a meaning. There are description, '],
  ])('is of no kind whose %s is %j', async (field, value, reason) => {
    const odd = { description: 'Odd.', prompt: 'Be odd.', [field]: value };
    await expect(run({ main: [say('Done.')] }, { agents: { odd } })).rejects.toThrow(reason);
  });

  it('may have what the Claude Agent SDK’s has and nothing reads here, and fields that are undefined', async () => {
    const kind = { description: 'Kind.', prompt: 'Be kind.', observer: 'x', tool: undefined };
    const { messages } = await run({ main: [say('Done.')] }, { agents: { kind } });
    expect(lastResult(messages)).toMatchObject({ subtype: 'success' });
  });

  it('is given no model without a price where there is a budget', async () => {
    const models = { haiku: { ...createAgentsModel({ main: [say('Cheap?')] }), name: 'nameless' } };
    const prices = { scripted: { input: 3, output: 15 } };
    await expect(
      run({ main: [say('Done.')] }, { models, prices, maxBudgetUsd: 1 }),
    ).rejects.toThrow("The price of nameless isn't known");
  });

  it('counts for the budget of the session, and in what it has used', async () => {
    const { messages } = await run(
      {
        main: [task('Think.', waited), say('Done.')],
        'Think.': [say('Thought.')],
      },
      { prices: { scripted: { input: 1e6, output: 1e6 } } },
    );
    const { total_cost_usd, modelUsage } = lastResult(messages);
    const [used] = Object.values(modelUsage);
    // Of three requests.
    expect(used?.outputTokens).toBeGreaterThan(0);
    expect(total_cost_usd).toBeCloseTo((used?.inputTokens ?? 0) + (used?.outputTokens ?? 0));
  });
});

describe('what an agent has done', () => {
  it('is counted by kinds of calls, and lines of files, in its output', async () => {
    await using host = await openHost();
    const path = '/workspace/a.txt';
    const model = createAgentsModel({
      main: [task('Do all.', waited), say('Done.')],
      'Do all.': [
        callTool('Read', { file_path: path }, 'call-1'),
        callTool('Read', { file_path: '/workspace/none.txt' }, 'call-2'),
        callTool('Grep', { pattern: 'one' }, 'call-3'),
        callTool(
          'Edit',
          { file_path: path, old_string: 'one', new_string: 'two\nthree' },
          'call-4',
        ),
        callTool('Write', { file_path: '/workspace/b.txt', content: 'b\n' }, 'call-5'),
        callTool('Repl', { code: "fs.writeFileSync('c.txt', 'c')" }, 'call-6'),
        callTool('TodoWrite', { todos: [] }, 'call-7'),
        say('All done.'),
      ],
    });
    const options = { host, model, toolSearch: false, permissionMode: 'acceptEdits' } as const;
    const messages = await readAll(query({ prompt: 'Go.', options }));
    const output = messages.flatMap((message) =>
      message.type === 'user' && message.agent_id === undefined
        ? [message.tool_use_result as { readonly toolStats?: unknown } | undefined]
        : [],
    );
    expect(output[0]?.toolStats).toEqual({
      ...{ readCount: 2, searchCount: 1, bashCount: 1, editFileCount: 2 },
      ...{ linesAdded: 4, linesRemoved: 1, otherToolCount: 1 },
    });
  });
});

describe('what came from outside', () => {
  it('taints who reads the report of the agent that has read it', async () => {
    const fetched = buildTool({
      name: 'Fetch',
      inputSchema: z.strictObject({}),
      description: () => Promise.resolve('Fetches.'),
      prompt: () => Promise.resolve(''),
      isReadOnly: () => true,
      isOpenWorld: () => true,
      call: () => Promise.resolve({ data: 'from outside' }),
      mapToolResultToToolResultBlockParam: (content: string, tool_use_id: string) => ({
        type: 'tool_result' as const,
        tool_use_id,
        content,
      }),
    }) as unknown as Tool;
    await using host = await openHost();
    const model = createAgentsModel({
      main: [task('Fetch it.', waited), callTool('Fetch', {}, 'call-f'), say('Done.')],
      'Fetch it.': [callTool('Fetch', {}, 'call-g'), say('Fetched.')],
    });
    const messages = await readAll(
      query({
        prompt: 'Go.',
        options: {
          host,
          model,
          toolSearch: false,
          egress: 'deny',
          allowedTools: ['Fetch'],
          tools: ['Agent', fetched],
        },
      }),
    );
    expect(listResults(messages)[1]).toMatch(/outside|tainted|untrusted/u);
  });
});

function listTexts(message: MessageParam | undefined): string[] {
  const { content = '' } = message ?? {};
  if (typeof content === 'string') return [content];
  return (content as readonly UserBlock[]).filter(isToolResultBlock).map(toResultText);
}

function toUse(id: string, input: Record<string, unknown>) {
  return { type: 'tool_use', id, name: 'Agent', input: { description: 'x', ...input } } as const;
}
