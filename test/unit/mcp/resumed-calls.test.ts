// A call of a server's tool that waits for a person when its session is let go. The next opening
// connects the server anew, and goes on with the call when the server is there.
import { expect, it } from 'vitest';
import { openSession } from '../../../src/agent/open-session.ts';
import type { Host } from '../../../src/agent/host.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import type { McpClientPort, RemoteMcpServer } from '../../../src/core/mcp/mcp-server.ts';
import { createSdkMcpServer } from '../../../src/mcp/create-sdk-mcp-server.ts';
import { tool } from '../../../src/mcp/tool.ts';
import type { Clock } from '../../../src/core/tool/ports.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import { isResult, openHost, readUntil } from '../../support/sessions/open-sessions.ts';
import { asks, listModel, says } from '../../support/turns/play-turns.ts';

const mcpServers = { notes: { type: 'http', url: 'https://notes.example' } } as const;

/** A server that is connected when `isThere` resolves. */
function serverOf(isThere: Promise<void>, added: string[]): McpClientPort {
  const add = tool('add', 'Adds a note.', {}, async () => {
    added.push('one');
    return { content: [{ type: 'text', text: 'Added.' }] };
  });
  const { instance } = createSdkMcpServer({ name: 'notes', tools: [add] });
  return {
    async connect() {
      await isThere;
      const server = {
        name: 'notes',
        version: '1',
        problems: [],
        toTools: (name: string) => instance.toTools(name),
        close: async () => undefined,
      };
      return server as unknown as RemoteMcpServer;
    },
  };
}

const withServer = (host: Host, mcp: McpClientPort): Host =>
  Object.assign(Object.create(host) as Host, { mcp });

it('waits for the server of a call that a person was asked about before', async () => {
  const medium = createMemoryMedium();
  const added: string[] = [];
  const model = listModel('claude-test', [
    asks({ type: 'tool_use', id: 'c1', name: 'mcp__notes__add', input: {} }),
    says('It is noted.'),
  ]);
  const options = { model, mcpServers, sessionId: 's1' };
  const before = withServer(await openHost(medium), serverOf(Promise.resolve(), added));
  const first = await openSession({ ...options, host: before });
  const isAsked = readUntil(first, () => first.questions().length > 0);
  await first.send('Note it.');
  await isAsked;
  const [question] = first.questions();

  const { promise: isThere, resolve: arrive } = createDeferred();
  const after = withServer(await openHost(medium), serverOf(isThere, added));
  const { sessionId: resume, ...rest } = options;
  await using second = await openSession({ ...rest, resume, host: after });
  const answered = second.answer(question?.requestId ?? '', { behavior: 'allow' });
  arrive();
  await answered;
  const result = (await readUntil(second, isResult)).at(-1);
  expect(result).toMatchObject({ subtype: 'success', result: 'It is noted.' });
  expect(added).toEqual(['one']);
});

it('offers by its first request again what the conversation knows of a server', async () => {
  const medium = createMemoryMedium();
  const added: string[] = [];
  const search = { query: 'select:mcp__notes__add' };
  const model = listModel('claude-test', [
    asks({ type: 'tool_use', id: 'c1', name: 'ToolSearch', input: search }),
    says('It is there.'),
    asks({ type: 'tool_use', id: 'c2', name: 'mcp__notes__add', input: {} }),
    says('It is noted.'),
  ]);
  const options = { model, mcpServers, permissionMode: 'bypassPermissions' } as const;
  const before = withServer(await openHost(medium), serverOf(Promise.resolve(), added));
  const first = await openSession({ ...options, sessionId: 's1', host: before });
  await first.send('Look for it.');
  await readUntil(first, isResult);
  await first.close();

  const { promise: isThere, resolve: arrive } = createDeferred();
  const host = await openHost(medium);
  const clock: Clock = {
    ...host.clock,
    after(delayMs, callback) {
      // It is waited for.
      if (delayMs === 5_000) arrive();
      return host.clock.after(delayMs, callback);
    },
  };
  const after = Object.assign(withServer(host, serverOf(isThere, added)), { clock });
  await using second = await openSession({ ...options, resume: 's1', host: after });
  const { n } = await second.send('Note it.');
  await readUntil(second, isResult, n);
  const [, known, again] = model.requests;
  expect(again?.tools).toEqual(known?.tools);
  expect(JSON.stringify(again?.messages)).not.toContain('no longer there');
  expect(added).toEqual(['one']);
});
