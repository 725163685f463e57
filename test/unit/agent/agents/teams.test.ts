// Teams and coordinators through whole queries: who has which tools, who is written to, and what is left undone.
import { describe, expect, it } from 'vitest';
import type { HookInput } from '../../../../src/agent/hooks/hook-inputs.ts';
import { query } from '../../../../src/agent/query.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import type { ScriptTurn } from '../../../../src/model/script.ts';
import { createAgentsModel } from '../../../support/models/agents-model.ts';
import { callTool, openHost, readAll, say } from '../../../support/turns/run-hooked.ts';
import { listResults } from '../../../support/turns/agents-at-once.ts';

async function run(
  scripts: Readonly<Record<string, readonly ScriptTurn[]>>,
  options: Omit<QueryOptions, 'host' | 'model'>,
) {
  await using host = await openHost();
  const model = createAgentsModel(scripts);
  const messages = await readAll(
    query({ prompt: 'Go.', options: { toolSearch: false, ...options, host, model } }),
  );
  return { messages, requests: model.requests };
}

const member = (name: string) =>
  callTool(
    'Agent',
    { description: name, prompt: `Be ${name}.`, name, run_in_background: false },
    `call-${name}`,
  );

const alone = { description: 'Alone', run_in_background: false };

describe('a team', () => {
  it('has members, one task list and mail to all, and says at its end what is undone', async () => {
    const { messages, requests } = await run(
      {
        main: [
          callTool('TeamCreate', { team_name: 'crew' }, 'call-1'),
          callTool('TaskCreate', { subject: 'Paint it', description: 'All of it.' }, 'call-2'),
          member('ann'),
          member('bob'),
          callTool('SendMessage', { to: '*', message: 'Well done.' }, 'call-3'),
          callTool('TeamDelete', {}, 'call-4'),
          callTool('SendMessage', { to: '*', message: 'Bye.' }, 'call-5'),
          say('Done.'),
        ],
        'Be ann.': [say('Ann was here.'), say('Thanks, says Ann.')],
        'Be bob.': [say('Bob was here.'), say('Thanks, says Bob.')],
      },
      { teams: true },
    );
    const results = listResults(messages);
    expect(results[0]).toBe(
      'The team crew is there. Begin its members by Agent, each with a name.',
    );
    expect(results[5]).toMatch(/The team crew is deleted\.[^]*Still undone: 1\. Paint it\./u);
    expect(results[6]).toBe('There is no team to write to. Name an agent.');
    const heard = requests.filter(({ request }) =>
      JSON.stringify(request.messages.at(-1)).includes('Well done.'),
    );
    expect(heard.map(({ who }) => who).toSorted()).toEqual(['Be ann.', 'Be bob.']);
  });

  it('lets hooks send on a member that comes to rest, and names it in those of tasks', async () => {
    const heard: unknown[] = [];
    const hear = ({ hook_event_name, ...input }: HookInput) => {
      const { teammate_name, team_name } = input as Record<string, unknown>;
      heard.push([hook_event_name, teammate_name, team_name]);
      const isFirst = heard.length === 2;
      return Promise.resolve(isFirst ? { decision: 'block' as const, reason: 'Sign it.' } : {});
    };
    const { requests } = await run(
      {
        main: [
          callTool('TeamCreate', { team_name: 'crew' }, 'call-1'),
          member('ann'),
          callTool('Agent', { ...alone, prompt: 'Be nobody.' }, 'call-2'),
          say('Done.'),
        ],
        'Be ann.': [
          callTool('TaskCreate', { subject: 'Paint it', description: '' }, 'call-3'),
          say('Ann was here.'),
          say('Ann has signed.'),
        ],
        'Be nobody.': [say('Nobody was here.')],
      },
      {
        teams: true,
        hooks: { TeammateIdle: [{ hooks: [hear] }], TaskCreated: [{ hooks: [hear] }] },
      },
    );
    expect(heard).toEqual([
      ['TaskCreated', 'ann', 'crew'],
      ['TeammateIdle', 'ann', 'crew'],
      ['TeammateIdle', 'ann', 'crew'],
    ]);
    const last = requests.findLast(({ who }) => who === 'Be ann.')?.request.messages.at(-1);
    expect(JSON.stringify(last)).toContain('You are not done yet: Sign it.');
  });

  it('is the session’s own agent’s to make, one at a time', async () => {
    const { messages } = await run(
      {
        main: [
          callTool('TeamDelete', {}, 'call-1'),
          callTool('TeamCreate', { team_name: 'one' }, 'call-2'),
          callTool('TeamCreate', { team_name: 'two' }, 'call-3'),
          member('ann'),
          say('Done.'),
        ],
        'Be ann.': [callTool('TeamDelete', {}, 'call-4'), say('I could not.')],
      },
      { teams: true },
    );
    const results = listResults(messages);
    expect(results[0]).toBe('There is no team.');
    expect(results[2]).toBe('The team one is there already. Delete it before you make another.');
    expect(JSON.stringify(messages)).toContain("A team is the session's own agent's to make");
  });
});

describe('a coordinator', () => {
  it('leads: it has no tools on files, and its agents have them', async () => {
    const { requests } = await run(
      { main: [member('ann'), say('Done.')], 'Be ann.': [say('Ann was here.')] },
      { coordinator: true, tasksV2: true },
    );
    const [first, second] = requests.map(({ request }) => request.tools?.map(({ name }) => name));
    expect(first).toEqual([
      'Agent',
      'AskUserQuestion',
      'ListAgents',
      'SendMessage',
      'TaskCreate',
      'TaskGet',
      'TaskList',
      'TaskStop',
      'TaskUpdate',
    ]);
    expect(second).toEqual(expect.arrayContaining(['Read', 'Write', 'Edit', 'Repl']));
    expect(JSON.stringify(requests[0]?.request.system)).toContain('You lead agents');
    expect(JSON.stringify(requests[1]?.request.system)).not.toContain('You lead agents');
  });

  it('with simple has three tools of its own beside theirs', async () => {
    const { requests } = await run({ main: [say('Done.')] }, { coordinator: true, simple: true });
    expect(requests[0]?.request.tools?.map(({ name }) => name)).toEqual([
      'Agent',
      'Edit',
      'Read',
      'Repl',
      'SendMessage',
      'TaskStop',
    ]);
  });
});
