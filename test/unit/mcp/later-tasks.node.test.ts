// Calls that a server of the protocol of 2026-07-28 answers by tasks, over real HTTP: they become background tasks.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import { SdkError } from '../../../src/core/errors.ts';
import { tasksExtension } from '../../../src/mcp/client/connection.ts';
import { createMcpClient } from '../../../src/mcp/client/remote-server.ts';
import { converse } from '../../support/turns/background.ts';
import { createTaskBoard } from '../../support/mcp/mcp-tasks.ts';
import { startMcpServer } from '../../support/mcp/mcp-server.ts';
import { callTool, openHost, runHooked, toResults } from '../../support/turns/run-hooked.ts';

async function openTasks(options: Partial<QueryOptions> = {}) {
  const board = createTaskBoard();
  const server = await startMcpServer(0, board.extend);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const host = await openHost();
  onTestFinished(() => host[Symbol.asyncDispose]?.());
  const there = { type: 'http', url: server.url, alwaysLoad: true } as const;
  const given = { mcpServers: { there }, permissionMode: 'bypassPermissions', ...options } as const;
  const read = async (path: string) =>
    new TextDecoder().decode(await host.workspace.fs.readFile(path));
  return { board, server, host, given, read };
}

const start = { name: 'mcp__there__research', input: {} };

/** A conversation in which the task runs. */
async function startTask(options: Partial<QueryOptions> = {}) {
  const { given, ...rest } = await openTasks(options);
  const talk = converse(rest.host, given);
  talk.say('Go.');
  const asked = await talk.asked();
  asked.call({ id: 'one', ...start });
  const told = await talk.asked();
  const [, id, path] = /which is (\S+) here\. .* goes to (\S+),/u.exec(told.news) ?? [];
  if (id === undefined || path === undefined) throw new Error(`No task was started: ${told.news}`);
  return { ...rest, talk, told, id, path };
}

it('a call that is answered by a task goes on beside the conversation, and its result is a file', async () => {
  const { board, talk, told, id, path, read } = await startTask();
  told.call({ id: 'two', name: 'mcp__there__look', input: {} });
  const next = await talk.asked();
  expect(next.news).toContain('Seen.');
  board.become({
    status: 'completed',
    result: { content: [{ type: 'text', text: 'Birches are white.' }] },
  });
  expect(await talk.taskEnd(id)).toMatchObject({ status: 'completed' });
  expect(await read(path)).toContain('Birches are white.');
  expect(board.said).toEqual(['called']);
  next.say('Done.');
  await talk.end();
});

it('TaskStop cancels it at the server', async () => {
  const { board, talk, told, id } = await startTask();
  told.call({ id: 'stop', name: 'TaskStop', input: { task_id: id } });
  const next = await talk.asked();
  expect(next.news).toContain('is stopped');
  await expect
    .poll(() => board.said, { timeout: 240_000 })
    .toEqual(['called', 'cancelled theirs-1']);
  next.say('Done.');
  await talk.end();
});

it('the query’s end cancels it at the server', async () => {
  const { board, talk, told } = await startTask();
  told.say('Done.');
  await talk.end();
  await expect
    .poll(() => board.said, { timeout: 240_000 })
    .toEqual(['called', 'cancelled theirs-1']);
});

describe('what it asks', () => {
  const form = (message: string) => ({
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message,
      requestedSchema: { type: 'object', properties: { tree: { type: 'string' } } },
    },
  });

  it('goes to the person, once, and the answer to the server', async () => {
    const asked: string[] = [];
    const { board, talk, told, id } = await startTask({
      onElicitation: async ({ message }) => {
        asked.push(message);
        return { action: 'accept', content: { tree: 'birch' } };
      },
    });
    // It goes on asking until it has seen the answer.
    board.become({ status: 'input_required', inputRequests: { which: form('Which tree?') } });
    await expect
      .poll(() => board.answers, { timeout: 240_000 })
      .toEqual({ which: { action: 'accept', content: { tree: 'birch' } } });
    board.become({
      status: 'input_required',
      inputRequests: { which: form('Which tree?'), more: form('And?') },
    });
    await expect.poll(() => board.said, { timeout: 240_000 }).toContain('answered more');
    expect(asked).toEqual(['Which tree?', 'And?']);
    board.become({ status: 'completed', result: { content: [] } });
    expect(await talk.taskEnd(id)).toMatchObject({ status: 'completed' });
    told.say('Done.');
    await talk.end();
  });

  it('ends with the tenth time', async () => {
    const { board, talk, told, id, path, read } = await startTask();
    const many = Array.from({ length: 11 }, (_, at) => [`key-${at}`, form('Again?')]);
    board.become({ status: 'input_required', inputRequests: Object.fromEntries(many) });
    expect(await talk.taskEnd(id)).toMatchObject({ status: 'failed' });
    expect(await read(path)).toContain('has asked for input 10 times');
    await expect.poll(() => board.said, { timeout: 240_000 }).toContain('cancelled theirs-1');
    told.say('Done.');
    await talk.end();
  });
});

describe('a task that comes to nothing', () => {
  it.each([
    [
      'failed',
      { status: 'failed', error: { code: -32603, message: 'No\u202e more.' } },
      'No more.',
    ],
    ['was cancelled there', { status: 'cancelled' }, 'cancelled'],
    ['gives what is no result', { status: 'completed', result: { text: 'Hm.' } }, 'gave no result'],
  ])('%s', async (_, state, why) => {
    const { board, talk, told, id, path, read } = await startTask();
    board.become(state);
    expect(await talk.taskEnd(id)).toMatchObject({ status: 'failed' });
    expect(await read(path)).toContain(why);
    told.say('Done.');
    await talk.end();
  });
});

it('outlives a server that is away for a moment', async () => {
  const { board, server, talk, told, id } = await startTask();
  await server.stop();
  board.become({ status: 'completed', result: { content: [] } });
  await server.start();
  expect(await talk.taskEnd(id)).toMatchObject({ status: 'completed' });
  told.say('Done.');
  await talk.end();
});

it('is told as ended where the worker that follows it is lost', async () => {
  const inline = await openHost();
  onTestFinished(() => inline[Symbol.asyncDispose]?.());
  const { promise: lost, reject: lose } = createDeferred<never>();
  const tool = { name: 'research', description: '', inputSchema: { type: 'object' as const } };
  const extras = { hasResources: false, hasSkills: false, prompts: [] };
  const client = createMcpClient(async () => ({
    isLegacy: false,
    offer: {
      ...{ name: 'there', version: '1', instructions: '', extras, problems: [] },
      tools: [{ ...tool, annotations: {} }],
      answersByTasks: true,
    },
    call: async () => ({ content: [], _meta: { [tasksExtension]: { taskId: 'theirs' } } }),
    follow: () => lost,
    ask: () => Promise.reject(new Error('Nothing is asked.')),
    close: () => Promise.resolve(),
  }));
  const host = Object.assign(Object.create(inline) as typeof inline, { mcp: client });
  const there = { type: 'http', url: 'https://there.example/', alwaysLoad: true } as const;
  const talk = converse(host, { mcpServers: { there }, permissionMode: 'bypassPermissions' });
  talk.say('Go.');
  (await talk.asked()).call({ id: 'one', ...start });
  const told = await talk.asked();
  const [, id = ''] = /which is (\S+) here/u.exec(told.news) ?? [];
  lose(new SdkError('mcp-failed', 'The MCP worker did not answer in time and was ended.'));
  expect(await talk.taskEnd(id)).toMatchObject({ status: 'failed' });
  told.say('Done.');
  await talk.end();
});

it('code that calls the tool waits for what the task gives', async () => {
  const { board, host, given } = await openTasks();
  board.become({
    status: 'completed',
    result: { content: [{ type: 'text', text: 'Birches are white.' }] },
  });
  const code = `JSON.stringify(await tools.${start.name}({}))`;
  const { messages } = await runHooked(host, [callTool('Repl', { code })], given);
  expect(toResults(messages)[0]).toContain('Birches are white.');
});

it('where three run already, a call waits for its task within its time', async () => {
  const { board, talk, told } = await startTask();
  told.call({ id: 'two', ...start }, { id: 'three', ...start });
  const next = await talk.asked();
  expect(next.news).toContain('here.');
  next.call({ id: 'four', ...start });
  await expect.poll(() => board.said.length, { timeout: 240_000 }).toBe(4);
  board.become({
    status: 'completed',
    result: { content: [{ type: 'text', text: 'Birches are white.' }] },
  });
  const last = await talk.asked();
  expect(last.news).toContain('Birches are white.');
  last.say('Done.');
  await talk.end();
});
