// Tasks of servers that don't keep to the protocol, over real HTTP.
import { expect, it, onTestFinished } from 'vitest';
import { createServerFetch } from '../../../src/core/host-ports/fetch-port.ts';
import { defaultBounds } from '../../../src/mcp/client/bounds.ts';
import { connectServer } from '../../../src/mcp/client/connect-server.ts';
import { readTaskId, tasksExtension } from '../../../src/mcp/client/connection.ts';
import { createMcpClient } from '../../../src/mcp/client/remote-server.ts';
import { answerMcp, describeTool } from '../../support/mcp-answers.ts';
import type { Answer } from '../../support/mcp-answers.ts';
import { toListeners } from '../../support/mcp-listeners.ts';
import { startMcpServer } from '../../support/mcp-server.ts';
import { createTaskBoard } from '../../support/mcp-tasks.ts';

const realm = {
  fetch: createServerFetch((url, init) => fetch(url, init)),
  bounds: defaultBounds,
};
const callOptions = (signal = new AbortController().signal) => ({
  signal,
  onProgress: () => undefined,
});

/** `answers`: by the protocol's methods, in the place of the board's. `settings`: what it says of the extension. */
async function connect(
  answers: Readonly<Record<string, Answer>>,
  settings: Readonly<Record<string, boolean>> = {},
) {
  const board = createTaskBoard();
  const server = await startMcpServer(0, (created) => {
    board.extend(created);
    created.server.registerCapabilities({ extensions: { [tasksExtension]: settings } });
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  server.intercept(answerMcp(answers));
  const config = { type: 'http', url: server.url } as const;
  const given = [config, toListeners(), new AbortController().signal, realm] as const;
  const connection = await connectServer(...given);
  onTestFinished(() => connection.close());
  return { board, connection };
}

const stateOf = (status: string, more: Readonly<Record<string, unknown>> = {}) => ({
  ...{ taskId: 'theirs', status, createdAt: noted, lastUpdatedAt: noted },
  ...{ ttl: null, ttlMs: null, pollInterval: 1, pollIntervalMs: 1 },
  ...more,
});
const noted = '2026-11-23T00:00:00Z';

it('the result that came with the end is taken, where the server knows no task afterwards', async () => {
  let asked = 0;
  const { connection } = await connect({
    'tasks/get': (_params, response) => {
      asked += 1;
      if (asked === 1) return stateOf('completed', { result: { content: [] } });
      response.writeHead(500).end();
      return 'answered';
    },
  });
  expect(await connection.follow('theirs', callOptions())).toEqual({ content: [] });
  expect(asked).toBe(1);
});

it('a task that goes on after its end is cancelled with its call: servers before 2026-07-28', async () => {
  const cut = new AbortController();
  let asked = 0;
  let cancelled = 0;
  const { connection } = await connect({
    'server/discover': (_params, response) => {
      response.writeHead(400).end();
      return 'answered';
    },
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } },
      serverInfo: { name: 'researcher', version: '1' },
    }),
    'tools/list': () => ({ tools: [describeTool('research')] }),
    'tasks/get': () => {
      asked += 1;
      if (asked === 1) return stateOf('completed');
      cut.abort();
      return stateOf('working');
    },
    'tasks/cancel': () => {
      cancelled += 1;
      return stateOf('cancelled');
    },
  });
  await expect(connection.follow('theirs', callOptions(cut.signal))).rejects.toMatchObject({
    code: 'aborted',
  });
  await expect.poll(() => cancelled, { timeout: 30_000 }).toBe(1);
});

it('a server that says more of the extension than nothing has its task followed, and cancelled', async () => {
  const { board, connection } = await connect({}, { list: true });
  const cut = new AbortController();
  const called = await connection.call('research', {}, callOptions(cut.signal));
  const taskId = readTaskId(called) ?? '';
  const following = connection.follow(taskId, {
    ...callOptions(cut.signal),
    onProgress: () => cut.abort(),
  });
  await expect(following).rejects.toMatchObject({ code: 'aborted' });
  await expect
    .poll(() => board.said, { timeout: 30_000 })
    .toEqual(['called', 'cancelled theirs-1']);
});

it.each([[undefined], [7], ['']])('a task whose id is %j is no result', async (taskId) => {
  const { connection } = await connect({
    'tools/call': () => stateOf('working', { resultType: 'task', taskId }),
  });
  await expect(connection.call('research', {}, callOptions())).rejects.toMatchObject({
    code: 'mcp-failed',
    message: expect.stringContaining("Unsupported result type 'task'"),
  });
});

it('a task that can’t go on beside the conversation is cancelled at the server', async () => {
  const { board, connection } = await connect({});
  const client = createMcpClient(() => Promise.resolve(connection));
  const config = { type: 'http', url: 'https://there.example/' } as const;
  const { signal } = new AbortController();
  const heard = { ...toListeners(), onTools: () => undefined };
  const server = await client.connect('there', config, { ...heard, signal });
  const tool = server.toTools('there').find(({ name }) => name === 'mcp__there__research');
  const context = {
    abortController: new AbortController(),
    goOnInBackground: () => Promise.reject(new Error('The disk is full.')),
  };
  const called = tool?.call?.({}, context as never, undefined as never, undefined as never);
  await expect(called).rejects.toThrow('The disk is full.');
  await expect
    .poll(() => board.said, { timeout: 30_000 })
    .toEqual(['called', 'cancelled theirs-1']);
});
