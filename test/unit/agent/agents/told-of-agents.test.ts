// What hosts are told of sub-agents while they run, at their end, and when the session is read again.
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSession } from '../../../../src/agent/open-session.ts';
import { query } from '../../../../src/agent/query.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import { getSessionMessages } from '../../../../src/agent/stored-sessions/session-messages.ts';
import {
  getSubagentMessages,
  listSubagents,
} from '../../../../src/agent/stored-sessions/subagent-messages.ts';
import { createDeferred } from '../../../../src/core/async/deferred.ts';
import type { SDKMessage, SDKResultMessage } from '../../../../src/core/messages/sdk-message.ts';
import type { ScriptTurn } from '../../../../src/model/script.ts';
import { createMemoryMedium } from '../../../../src/workspace/drivers/memory.ts';
import { createAgentsModel } from '../../../support/models/agents-model.ts';
import {
  isResult,
  openHost as openKeptHost,
  quickHost,
  readUntil,
  texts,
} from '../../../support/sessions/open-sessions.ts';
import { callTool, openHost, readAll, say } from '../../../support/turns/run-hooked.ts';

const task = (prompt: string, more: Record<string, unknown> = {}, id = 'call-a') =>
  callTool('Agent', { description: 'Look around', prompt, ...more }, id);
const waited = { run_in_background: false };

const readsAFile = [
  callTool('Read', { file_path: '/workspace/a.txt' }, 'call-b'),
  say('It says one.'),
];

type Scripts = Readonly<Record<string, readonly ScriptTurn[]>>;

async function run(scripts: Scripts, options: Partial<QueryOptions> = {}) {
  await using host = await openHost();
  const model = createAgentsModel(scripts);
  return await readAll(
    query({ prompt: 'Go.', options: { toolSearch: false, ...options, host, model } }),
  );
}

const resultOf = (messages: readonly SDKMessage[]) => messages.at(-1) as SDKResultMessage;

/** The system messages of these kinds, without what all have. */
function ofKind(messages: readonly SDKMessage[], ...kinds: readonly string[]) {
  return messages.flatMap((message) => {
    if (message.type !== 'system' || !kinds.includes(message.subtype)) return [];
    const { uuid: _, session_id: __, n: ___, type: ____, ...rest } = message;
    return [rest];
  });
}

describe('what is told of an agent that runs', () => {
  it('is its beginning, each reply with what it has used, and its end', async () => {
    const messages = await run({
      main: [task('Read a.txt.', waited), say('Done.')],
      'Read a.txt.': readsAFile,
    });
    const told = ofKind(
      messages,
      'task_started',
      'task_progress',
      'task_updated',
      'task_notification',
    );
    expect(told.map(({ subtype }) => subtype)).toEqual([
      'task_started',
      'task_progress',
      'task_progress',
      'task_updated',
      'task_notification',
    ]);
    const [started, first, second, updated, ended] = told;
    const id = started && 'task_id' in started ? started.task_id : '';
    expect(first).toMatchObject({
      task_id: id,
      tool_use_id: 'call-a',
      subagent_type: 'general-purpose',
      usage: { tool_uses: 1 },
      last_tool_name: 'Read',
      summary: 'Reading /workspace/a.txt',
    });
    expect(updated).toMatchObject({ task_id: id, patch: { status: 'completed' } });
    // What it had used with its last reply is what it has used in all, but for the time.
    const { usage } = second as { readonly usage: { readonly total_tokens: number } };
    expect(ended).toMatchObject({
      status: 'completed',
      usage: { tool_uses: 1, total_tokens: usage.total_tokens },
    });
  });

  it('is in the list of what runs in the background, where nobody waits for it', async () => {
    const messages = await run({
      main: [task('Think.'), say('It runs.'), say('Done.')],
      'Think.': [task('Think more.', waited, 'call-c'), say('I thought.')],
      'Think more.': [say('More.')],
    });
    const lists = ofKind(messages, 'background_tasks_changed');
    const [id] = ofKind(messages, 'task_started').map((one) => 'task_id' in one && one.task_id);
    expect(lists).toEqual([
      {
        subtype: 'background_tasks_changed',
        tasks: [
          {
            task_id: id,
            task_type: 'local_agent',
            subagent_type: 'general-purpose',
            description: 'Look around',
          },
        ],
      },
      { subtype: 'background_tasks_changed', tasks: [] },
    ]);
  });

  it('has none of its words where they are not wanted, not even while they stream', async () => {
    const scripts = {
      main: [task('Read a.txt.', waited), say('Done.')],
      'Read a.txt.': [
        { blocks: [{ type: 'text', text: 'Hush.' }, ...(readsAFile[0]?.blocks ?? [])] } as const,
        say('It says one.'),
      ],
    };
    const saidBy = (messages: readonly SDKMessage[]) =>
      JSON.stringify(
        messages.filter(({ type }) => type === 'stream_event' || type === 'assistant'),
      );
    const silent = await run(scripts, { includePartialMessages: true });
    expect(saidBy(silent)).not.toContain('Hush.');
    const loud = await run(scripts, { includePartialMessages: true, forwardSubagentText: true });
    const streams = loud.filter(
      (message) => message.type === 'stream_event' && message.parent_tool_use_id === 'call-a',
    );
    expect(JSON.stringify(streams)).toContain('Hush.');
  });
});

describe('the result', () => {
  it('names what was refused to agents at any depth, with their ids', async () => {
    const messages = await run({
      main: [task('Write.', waited), say('Done.')],
      'Write.': [
        callTool('Write', { file_path: '/workspace/b.txt', content: 'b' }, 'call-b'),
        task('Write too.', waited, 'call-c'),
        say('I could not.'),
      ],
      'Write too.': [
        callTool('Write', { file_path: '/workspace/c.txt', content: 'c' }, 'call-d'),
        say('Neither could I.'),
      ],
    });
    const [outer, inner] = ofKind(messages, 'task_started').flatMap((one) =>
      'task_id' in one ? [one.task_id] : [],
    );
    expect(resultOf(messages).permission_denials).toEqual([
      {
        agent_id: inner,
        tool_name: 'Write',
        tool_use_id: 'call-d',
        tool_input: { file_path: '/workspace/c.txt', content: 'c' },
      },
      {
        agent_id: outer,
        tool_name: 'Write',
        tool_use_id: 'call-b',
        tool_input: { file_path: '/workspace/b.txt', content: 'b' },
      },
    ]);
  });

  it('counts the tokens of all agents by model, and each agent counts its own', async () => {
    const messages = await run(
      {
        main: [task('Ask.', waited), say('Done.')],
        'Ask.': [task('Answer.', waited, 'call-c'), say('Asked.')],
        'Answer.': [say('Answered.')],
      },
      { forwardSubagentText: true },
    );
    const all = messages.flatMap((message) =>
      message.type === 'assistant' ? [message.message.usage.output_tokens] : [],
    );
    const { modelUsage } = resultOf(messages);
    const sum = all.reduce((total, count) => total + count, 0);
    expect(Object.values(modelUsage).map(({ outputTokens }) => outputTokens)).toEqual([sum]);
    const own = messages.flatMap((message) =>
      message.type === 'assistant' && message.parent_tool_use_id === 'call-a'
        ? [message.message.usage.output_tokens]
        : [],
    );
    const output = messages.findLast((message) => message.type === 'user')?.tool_use_result;
    expect(output).toMatchObject({
      usage: { output_tokens: own.reduce((total, count) => total + count, 0) },
    });
  });
});

describe('the trace', () => {
  it('has the requests and calls of an agent below the call that has begun it', async () => {
    await using host = await openHost();
    const model = createAgentsModel({
      main: [task('Read a.txt.', waited), say('Done.')],
      'Read a.txt.': readsAFile,
    });
    const running = query({ prompt: 'Go.', options: { toolSearch: false, host, model } });
    const seen: string[] = [];
    running.trace.follow((event) => {
      if (event.type === 'request-start') seen.push(`request of ${event.parentId ?? 'main'}`);
      if (event.type === 'call-start')
        seen.push(`${event.toolName} of ${event.parentId ?? 'main'}`);
    });
    await readAll(running);
    expect(seen).toEqual([
      'request of main',
      'Agent of main',
      'request of call-a',
      'Read of call-a',
      'request of call-a',
      'request of main',
    ]);
  });
});

describe('the kinds of agents', () => {
  it('are named by the first message, and described by the query', async () => {
    await using host = await openHost();
    const model = createAgentsModel({ main: [say('Done.')] });
    const agents = { tester: { description: 'Tests.', prompt: 'Test.', model: 'haiku' } };
    const running = query({ prompt: 'Go.', options: { host, model, agents } });
    const names = ['general-purpose', 'Explore', 'Plan', 'fork', 'tester'];
    const known = await running.supportedAgents();
    expect(known.map(({ name }) => name)).toEqual(names);
    expect(known.at(-1)).toEqual({ name: 'tester', description: 'Tests.', model: 'haiku' });
    const [init] = await readAll(running);
    expect(init).toMatchObject({ subtype: 'init', agents: names });
  });
});

describe('a session that is opened again with an agent at work', () => {
  it('counts each request once', async () => {
    const medium = createMemoryMedium();
    const scripts = {
      main: [task('Think.'), say('It runs.'), say('Done.')],
      'Think.': [callTool('Glob', { pattern: '*' }, 'call-b'), say('I thought.')],
    };
    const never = new Promise<void>(() => {});
    const first = await openKeptHost(medium);
    let requests = 0;
    // Both have had one reply when the page is killed.
    const dying = createAgentsModel(scripts, () => ((requests += 1) > 2 ? never : undefined));
    const killed = await openSession({ host: first, model: dying, toolSearch: false });
    await killed.send('Go.');
    await readUntil(
      killed,
      (one) =>
        one.type === 'user' && one.agent_id !== undefined && one.tool_use_result !== undefined,
    );

    const host = await openKeptHost(medium);
    onTestFinished(() => host[Symbol.asyncDispose]());
    const model = createAgentsModel(scripts);
    const { promise: isDone, resolve: tell } = createDeferred();
    const session = await openSession({
      ...{ host, model, toolSearch: false, resume: killed.id, forwardSubagentText: true },
      // The agent is done before the turn is taken up.
      hooks: {
        SubagentStop: [{ hooks: [async () => (tell(), {})] }],
        SessionStart: [{ hooks: [async () => (await isDone, {})] }],
      },
    });
    onTestFinished(() => session.close());
    const told = await readUntil(
      session,
      (one) => isResult(one) && JSON.stringify(one).includes('Done.'),
    );
    const counts = told.flatMap((one) =>
      one.type === 'assistant' ? [one.message.usage.output_tokens] : [],
    );
    const result = told.at(-1) as SDKResultMessage;
    expect(Object.values(result.modelUsage).map(({ outputTokens }) => outputTokens)).toEqual([
      counts.reduce((sum, count) => sum + count, 0),
    ]);
  });
});

describe('a kept session', () => {
  it('lists its agents, and gives what each of them said and did', async () => {
    const host = await quickHost();
    await host.workspace.fs.writeFile(`${host.cwd}/a.txt`, 'one\n');
    const model = createAgentsModel({
      main: [task('Read a.txt.', waited), say('Done.')],
      'Read a.txt.': readsAFile,
    });
    const session = await openSession({ host, model, toolSearch: false });
    await session.send('Go.');
    const live = await readUntil(session, isResult);
    await session.close();
    const [id = ''] = await listSubagents(session.id, { host });
    expect(await listSubagents(session.id, { host })).toHaveLength(1);
    const said = await getSubagentMessages(session.id, id, { host });
    expect(texts(said)).toEqual([
      'user: Read a.txt.',
      'assistant: tool_use',
      'user: tool_result',
      'assistant: It says one.',
    ]);
    expect(await getSubagentMessages(session.id, id, { host, offset: 1, limit: 1 })).toEqual([
      said[1],
    ]);
    expect(await getSubagentMessages(session.id, 'nobody', { host })).toEqual([]);
    await expect(listSubagents('nowhere', { host })).rejects.toMatchObject({ code: 'bad-usage' });
    // The same messages live and when they are read again.
    const all = await getSessionMessages(session.id, { host });
    const tasks = (messages: readonly SDKMessage[]) =>
      ofKind(messages, 'task_started', 'task_updated', 'task_notification');
    expect(tasks(all)).toEqual(tasks(live));
  });
});
