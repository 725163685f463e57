// What servers log, over real HTTP: it goes to the trace, and to nobody else.
import { expect, it, onTestFinished } from 'vitest';
import { answerMcp } from '../../support/mcp/mcp-answers.ts';
import { startMcpServer } from '../../support/mcp/mcp-server.ts';
import { callTool, openHost, readAll, say, startHooked } from '../../support/turns/run-hooked.ts';

it('what a server logs goes to the trace, as its words', async () => {
  const server = await startMcpServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  server.intercept((request, response) =>
    answerMcp({
      'tools/call': () => {
        const { id } = JSON.parse(request.body) as { readonly id: number };
        const tell = (message: object) =>
          response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const params = { level: 'warning', data: { disk: 'is \u202Efull' } };
        tell({ method: 'notifications/message', params });
        tell({ id, result: { resultType: 'complete', content: [{ type: 'text', text: 'Hi.' }] } });
        response.end();
        return 'answered';
      },
    })(request, response),
  );
  await using host = await openHost();
  const turns = [callTool('mcp__there__echo', { text: 'Hi.' }), say('Done.')];
  const { running, requests } = startHooked(host, turns, {
    mcpServers: { there: { type: 'http', url: server.url, alwaysLoad: true } },
    permissionMode: 'bypassPermissions',
  });
  const logged: unknown[] = [];
  running.trace.follow((event) => {
    if (event.type === 'server-log') logged.push(event);
  });
  const messages = await readAll(running);
  expect(logged).toEqual([
    expect.objectContaining({ serverName: 'there', level: 'warning', text: '{"disk":"is full"}' }),
  ]);
  expect(JSON.stringify([messages, requests])).not.toContain('is full');
});
