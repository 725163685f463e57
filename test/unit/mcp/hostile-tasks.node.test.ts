// Tasks of servers that don't keep to the protocol, over real HTTP.
import { expect, it, onTestFinished } from 'vitest';
import { createServerFetch } from '../../../src/core/host-ports/fetch-port.ts';
import { defaultBounds } from '../../../src/mcp/client/bounds.ts';
import { connectServer } from '../../../src/mcp/client/connect-server.ts';
import { readTaskId, tasksExtension } from '../../../src/mcp/client/connection.ts';
import type { ConnectionListeners } from '../../../src/mcp/client/connection.ts';
import { createMcpClient } from '../../../src/mcp/client/remote-server.ts';
import { answerMcp, describeTool } from '../../support/mcp/mcp-answers.ts';
import type { Answer } from '../../support/mcp/mcp-answers.ts';
import { toListeners } from '../../support/mcp/mcp-listeners.ts';
import { startMcpServer } from '../../support/mcp/mcp-server.ts';
import { createTaskBoard } from '../../support/mcp/mcp-tasks.ts';

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
  heard: Partial<ConnectionListeners> = {},
) {
  const board = createTaskBoard();
  const server = await startMcpServer(0, (created) => {
    board.extend(created);
    created.server.registerCapabilities({ extensions: { [tasksExtension]: settings } });
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  server.intercept(answerMcp(answers));
  const config = { type: 'http', url: server.url } as const;
  const given = [config, toListeners(heard), new AbortController().signal, realm] as const;
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

/** It speaks the protocol before 2026-07-28. */
const older: Readonly<Record<string, Answer>> = {
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
};

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
    ...older,
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
  await expect.poll(() => cancelled, { timeout: 240_000 }).toBe(1);
});

it('a task that asks for ever is cancelled, and its stream that broke is opened anew: servers before 2026-07-28', async () => {
  let opened = 0;
  let cancelled = 0;
  let asked = 0;
  const answers: Readonly<Record<string, Answer>> = {
    ...older,
    'tasks/get': () => stateOf('input_required'),
    'tasks/result': (_params, response) => {
      opened += 1;
      if (opened === 1) {
        response.writeHead(500).end();
        return 'answered';
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const _meta = { 'io.modelcontextprotocol/related-task': { taskId: 'theirs' } };
      const requestedSchema = { type: 'object', properties: {} };
      const params = { mode: 'form', message: 'Again?', requestedSchema, _meta };
      for (let id = 1; id <= 11; id += 1) {
        const request = { jsonrpc: '2.0', id, method: 'elicitation/create', params };
        response.write(`data: ${JSON.stringify(request)}\n\n`);
      }
      return 'answered';
    },
    'tasks/cancel': () => {
      cancelled += 1;
      return stateOf('cancelled');
    },
    // What the person has answered.
    undefined: (_params, response) => {
      response.writeHead(202).end();
      return 'answered';
    },
  };
  const { connection } = await connect(
    answers,
    {},
    {
      onQuestion: () => {
        asked += 1;
        return Promise.resolve({ type: 'elicited', result: { action: 'decline' } });
      },
    },
  );
  await expect(connection.follow('theirs', callOptions())).rejects.toMatchObject({
    code: 'limit-exceeded',
    message: expect.stringContaining('has asked for input 10 times'),
  });
  expect([opened, asked]).toEqual([2, 10]);
  await expect.poll(() => cancelled, { timeout: 240_000 }).toBe(1);
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
    .poll(() => board.said, { timeout: 240_000 })
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
    .poll(() => board.said, { timeout: 240_000 })
    .toEqual(['called', 'cancelled theirs-1']);
});
