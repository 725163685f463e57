// The option `agent`: a session whose own agent is one of `agents`.
import { describe, expect, it } from 'vitest';
import type { AgentDefinition } from '../../../../src/agent/agents/definitions.ts';
import { openSession } from '../../../../src/agent/open-session.ts';
import { query } from '../../../../src/agent/query.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import { createSdkMcpServer } from '../../../../src/mcp/create-sdk-mcp-server.ts';
import { tool } from '../../../../src/mcp/tool.ts';
import type { ListModel, Reply } from '../../../support/turns/play-turns.ts';
import { asks, listModel, says } from '../../../support/turns/play-turns.ts';
import { toolUse } from '../../../support/turns/plan-turns.ts';
import { readAll } from '../../../support/turns/run-hooked.ts';

const base = { description: 'Reviews.', prompt: 'You review.' } as const;

async function lead(
  definition: Partial<AgentDefinition>,
  replies: readonly Reply[],
  options: Partial<QueryOptions> = {},
) {
  await using host = await createInlineHost();
  const model = listModel('claude-test', replies);
  const agents = { reviewer: { ...base, ...definition } };
  const given = { toolSearch: false, ...options, host, model, agents, agent: 'reviewer' } as const;
  return { model, messages: await readAll(query({ prompt: 'Go.', options: given })) };
}

const toolsOf = ({ requests }: ListModel, at = 0) => requests[at]?.tools.map(({ name }) => name);
const yes = [says('Done.')];

describe('the agent that leads', () => {
  it('has the prompt of its kind, and its tools alone', async () => {
    const { model, messages } = await lead({ tools: ['Read', 'Bash', 'G*'] }, yes);
    expect(model.requests[0]?.system[0]?.text).toBe('You review.');
    expect(toolsOf(model)).toEqual(['Glob', 'Grep', 'Read', 'Repl']);
    expect(messages[0]).toMatchObject({ tools: ['Glob', 'Grep', 'Read', 'Repl'] });
    expect(messages.at(-1)).toMatchObject({ subtype: 'success' });
  });

  it('and those that it starts are told what they must never forget', async () => {
    const input = { description: 'Help', prompt: 'Help.', run_in_background: false };
    const asksForHelp = asks(toolUse('a', 'Agent', { ...input, subagent_type: 'reviewer' }));
    const criticalSystemReminder_EXPERIMENTAL = 'Never write.';
    const given = { criticalSystemReminder_EXPERIMENTAL };
    const { model } = await lead(given, [asksForHelp, ...yes, ...yes]);
    const told = model.requests.map(({ system }) => system.slice(0, 2).map(({ text }) => text));
    expect(told.slice(0, 2)).toEqual([
      ['You review.', 'Never write.'],
      ['You review.', 'Never write.'],
    ]);
  });

  it('has all tools where its kind names none, but for those that are kept from it', async () => {
    const { model } = await lead({ disallowedTools: ['Write'] }, yes);
    expect(toolsOf(model)).toEqual(expect.arrayContaining(['Agent', 'Edit', 'Read']));
    expect(toolsOf(model)).not.toContain('Write');
  });

  it('starts agents that have no more than it', async () => {
    const input = { description: 'Help', prompt: 'Help.', run_in_background: false };
    const asksForHelp = asks(toolUse('a', 'Agent', input));
    const { model } = await lead({ tools: ['Agent', 'Read'] }, [asksForHelp, ...yes, ...yes]);
    expect(toolsOf(model, 1)).toEqual(['Agent', 'Read']);
  });

  it('has those tools of servers that its kind names', async () => {
    const make = (name: string) =>
      createSdkMcpServer({
        name,
        alwaysLoad: true,
        tools: [tool('look', 'Looks.', {}, async () => ({ content: [] }))],
      });
    const mcpServers = { maps: make('maps'), news: make('news'), sea: make('sea') };
    const kind = { tools: ['Read', 'mcp__maps'], mcpServers: ['news'] };
    const { model } = await lead(kind, yes, { mcpServers });
    expect(toolsOf(model)).toEqual(['Read', 'mcp__maps__look', 'mcp__news__look']);
  });

  it('asks the model of its kind, as thoroughly, and in its mode', async () => {
    const haiku = listModel('claude-haiku', yes);
    const kind = { model: 'haiku', effort: 'low', permissionMode: 'plan' } as const;
    const { model, messages } = await lead(kind, [], { models: { haiku } });
    expect([model.requests.length, haiku.requests[0]?.effort]).toEqual([0, 'low']);
    const told = { model: 'claude-haiku', effort: 'low', permissionMode: 'plan' };
    expect(messages[0]).toMatchObject(told);
  });

  it('keeps to the stricter limit, and to the mode that the query says', async () => {
    const read = asks(toolUse('r', 'Read', { file_path: 'a.txt' }));
    const kind = { maxTurns: 1, permissionMode: 'acceptEdits' } as const;
    const options = { maxTurns: 5, permissionMode: 'plan' } as const;
    const { messages } = await lead(kind, [read], options);
    expect(messages[0]).toMatchObject({ permissionMode: 'plan' });
    expect(messages.at(-1)).toMatchObject({ subtype: 'error_max_turns', num_turns: 1 });
  });

  it('answers in the outputFormat, whatever tools it has', async () => {
    const outputFormat = { type: 'json_schema', schema: { type: 'object' } } as const;
    const answer = asks(toolUse('o', 'SyntheticOutput', {}));
    const { model, messages } = await lead({ tools: ['Read'] }, [answer], { outputFormat });
    expect(toolsOf(model)).toEqual(['Read', 'SyntheticOutput']);
    expect(messages.at(-1)).toMatchObject({ structured_output: {} });
  });

  it('leads a session of openSession, too', async () => {
    await using host = await createInlineHost();
    const model = listModel('claude-test', yes);
    const agents = { reviewer: { ...base, tools: ['Read'] } };
    await using session = await openSession({ host, model, agents, agent: 'reviewer' });
    const ended = (async () => {
      for await (const { type } of session.messages()) if (type === 'result') return;
    })();
    await session.send('Go.');
    await ended;
    expect([model.requests[0]?.system[0]?.text, toolsOf(model)]).toEqual(['You review.', ['Read']]);
  });
});

it.each<[string, Partial<AgentDefinition>, Partial<QueryOptions>, RegExp]>([
  ['a name', {}, { agent: 'reviwer' }, /agents has none of that name\. Did you mean reviewer\?/u],
  ['a prompt', {}, { systemPrompt: 'Mine.' }, /Leave systemPrompt out, or agent\./u],
  ['a model', { model: 'haiku' }, {}, /asks for the model "haiku", and models has none/u],
  ['skills', { skills: ['a'] }, {}, /has skills, which holds for sub-agents alone/u],
  ['memory', { memory: 'project' }, {}, /give memory as an option of the query\./u],
  ['servers', { mcpServers: [{}] }, {}, /has servers of its own, which sub-agents alone may have/u],
])('refuses %s that can’t hold', async (_, definition, options, reason) => {
  await using host = await createInlineHost();
  const agents = { reviewer: { ...base, ...definition } };
  const given = { host, model: listModel('m', []), agents, agent: 'reviewer', ...options };
  expect(() => query({ prompt: 'Go.', options: given })).toThrow(reason);
  await expect(openSession(given)).rejects.toThrow(reason);
});
