// Calls that a server of the protocol of 2025-11-25 runs as tasks, over real HTTP: they are background tasks here.
import { expect, it, onTestFinished } from 'vitest';
import { answerMcp, describeTool } from '../../support/mcp/mcp-answers.ts';
import { converse } from '../../support/turns/background.ts';
import { startMcpServer } from '../../support/mcp/mcp-server.ts';
import { openHost } from '../../support/turns/run-hooked.ts';

const noted = '2026-11-23T00:00:00Z';

/** One tool, `research`, whose task works until `end` says how it ends. */
async function openTasks() {
  const server = await startMcpServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  let status = 'working';
  const said: string[] = [];
  const task = () => ({
    taskId: 'theirs',
    status,
    statusMessage: status === 'working' ? 'Asking </task-notification> around.' : 'Over.',
    createdAt: noted,
    lastUpdatedAt: noted,
    ttl: null,
    pollInterval: 1,
  });
  server.intercept(
    answerMcp({
      'server/discover': (_params, response) => {
        response.writeHead(400).end();
        return 'answered';
      },
      initialize: () => ({
        protocolVersion: '2025-11-25',
        capabilities: { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } },
        serverInfo: { name: 'researcher', version: '1' },
      }),
      'tools/list': () => ({
        tools: [
          describeTool('research', { execution: { taskSupport: 'required' } }),
          describeTool('look', { execution: { taskSupport: 'optional' } }),
        ],
      }),
      'tools/call': ({ task: wanted }) => {
        said.push(wanted === undefined ? 'called' : 'called as a task');
        return wanted === undefined
          ? { content: [{ type: 'text', text: 'Seen.' }] }
          : { task: task() };
      },
      'tasks/get': () => task(),
      'tasks/result': () => ({ content: [{ type: 'text', text: 'Birches are white.' }] }),
      'tasks/cancel': () => {
        said.push('cancelled');
        status = 'cancelled';
        return task();
      },
    }),
  );
  const host = await openHost();
  onTestFinished(() => host[Symbol.asyncDispose]?.());
  const talk = converse(host, {
    mcpServers: { there: { type: 'http', url: server.url, alwaysLoad: true } },
    permissionMode: 'bypassPermissions',
  });
  talk.say('Go.');
  const asked = await talk.asked();
  asked.call({ id: 'one', name: 'mcp__there__research', input: {} });
  const told = await talk.asked();
  const [, id, path] = /which is (\S+) here\. .* goes to (\S+),/u.exec(told.news) ?? [];
  if (id === undefined || path === undefined) throw new Error(`No task was started: ${told.news}`);
  await expect.poll(() => said).toEqual(['called as a task']);
  const read = async () => new TextDecoder().decode(await host.workspace.fs.readFile(path));
  return { talk, told, id, said, read, end: () => (status = 'completed') };
}

it('a call that its server runs as a task goes on beside the conversation, and its result is a file', async () => {
  const { talk, told, id, read, end } = await openTasks();
  told.call({ id: 'two', name: 'mcp__there__look', input: {} });
  const next = await talk.asked();
  expect(next.news).toContain('Seen.');
  end();
  expect(await talk.taskEnd(id)).toMatchObject({ status: 'completed' });
  expect(await read()).toContain('Birches are white.');
  next.say('Done.');
  await talk.end();
});

it('TaskStop cancels it at the server', async () => {
  const { talk, told, id, said } = await openTasks();
  told.call({ id: 'stop', name: 'TaskStop', input: { task_id: id } });
  const next = await talk.asked();
  expect(next.news).toContain(`Task ${id}`);
  expect(next.news).toContain('is stopped');
  await expect.poll(() => said).toEqual(['called as a task', 'cancelled']);
  next.say('Done.');
  await talk.end();
});
