import { describe, expect, it } from 'vitest';
import { parseRules } from '../../../../../src/agent/permissions/rules.ts';
import { query } from '../../../../../src/agent/query.ts';
import {
  listAgentWarnings,
  listRuleWarnings,
} from '../../../../../src/agent/session/settings/rule-warnings.ts';
import { createInlineHost } from '../../../../../src/hosts/inline/create-inline-host.ts';
import { createEventModel } from '../../../../support/stages/test-session.ts';

const known = {
  tools: [
    { name: 'Repl', aliases: ['Shell'] },
    { name: 'mcp__git__push', mcpInfo: { serverName: 'git', toolName: 'push' } },
  ],
  servers: ['git', 'my_notes'],
};
const warn = (rule: string, behavior: 'allow' | 'deny' | 'ask' = 'deny') =>
  listRuleWarnings(parseRules([rule], behavior, 'cliArg'), known);

describe('listRuleWarnings', () => {
  it.each([
    ['a slip', 'Edti(src/**)', 'there is no tool named Edti. Did you mean Edit?'],
    ['an unknown tool', 'Frobnicate', 'there is no tool named Frobnicate.'],
    ['a wildcard that means nobody', 'Zz*', 'there is no tool named Zz*.'],
    [
      'a slip in what code may call',
      'Repl(tools:Edti)',
      'there is no tool named Edti. Did you mean',
    ],
    [
      'Sema’s form',
      'git_push',
      'there is no tool named git_push. The tool of a server is named mcp__git__push.',
    ],
    [
      'Sema’s form with a prefix',
      'mcp__git_push',
      'there is no server named git_push. The tool of a server is named mcp__git__push.',
    ],
  ])('warns of %s', (_, rule, why) => {
    expect(warn(rule)).toEqual([
      expect.stringContaining(`The deny rule ${rule} holds for nothing: ${why}`),
    ]);
  });

  it.each([
    ...['Repl', 'Shell', 'Re*', '*', 'Repl(tools:Edit)', 'Repl(fs.write:a)', 'Read(src/**)'],
    // Tools that come later, or under a switch, and the SDK's older names.
    ...['WebFetch', 'Task', 'LSP', 'TaskCreate', 'Bash'],
    // A server may come later.
    ...['mcp__git', 'mcp__git__*', 'mcp__github', 'mcp__git__pull', 'mcp__my_notes', 'mcp__a_*'],
  ])('has nothing to say of %s', (rule) => {
    expect(warn(rule)).toEqual([]);
  });

  it('has nothing to say of rules that allow: without them all is tighter', () => {
    expect(warn('Edti', 'allow')).toEqual([]);
    expect(warn('Edti', 'ask')).toHaveLength(1);
  });
});

describe('listAgentWarnings', () => {
  const warnOf = (kind: { tools?: string[]; disallowedTools?: string[] }) =>
    listAgentWarnings([{ name: 'scout', description: 'Looks.', ...kind }], known);

  it('warns of names that mean no tool', () => {
    expect(warnOf({ tools: ['Read', 'Gerp'], disallowedTools: ['Wirte'] })).toEqual([
      'tools of the agent scout names Gerp, which means nothing: there is no tool named Gerp. Did you mean Grep?',
      expect.stringContaining(
        'disallowedTools of the agent scout names Wirte, which means nothing',
      ),
    ]);
  });

  it('has nothing to say of tools that are there, come later, or are of servers', () => {
    const tools = ['Repl', 'Shell', 'Re*', '*', 'Bash', 'WebFetch', 'Task', 'MultiEdit'];
    expect(warnOf({ tools, disallowedTools: ['mcp__its_own', 'mcp__git__push'] })).toEqual([]);
    expect(warnOf({})).toEqual([]);
  });
});

it('a query tells of such rules and agents in system/init, and by a notice each; they stay', async () => {
  await using host = await createInlineHost();
  const running = query({
    prompt: 'x',
    options: {
      host,
      model: createEventModel([]),
      disallowedTools: ['Edti(src/**)', 'Repl'],
      agents: { scout: { description: 'Looks.', prompt: 'Look.', tools: ['Gerp'] } },
      settings: { permissions: { ask: ['git_push'] } },
    },
  });
  const first = (await running.next()).value;
  const notices = [];
  for (let at = 0; at < 3; at += 1) notices.push((await running.next()).value);
  running.close();
  const warnings = [
    'The deny rule Edti(src/**) holds for nothing: there is no tool named Edti. Did you mean Edit?',
    expect.stringContaining('The ask rule git_push holds for nothing: there is no tool named'),
    expect.stringContaining('tools of the agent scout names Gerp, which means nothing'),
  ];
  expect(first).toMatchObject({ subtype: 'init', warnings });
  expect(notices).toMatchObject(
    warnings.map((content) => ({ subtype: 'informational', level: 'warning', content })),
  );
});
