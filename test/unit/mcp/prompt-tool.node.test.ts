// A server elsewhere that answers permission questions in a person's place, over real HTTP.
import { expect, it, onTestFinished } from 'vitest';
import { answerMcp, describeTool } from '../../support/mcp/mcp-answers.ts';
import { startMcpServer } from '../../support/mcp/mcp-server.ts';
import { openHost, runHooked, toResults, write } from '../../support/turns/run-hooked.ts';

const question = { tool_name: { type: 'string' }, input: { type: 'object' } };

/** Its server answers with that, and notes what it was asked. */
async function play(answer: string) {
  await using host = await openHost();
  const server = await startMcpServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  const asked: unknown[] = [];
  const inputSchema = { type: 'object', properties: question, required: ['tool_name', 'input'] };
  server.intercept(
    answerMcp({
      'tools/list': () => ({ tools: [describeTool('approve', { inputSchema })] }),
      'tools/call': (params) => {
        asked.push(params['arguments']);
        return { content: [{ type: 'text', text: answer }] };
      },
    }),
  );
  const { messages } = await runHooked(host, [write('b.txt', 'new')], {
    mcpServers: { guard: { type: 'http', url: server.url } },
    permissionPromptToolName: 'mcp__guard__approve',
  });
  const written = await host.workspace.fs.readFile('/workspace/b.txt', 'utf8').catch(() => null);
  return { asked, written, results: toResults(messages) };
}

it('is waited for while it is being connected, and its yes counts', async () => {
  const { asked, written } = await play('{"behavior":"allow"}');
  expect(asked).toEqual([{ tool_name: 'Write', input: { file_path: 'b.txt', content: 'new' } }]);
  expect(written).toBe('new');
});

it('says no in its own words', async () => {
  const { written, results } = await play('{"behavior":"deny","message":"Not here."}');
  expect(written).toBeNull();
  expect(results).toEqual([expect.stringContaining('Not here.')]);
});
