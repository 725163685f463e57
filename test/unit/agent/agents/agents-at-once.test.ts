// What happens to agents at the same time, or fails while one of them begins or ends: nothing is done twice, and
// nobody waits for ever.
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { openSession } from '../../../../src/agent/open-session.ts';
import { query } from '../../../../src/agent/query.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import type { Host } from '../../../../src/agent/host.ts';
import { isToolResultBlock, toResultText } from '../../../../src/core/blocks.ts';
import type { Agents } from '../../../../src/core/agents.ts';
import { buildTool } from '../../../../src/core/tool/build-tool.ts';
import type { BackgroundTasks } from '../../../../src/core/tool/background.ts';
import type { CallContext } from '../../../../src/core/tool/context.ts';
import type { Tool } from '../../../../src/core/tool/tool.ts';
import type { SDKMessage } from '../../../../src/core/sdk-message.ts';
import type { ScriptTurn } from '../../../../src/model/script.ts';
import { createMemoryMedium } from '../../../../src/workspace/drivers/memory.ts';
import { createAgentsModel } from '../../../support/agents-model.ts';
import {
  isResult,
  openHost as openKeptHost,
  readUntil,
  silentModel,
} from '../../../support/open-sessions.ts';
import { callTool, openHost, readAll, say } from '../../../support/run-hooked.ts';

const task = (prompt: string, more: Record<string, unknown> = {}, id = `call-${prompt}`) =>
  callTool('Agent', { description: 'Look around', prompt, ...more }, id);
const waited = { run_in_background: false };
const letter = (to: string, message: string, id = 'call-mail') =>
  callTool('SendMessage', { to, message }, id);

async function run(
  host: Host,
  scripts: Readonly<Record<string, readonly ScriptTurn[]>>,
  options: Omit<QueryOptions, 'host' | 'model'> = {},
  before?: Parameters<typeof createAgentsModel>[1],
) {
  const model = createAgentsModel(scripts, before);
  const messages = await readAll(
    query({ prompt: 'Go.', options: { toolSearch: false, ...options, host, model } }),
  );
  return { messages, requests: model.requests };
}

/** A tool that does several things with agents at once. */
function atOnce(
  work: (
    agents: Agents,
    signal: AbortSignal,
    tasks: BackgroundTasks,
  ) => readonly Promise<unknown>[],
): Tool {
  return buildTool({
    name: 'AtOnce',
    inputSchema: z.strictObject({}),
    description: () => Promise.resolve('Does several things at once.'),
    prompt: () => Promise.resolve(''),
    checkPermissions: () => Promise.resolve({ behavior: 'allow' }),
    changesOnlySession: () => true,
    async call(_input: unknown, { agents, tasks, abortController }: CallContext) {
      const ends = await Promise.allSettled(work(agents, abortController.signal, tasks));
      const told = ends.map((end) =>
        end.status === 'fulfilled' ? end.value : (end.reason as Error).message,
      );
      return { data: JSON.stringify(told) };
    },
    mapToolResultToToolResultBlockParam: (content: string, tool_use_id: string) => ({
      type: 'tool_result' as const,
      tool_use_id,
      content,
    }),
  }) as unknown as Tool;
}

function untilAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  const aborted = new Promise<void>((resolve) => {
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
  return Promise.race([work, aborted]);
}

/** The texts of the results that the session's own agent is given. */
const listResults = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) => {
    if (message.type !== 'user' || message.agent_id !== undefined) return [];
    const { content } = message.message;
    return typeof content === 'string' ? [] : content.filter(isToolResultBlock).map(toResultText);
  });

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
    let isOver: () => void = () => {};
    const over = new Promise<void>((resolve) => (isOver = resolve));
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
    let meet: () => void = () => {};
    const all = new Promise<void>((resolve) => (meet = resolve));
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

describe('an agent whose end can not be kept in its file', () => {
  it('reports all the same, and says so', async () => {
    await using host = await openHost();
    let isSpoilt: () => void = () => {};
    const spoilt = new Promise<void>((resolve) => (isSpoilt = resolve));
    const model = createAgentsModel(
      { main: [task('Think.'), say('It runs.'), say('Done.')], 'Think.': [say('Thought.')] },
      (who, signal) => (who === 'Think.' ? untilAborted(spoilt, signal) : undefined),
    );
    const messages: SDKMessage[] = [];
    for await (const message of query({ prompt: 'Go.', options: { host, model } })) {
      messages.push(message);
      const [launched = ''] = listResults([message]);
      const path = /report will be in \S+(\/tasks\/\S+\.output)/u.exec(launched)?.[1];
      if (path === undefined) continue;
      const author = { kind: 'agent' } as const;
      const { id } = await host.workspace.roots.session(message.session_id ?? '', { author });
      const { fs } = host.workspace.at(id);
      await fs.rm(path);
      await fs.mkdir(path);
      isSpoilt();
    }
    expect(messages.at(-1)).toMatchObject({ type: 'result', result: 'Done.' });
    const last = JSON.stringify(model.requests.at(-1)?.request.messages);
    expect(last).toMatch(/Thought\.[^]*The output file could not be written: /u);
  });
});

describe('a session whose agents are of a kind that is gone', () => {
  it('opens, ends them and those below, and tells why', async () => {
    const medium = createMemoryMedium();
    const scripts = {
      main: [task('Lead.', { subagent_type: 'lead' }), say('It runs.'), say('Done.')],
      'Lead.': [task('Look.'), say('Led.')],
      'Look.': [say('Seen.')],
    };
    const never = new Promise<void>(() => {});
    const first = await openKeptHost(medium);
    let isAtWork: () => void = () => {};
    const atWork = new Promise<void>((resolve) => (isAtWork = resolve));
    const dying = createAgentsModel(scripts, (who) => {
      if (who !== 'Look.') return;
      isAtWork();
      return never;
    });
    const lead = { description: 'Leads.', prompt: 'You lead.' };
    const killed = await openSession({
      ...{ host: first, model: dying, toolSearch: false, agents: { lead } },
    });
    await killed.send('Go.');
    await readUntil(killed, isResult);
    await atWork;

    const host = await openKeptHost(medium);
    onTestFinished(() => host[Symbol.asyncDispose]());
    const model = createAgentsModel(scripts);
    const session = await openSession({ host, model, toolSearch: false, resume: killed.id });
    onTestFinished(() => session.close());
    await session.send('And?');
    await readUntil(session, (one) => isResult(one) && JSON.stringify(one).includes('Done.'));
    expect(model.requests.map(({ who }) => who)).toEqual(['main']);
    expect(JSON.stringify(model.requests[0]?.request.messages)).toContain(
      "it was stopped. The kind lead isn't there any more.",
    );
  });
});

describe('who waits for the end of a task', () => {
  it('waits for that of an agent, too', async () => {
    await using host = await openHost();
    let ask: () => void = () => {};
    const asked = new Promise<void>((resolve) => (ask = resolve));
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

describe('a sub-agent', () => {
  it('stops those that it has begun, and none beside or above it', async () => {
    await using host = await openHost();
    const stopAll = atOnce((agents, _, tasks) =>
      agents
        .list()
        .toSorted((one, other) => one.description.localeCompare(other.description))
        .map(({ agentId, description }) =>
          tasks.stop(agentId).then(
            ({ status }) => `${description} ${status}`,
            () => `${description} not`,
          ),
        ),
    );
    let isOver: () => void = () => {};
    const over = new Promise<void>((resolve) => (isOver = resolve));
    let stopped: string | undefined;
    const begin = (name: string) =>
      callTool('Agent', { description: name, prompt: `${name}.` }, `call-${name}`);
    await run(
      host,
      {
        main: [begin('a beside'), begin('b itself'), say('They run.'), say('One.'), say('Two.')],
        'a beside.': [say('Here.')],
        'b itself.': [begin('c below'), callTool('AtOnce', {}, 'call-stop'), say('Tried.')],
        'c below.': [say('Never said.')],
      },
      {
        tools: [...(await host.loadTools()), stopAll],
        hooks: {
          PostToolUse: [
            {
              matcher: 'AtOnce',
              hooks: [
                async (input) => {
                  stopped = String((input as { tool_response?: unknown }).tool_response);
                  isOver();
                  return {};
                },
              ],
            },
          ],
        },
      },
      (who, signal) =>
        who === 'a beside.' || who === 'c below.' ? untilAborted(over, signal) : undefined,
    );
    expect(stopped).toBe(JSON.stringify(['a beside not', 'b itself not', 'c below stopped']));
  });

  it('is tainted by what its caller reads, also where the caller was taken up later', async () => {
    await using host = await openHost();
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
    let hasRead: () => void = () => {};
    const read = new Promise<void>((resolve) => (hasRead = resolve));
    const counts = new Map<string, number>();
    const { requests } = await run(
      host,
      {
        main: [
          task('Lead.', { name: 'outer', ...waited }),
          letter('inner', 'Fetch, too.', 'call-1'),
          letter('outer', 'Fetch.', 'call-2'),
          say('I wait.'),
          say('One is done.'),
          say('Both are done.'),
        ],
        'Lead.': [
          task('Look.', { name: 'inner', ...waited }),
          say('Led.'),
          callTool('Fetch', {}, 'call-f'),
          say('Fetched.'),
          say('It was refused.'),
        ],
        'Look.': [say('Seen.'), callTool('Fetch', {}, 'call-g'), say('Tried.')],
      },
      {
        tools: ['Agent', 'SendMessage', fetched],
        egress: 'deny',
        allowedTools: ['Fetch'],
      },
      (who, signal) => {
        const count = (counts.get(who) ?? 0) + 1;
        counts.set(who, count);
        if (who === 'Lead.' && count === 4) hasRead();
        return who === 'Look.' && count === 2 ? untilAborted(read, signal) : undefined;
      },
    );
    const last = requests.findLast(({ who }) => who === 'Look.')?.request.messages.at(-1);
    expect(JSON.stringify(last)).toMatch(/outside|tainted|untrusted/u);
    expect(JSON.stringify(last)).not.toContain('from outside"');
  });
});

describe('a server that gives the same ids again with each reply', () => {
  it('begins another agent, and sends another letter', async () => {
    await using host = await openHost();
    const ids = { agent: 'call-1', mail: 'call-2' };
    const script = (name: string, before: readonly ScriptTurn[]) => ({
      main: [
        ...before,
        task(`Be ${name}.`, { name, ...waited }, ids.agent),
        letter('one', `Letter of ${name}.`, ids.mail),
        say(`I wait for ${name}.`),
        say(`Done with ${name}.`),
      ],
      'Be one.': [say('I am one.'), say('Read.'), say('Read again.')],
      'Be two.': [say('I am two.')],
    });
    const session = await openSession({ host, model: silentModel, toolSearch: false });
    onTestFinished(() => session.close());
    let n = 0;
    const told: SDKMessage[] = [];
    for (const name of ['one', 'two']) {
      // What the first one has said by then.
      const before = name === 'one' ? [] : Array.from({ length: 4 }, () => say('Said.'));
      await session.setModel(createAgentsModel(script(name, before)));
      ({ n } = await session.send('Go.'));
      const isDone = (one: SDKMessage) =>
        isResult(one) && 'result' in one && one.result === `Done with ${name}.`;
      told.push(...(await readUntil(session, isDone, n)));
    }
    expect(listResults(told)).toEqual([
      expect.stringContaining('I am one.'),
      expect.stringContaining('one was at rest and goes on with it.'),
      expect.stringContaining('I am two.'),
      expect.stringContaining('one was at rest and goes on with it.'),
    ]);
  });
});

describe('a session that goes back', () => {
  it('to before an agent knows it no more, and its name is free again', async () => {
    await using host = await openHost();
    const model = createAgentsModel({
      main: [task('One.', { name: 'one', ...waited }), say('Done.')],
      'One.': [say('I am one.')],
    });
    const again = createAgentsModel({
      main: [
        letter('one', 'Hello.'),
        task('Other.', { name: 'one', ...waited }),
        say('Done again.'),
      ],
      'Other.': [say('I am the other.')],
    });
    const session = await openSession({ host, model, toolSearch: false });
    onTestFinished(() => session.close());
    const { uuid, n } = await session.send('Go.');
    await readUntil(session, isResult, n);
    await session.rewind(uuid);
    await session.setModel(again);
    const next = await session.send('Go on.');
    const told = await readUntil(session, isResult, next.n);
    expect(listResults(told)).toEqual([
      'There is no agent "one". There are none.',
      expect.stringContaining('I am the other.'),
    ]);
  });

  it('waits for an agent that goes on below one at rest', async () => {
    await using host = await openHost();
    const counts = new Map<string, number>();
    let goOn: () => void = () => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const model = createAgentsModel(
      {
        main: [
          task('Lead.', waited),
          letter('inner', 'Look again.'),
          say('I wait.'),
          say('All is known.'),
        ],
        'Lead.': [task('Look.', { name: 'inner', ...waited }), say('Led.'), say('It saw more.')],
        'Look.': [say('Seen.'), say('Seen more.')],
      },
      (who, signal) => {
        const count = (counts.get(who) ?? 0) + 1;
        counts.set(who, count);
        return who === 'Look.' && count === 2 ? untilAborted(held, signal) : undefined;
      },
    );
    const session = await openSession({ host, model, toolSearch: false });
    onTestFinished(() => session.close());
    const { uuid, n } = await session.send('Go.');
    await readUntil(session, isResult, n);
    await expect(session.rewind(uuid)).rejects.toThrow(/^Tasks run in the background: a\w{8}\./u);
    goOn();
    await readUntil(
      session,
      (one) => isResult(one) && 'result' in one && one.result !== 'I wait.',
      n,
    );
    await session.rewind(uuid);
  });
});

describe('a session that is opened again', () => {
  it('leaves an agent at rest that a person has stopped, also with mail that it has not read', async () => {
    const medium = createMemoryMedium();
    const scripts = {
      main: [
        task('One.', { name: 'one' }),
        letter('one', 'Read this.'),
        say('Sent.'),
        say('Here again.'),
      ],
      'One.': [say('Never said.')],
    };
    const first = await openKeptHost(medium);
    const never = new Promise<void>(() => {});
    const held = createAgentsModel(scripts, (who, signal) =>
      who === 'One.' ? untilAborted(never, signal) : undefined,
    );
    const stopped = await openSession({ host: first, model: held, toolSearch: false });
    const { n } = await stopped.send('Go.');
    const told = await readUntil(stopped, isResult, n);
    const begun = told.find((one) => one.type === 'system' && one.subtype === 'task_started');
    await stopped.stopTask((begun as { task_id?: string }).task_id ?? '');
    await stopped.close();
    await first[Symbol.asyncDispose]();

    const host = await openKeptHost(medium);
    onTestFinished(() => host[Symbol.asyncDispose]());
    const model = createAgentsModel(scripts);
    const session = await openSession({ host, model, toolSearch: false, resume: stopped.id });
    onTestFinished(() => session.close());
    const again = await session.send('Are you there?');
    await readUntil(session, isResult, again.n);
    expect(model.requests.map(({ who }) => who)).toEqual(['main']);
  });
});
