// What a definition brings along for its agents: hooks that hold for them alone, and servers of their own.
import { expect, it } from 'vitest';
import * as z from 'zod';
import type { HooksOption } from '../../../../src/agent/hooks/hooks.ts';
import { query } from '../../../../src/agent/query.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import { createSdkMcpServer } from '../../../../src/mcp/create-sdk-mcp-server.ts';
import { tool } from '../../../../src/mcp/tool.ts';
import type { ScriptTurn } from '../../../../src/model/script.ts';
import { createAgentsModel } from '../../../support/models/agents-model.ts';
import { callTool, openHost, readAll, say, toResults } from '../../../support/turns/run-hooked.ts';

const task = (prompt: string, subagent_type: string, id = 'call-a') =>
  callTool('Agent', { description: 'Do it', prompt, subagent_type, run_in_background: false }, id);
const read = (id: string) => callTool('Read', { file_path: '/workspace/a.txt' }, id);

async function run(
  scripts: Readonly<Record<string, readonly ScriptTurn[]>>,
  options: Partial<QueryOptions>,
) {
  await using host = await openHost();
  const model = createAgentsModel(scripts);
  const allow = () => Promise.resolve({ behavior: 'allow' } as const);
  const running = query({
    prompt: 'Go.',
    options: { toolSearch: false, canUseTool: allow, ...options, host, model },
  });
  return { messages: await readAll(running), requests: model.requests };
}

const careful = { description: 'Reads.', prompt: 'You read.' };

it('has hooks that hold for it alone, after those of the query, and for its forks', async () => {
  const heard: string[] = [];
  const hear = (who: string) => (input: { hook_event_name: string; agent_type?: string }) => {
    heard.push(`${who} ${input.hook_event_name} ${input.agent_type ?? 'main'}`);
    return Promise.resolve({});
  };
  const hooks: HooksOption = { PreToolUse: [{ matcher: 'Read', hooks: [hear('all') as never] }] };
  const own: HooksOption = {
    PreToolUse: [{ matcher: 'Read', hooks: [hear('own') as never] }],
    SubagentStop: [{ hooks: [hear('own') as never] }],
  };
  await run(
    {
      main: [read('call-0'), task('Look.', 'careful'), say('Done.')],
      'Look.': [
        read('call-1'),
        task('Look beside.', 'general-purpose', 'call-b'),
        task('Look again.', 'fork', 'call-c'),
        say('Seen.'),
      ],
      'Look beside.': [read('call-2'), say('Seen beside.')],
      'Look again.': [read('call-3'), say('Seen again.')],
    },
    { hooks, agents: { careful: { ...careful, hooks: own } } },
  );
  expect(heard).toEqual([
    'all PreToolUse main',
    'all PreToolUse careful',
    'own PreToolUse careful',
    'all PreToolUse general-purpose',
    'all PreToolUse fork',
    'own PreToolUse fork',
    'own SubagentStop fork',
    'own SubagentStop careful',
  ]);
});

it('is told with its task what hooks say to its start, and no hook hears of a prompt', async () => {
  const heard: string[] = [];
  const tell = (text: string) => () => {
    const hookEventName = 'SubagentStart' as const;
    return Promise.resolve({ hookSpecificOutput: { hookEventName, additionalContext: text } });
  };
  const hear = (input: { prompt: string }) => {
    heard.push(input.prompt);
    return Promise.resolve({});
  };
  const hooks: HooksOption = {
    SubagentStart: [{ hooks: [tell('Mind the style.')] }],
    UserPromptSubmit: [{ hooks: [hear] }],
  };
  const { requests } = await run(
    { main: [task('Look.', 'careful'), say('Done.')], 'Look.': [say('Seen.')] },
    {
      hooks,
      agents: {
        careful: { ...careful, hooks: { SubagentStart: [{ hooks: [tell('Be short.')] }] } },
      },
    },
  );
  const told = requests.map(({ who, request }) => [
    who,
    ['Mind the style.', 'Be short.'].map((text) => JSON.stringify(request).includes(text)),
  ]);
  expect(told).toEqual([
    ['main', [false, false]],
    ['Look.', [true, true]],
    ['main', [false, false]],
  ]);
  expect(heard).toEqual(['Go.']);
});

it('is held back by its own hooks where the query has none', async () => {
  const deny = () =>
    Promise.resolve({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'Not you.',
      },
    } as const);
  const { messages } = await run(
    { main: [task('Look.', 'careful'), say('Done.')], 'Look.': [read('call-1'), say('No.')] },
    { agents: { careful: { ...careful, hooks: { PreToolUse: [{ hooks: [deny] }] } } } },
  );
  expect(toResults(messages)[0]).toContain('Not you.');
});

const forecast = (text: string) =>
  tool('forecast', 'Tells the weather.', { city: z.string() }, async ({ city }) => ({
    content: [{ type: 'text', text: `${text} over ${city}.` }],
  }));
const server = (name: string, text: string) =>
  createSdkMcpServer({ name, instructions: `Ask ${name}.`, tools: [forecast(text)] });
const ask = (name: string, id: string) => callTool(`mcp__${name}__forecast`, { city: 'Bern' }, id);

it('has the servers that it names beside its tools, and its own, which nobody else has', async () => {
  const { messages, requests } = await run(
    {
      main: [task('Look up.', 'scout'), ask('own', 'call-1'), say('Done.')],
      'Look up.': [ask('sky', 'call-2'), ask('own', 'call-3'), say('Sun.')],
    },
    {
      mcpServers: { sky: server('sky', 'Sun'), sea: server('sea', 'Waves') },
      agents: {
        scout: { ...careful, tools: ['Read'], mcpServers: ['sky', { own: server('own', 'Rain') }] },
      },
    },
  );
  expect(toResults(messages).slice(0, 2)).toEqual(['Sun over Bern.', 'Rain over Bern.']);
  expect(toResults(messages).at(-1)).toMatch(/^There is no tool named mcp__own__forecast\./u);
  const toolsOf = (who: string) =>
    requests.find((one) => one.who === who)?.request.tools?.map(({ name }) => name);
  expect(toolsOf('Look up.')).toEqual(['Read', 'mcp__own__forecast', 'mcp__sky__forecast']);
  expect(toolsOf('main')).not.toContain('mcp__own__forecast');
  const messagesOf = (who: string) =>
    JSON.stringify(requests.find((one) => one.who === who)?.request.messages);
  expect(messagesOf('Look up.')).toContain('Ask own.');
  expect(messagesOf('main')).not.toContain('Ask own.');
});

it('keeps its own servers when an agent that it has begun ends', async () => {
  const { messages } = await run(
    {
      main: [task('Look up.', 'scout'), say('Done.')],
      'Look up.': [task('Look below.', 'scout-below', 'call-b'), ask('own', 'call-1'), say('Sun.')],
      'Look below.': [say('Nothing.')],
    },
    {
      agents: {
        scout: { ...careful, tools: ['Agent'], mcpServers: [{ own: server('own', 'Rain') }] },
        'scout-below': { ...careful, tools: [] },
      },
    },
  );
  expect(toResults(messages)).toContain('Rain over Bern.');
});

it.each([
  ['a server', { disallowedTools: ['mcp__sky'] }, { has: ['Read', 'Repl'], lacks: 'mcp__' }],
  ['tools by a wildcard', { disallowedTools: ['mcp__*'] }, { has: ['Repl'], lacks: 'mcp__' }],
  [
    'the shell',
    { disallowedTools: ['Bash'] },
    { has: ['Read', 'mcp__sky__forecast'], lacks: 'Repl' },
  ],
  [
    'what it may use',
    { tools: ['mcp__sky', 'Bash'] },
    { has: ['Repl', 'mcp__sky__forecast'], lacks: 'Read' },
  ],
])('has tools by names as rules have them: %s', async (_, names, { has, lacks }) => {
  const { requests } = await run(
    { main: [task('Look.', 'careful'), say('Done.')], 'Look.': [say('Seen.')] },
    { mcpServers: { sky: server('sky', 'Sun') }, agents: { careful: { ...careful, ...names } } },
  );
  const tools = requests.find(({ who }) => who === 'Look.')?.request.tools ?? [];
  const offered = tools.map(({ name }) => name);
  expect(offered).toEqual(expect.arrayContaining(has));
  expect(offered.filter((name) => name.startsWith(lacks))).toEqual([]);
});

it.each<[string, object, RegExp]>([
  ['a hook of a session', { hooks: { Stop: [] } }, /hooks name Stop\. An agent has SubagentStart/u],
  ['no hooks', { hooks: { PreToolUse: [{ hooks: ['x'] }] } }, /must be a list of functions/u],
  ['servers that are no list', { mcpServers: 'sky' }, /mcpServers isn't a list of names/u],
  ['an unknown server', { mcpServers: ['sea'] }, /names the MCP server sea\. There is none/u],
  ['a server of a taken name', { mcpServers: [{ sky: server('x', '') }] }, /as there is already/u],
  [
    'a server that is a process',
    { mcpServers: [{ far: { command: 'npx' } }] },
    /far can't be used: there are no processes here/u,
  ],
])('is refused with the query where it has %s', async (_, more, message) => {
  const options = {
    mcpServers: { sky: server('sky', 'Sun') },
    agents: { scout: { ...careful, ...more } },
  };
  await expect(run({ main: [say('Done.')] }, options as never)).rejects.toThrow(message);
});

it('works as thoroughly as its definition says, else as its caller', async () => {
  const heard: unknown[] = [];
  const { requests } = await run(
    {
      main: [
        task('Look.', 'careful'),
        task('Look more.', 'general-purpose', 'call-b'),
        say('Done.'),
      ],
      'Look.': [read('call-1'), say('Seen.')],
      'Look more.': [say('Seen, too.')],
    },
    {
      effort: 'high',
      agents: { careful: { ...careful, effort: 'low' } },
      hooks: {
        PreToolUse: [
          {
            matcher: 'Read',
            hooks: [({ effort }) => Promise.resolve({ heard: heard.push(effort) } as never)],
          },
        ],
      },
    },
  );
  expect(requests.map(({ who, request }) => [who, request.effort])).toEqual([
    ['main', 'high'],
    ['Look.', 'low'],
    ['Look.', 'low'],
    ['main', 'high'],
    ['Look more.', 'high'],
    ['main', 'high'],
  ]);
  expect(heard).toEqual([{ level: 'low' }]);
});
