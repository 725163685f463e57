// What happens to agents at the same time: nothing is done twice, and nobody waits for ever.
import { describe, expect, it } from 'vitest';
import { query } from '../../../../src/agent/query.ts';
import { createDeferred } from '../../../../src/core/async/deferred.ts';
import { createAgentsModel } from '../../../support/models/agents-model.ts';
import { callTool, openHost, readAll, say } from '../../../support/turns/run-hooked.ts';

import {
  atOnce,
  letter,
  listResults,
  run,
  task,
  untilAborted,
  waited,
} from '../../../support/turns/agents-at-once.ts';

describe('an agent at rest', () => {
  it('goes on once when two write to it at the same time', async () => {
    await using host = await openHost();
    const both = atOnce((agents) => [
      agents.send('one', 'First letter.', 'letter-1'),
      agents.send('one', 'Second letter.', 'letter-2'),
    ]);
    const { messages, requests } = await run(
      host,
      {
        main: [
          task('One.', { name: 'one', ...waited }),
          callTool('AtOnce', {}),
          say('Sent.'),
          say('Done.'),
        ],
        'One.': [say('I am one.'), say('Read both.'), say('Never said.')],
      },
      { tools: [...(await host.loadTools()), both] },
    );
    expect(listResults(messages)[1]).toBe(
      JSON.stringify([
        { to: 'one', hasWoken: true },
        { to: 'one', hasWoken: false },
      ]),
    );
    const asked = requests.filter(({ who }) => who === 'One.').map(({ request }) => request);
    expect(asked).toHaveLength(2);
    expect(JSON.stringify(asked[1])).toMatch(/First letter\..*Second letter\./u);
    const updates = messages.filter(
      (one) => one.type === 'system' && one.subtype === 'task_notification',
    );
    expect(updates).toHaveLength(2);
  });

  it('goes on when one that it had begun reports to it, so that who wrote to that hears of it', async () => {
    await using host = await openHost();
    const { messages, requests } = await run(host, {
      main: [
        task('Lead.', waited),
        letter('inner', 'Look again.'),
        say('I wait.'),
        say('All is known.'),
      ],
      'Lead.': [task('Look.', { name: 'inner', ...waited }), say('Led.'), say('It saw more.')],
      'Look.': [say('Seen.'), say('Seen more.')],
    });
    const lead = requests.filter(({ who }) => who === 'Lead.');
    expect(JSON.stringify(lead[2]?.request.messages.at(-1))).toContain('Seen more.');
    expect(JSON.stringify(requests.at(-1)?.request.messages.at(-1))).toContain('It saw more.');
    expect(messages.at(-1)).toMatchObject({ type: 'result', result: 'All is known.' });
  });

  it('is refused a letter that is too long, or one more than may wait', async () => {
    await using host = await openHost();
    const { promise: over, resolve: isOver } = createDeferred();
    let asked = 0;
    const told: string[] = [];
    const thousand = atOnce((agents) =>
      Array.from({ length: 1000 }, (_, at) =>
        agents.send('one', `Letter ${at}.`, `letter-${at}`).then(
          () => told.push('sent'),
          (error: Error) => told.push(error.message),
        ),
      ),
    );
    const { messages, requests } = await run(
      host,
      {
        main: [
          task('One.', { name: 'one' }),
          letter('one', 'x'.repeat(20_001), 'call-long'),
          callTool('AtOnce', {}, 'call-thousand'),
          say('Sent.'),
          say('Done.'),
        ],
        'One.': [say('I am one.'), say('I have read them.')],
      },
      { tools: [...(await host.loadTools()), thousand] },
      (who, signal) => {
        asked += who === 'main' ? 1 : 0;
        // The one that has the result.
        if (asked === 4) isOver();
        return who === 'One.' ? untilAborted(over, signal) : undefined;
      },
    );
    const [, long] = listResults(messages);
    expect(long).toContain('message has 20001 characters, and may have 20000.');
    expect(told.filter((one) => one === 'sent')).toHaveLength(100);
    expect(told[0]).toBe(
      'one has 100 messages that it has not read yet, as many as may wait. Write to it again when it has.',
    );
    const read = JSON.stringify(requests.filter(({ who }) => who === 'One.').at(-1));
    expect(read).toContain('Letter 0.');
    expect(read).toContain('Letter 99.');
  });

  it('is not written to where more would run than may', async () => {
    await using host = await openHost();
    const names = Array.from({ length: 9 }, (_, at) => `m${at}`);
    const { messages, requests } = await run(
      host,
      {
        main: [
          callTool('TeamCreate', { team_name: 'crew' }, 'call-team'),
          ...names.map((name) => task(`Be ${name}.`, { name, ...waited })),
          letter('*', 'Go on.'),
          say('Done.'),
        ],
        ...Object.fromEntries(names.map((name) => [`Be ${name}.`, [say('Here.'), say('Again.')]])),
      },
      { teams: true },
    );
    expect(listResults(messages).at(-1)).toBe(
      '9 agents would run, and 8 may. Write to fewer of them.',
    );
    expect(requests.filter(({ who }) => who !== 'main')).toHaveLength(9);
  });
});

describe('agents that are begun at the same time', () => {
  it('work beside each other, also where their caller waits for all of them', async () => {
    await using host = await openHost();
    const names = ['One.', 'Two.', 'Three.'];
    let here = 0;
    const { promise: all, resolve: meet } = createDeferred();
    const uses = names.flatMap((name) => task(name, waited, `call-${here++}`).blocks ?? []);
    here = 0;
    const { messages } = await run(
      host,
      {
        main: [{ blocks: uses }, say('Done.')],
        ...Object.fromEntries(names.map((name) => [name, [say(name)]])),
      },
      {},
      (who, signal) => {
        if (who === 'main') return;
        here += 1;
        if (here === names.length) meet();
        return untilAborted(all, signal);
      },
    );
    expect(listResults(messages)).toEqual(names.map((name) => expect.stringContaining(name)));
  });

  it('have names of their own', async () => {
    await using host = await openHost();
    const twins = atOnce((agents, signal) =>
      ['call-1', 'call-2'].map((toolUseID) =>
        agents
          .run({ description: 'x', prompt: 'Be.', name: 'twin' }, { toolUseID, signal })
          .then(() => 'begun'),
      ),
    );
    const { messages } = await run(
      host,
      { main: [callTool('AtOnce', {}), say('They run.'), say('Done.')], 'Be.': [say('I am.')] },
      { tools: [...(await host.loadTools()), twins] },
    );
    expect(listResults(messages)).toEqual([
      JSON.stringify(['begun', 'An agent can\'t be named "twin": another one is.']),
    ]);
  });
});

describe('who waits for the end of a task', () => {
  it('waits for that of an agent, too', async () => {
    await using host = await openHost();
    const { promise: asked, resolve: ask } = createDeferred();
    const model = createAgentsModel(
      {
        main: [
          task('Think.'),
          callTool('AtOnce', {}, 'call-wait'),
          say('It is done.'),
          say('All is said.'),
        ],
        'Think.': [say('I thought.')],
      },
      (who, signal) => (who === 'Think.' ? untilAborted(asked, signal) : undefined),
    );
    const waits = atOnce((agents, signal, tasks) =>
      agents.list().map(async ({ agentId }) => {
        const ended = tasks.whenEnded(agentId, { timeoutMs: 60_000, signal });
        ask();
        await ended;
        return tasks.find(agentId).status;
      }),
    );
    const tools = [...(await host.loadTools()), waits];
    const messages = await readAll(
      query({ prompt: 'Go.', options: { toolSearch: false, host, model, tools } }),
    );
    expect(listResults(messages)[1]).toBe('["completed"]');
  });
});
