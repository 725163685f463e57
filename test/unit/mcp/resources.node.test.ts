// Resources of MCP servers elsewhere, over real HTTP: what the model reads of them, and how it learns of changes.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { McpServerConfig } from '../../../src/core/mcp/mcp-server.ts';
import { query } from '../../../src/agent/query.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { answerMcp } from '../../support/mcp/mcp-answers.ts';
import { onePixel } from '../../support/files/make-png.ts';
import { addLibrary } from '../../support/mcp/mcp-library.ts';
import { startMcpServer } from '../../support/mcp/mcp-server.ts';
import { callTool, openHost, runHooked, say, toResults } from '../../support/turns/run-hooked.ts';

// Far more than it takes on a loaded machine.
const maxPrompts = 200;

async function openLibrary() {
  const now = { today: 'Plant trees.' };
  const server = await startMcpServer(0, (one) => addLibrary(one, () => now.today));
  onTestFinished(() => server[Symbol.asyncDispose]());
  const books: McpServerConfig = { type: 'http', url: server.url, alwaysLoad: true };
  return { server, now, mcpServers: { books } };
}

const list = (input: Record<string, unknown>, id: string) =>
  callTool('ListMcpResourcesTool', input, id);
const read = (uri: string, id: string) =>
  callTool('ReadMcpResourceTool', { server: 'books', uri }, id);

describe('resources of a server elsewhere', () => {
  it('are listed with templates, completed, and read; bytes become files', async () => {
    await using host = await openHost();
    const { mcpServers } = await openLibrary();
    const turns = [
      list({ server: 'books' }, 'one'),
      list(
        { server: 'books', complete: { uri: 'tree://{kind}', argument: 'kind', value: 'b' } },
        'two',
      ),
      read('note://today', 'three'),
      read('picture://dot', 'four'),
      read('tree://birch', 'five'),
      list({ server: 'nobody' }, 'six'),
    ];
    const { messages } = await runHooked(host, turns, {
      mcpServers,
      permissionMode: 'bypassPermissions',
    });
    const results = toResults(messages);
    expect(JSON.parse(results[0] ?? '')).toEqual([
      {
        uri: 'note://today',
        name: 'today',
        mimeType: 'text/plain',
        description: 'What is on.',
        server: 'books',
      },
      { uri: 'picture://dot', name: 'dot', mimeType: 'image/png', server: 'books' },
      { uri: 'tree://{kind}', name: 'tree', description: 'A kind of tree.', server: 'books' },
    ]);
    expect(JSON.parse(results[1] ?? '')).toEqual([
      { uri: 'tree://beech', name: 'beech', server: 'books' },
      { uri: 'tree://birch', name: 'birch', server: 'books' },
    ]);
    expect(results[2]).toBe('note://today (text/plain):\nPlant trees.');
    expect(results[4]).toBe('tree://birch:\nThis is a birch.');
    expect(results[5]).toContain('There is no connected server "nobody"');
    const path = /\/session\/\S+\.png/u.exec(results[3] ?? '')?.[0] ?? '';
    const init = messages.find((one) => one.type === 'system' && one.subtype === 'init');
    const { id } = await host.workspace.roots.session(init?.session_id ?? '', {
      author: { kind: 'agent' },
    });
    const bytes = await host.workspace.at(id).fs.readFile(path.replace(/^\/session\/[^/]+/u, ''));
    expect(Buffer.from(bytes).toString('base64')).toBe(onePixel);
  });

  it('are asked about by name, taint, and are gone with a rule that denies the server', async () => {
    await using host = await openHost();
    const { mcpServers } = await openLibrary();
    const asked: string[] = [];
    const options: Partial<QueryOptions> = {
      mcpServers,
      egress: 'ask',
      canUseTool: async (toolName, _input, { decisionReason = '' }) => {
        asked.push(`${toolName}: ${decisionReason}`);
        return { behavior: 'allow' };
      },
    };
    const allowed = { ...options, allowedTools: ['ReadMcpResourceTool(books:note://*)'] };
    const turns = [read('note://today', 'one'), read('note://today', 'two')];
    await runHooked(host, turns, allowed);
    // The first by the rule; the second would reach out from a conversation with text from outside.
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('ReadMcpResourceTool');
    const denied = await runHooked(host, [read('note://today', 'one')], {
      ...options,
      disallowedTools: ['mcp__books'],
    });
    expect(toResults(denied.messages)[0]).toContain('ReadMcpResourceTool');
    expect(toResults(denied.messages)[0]).not.toContain('Plant trees');
  });

  it('have no tools where no server has any', async () => {
    await using host = await openHost();
    const server = await startMcpServer();
    onTestFinished(() => server[Symbol.asyncDispose]());
    const plain = { type: 'http', url: server.url, alwaysLoad: true } as const;
    const { requests } = await runHooked(host, [say('Done.')], { mcpServers: { plain } });
    expect(JSON.stringify(requests)).not.toContain('McpResource');
  });

  it('are told of when they change, once, and to whom has read them', async () => {
    await using host = await openHost();
    const { server, now, mcpServers } = await openLibrary();
    const answers = Array.from({ length: maxPrompts }, () => say('Yes.'));
    const turns = [list({}, 'zero'), read('note://today', 'one'), ...answers];
    const scripted = createScriptedModel({ script: { turns } });
    const sent: string[] = [];
    const model: typeof scripted = {
      ...scripted,
      stream(request, options) {
        sent.push(JSON.stringify(request.messages));
        return scripted.stream(request, options);
      },
    };
    const told = 'The resource note://today of the server books has changed since you read it.';
    const listed = 'The server books offers other resources than when you listed them.';
    let results = 0;
    // Prompts are taken ahead of their turn.
    const answered = (count: number) =>
      vi.waitFor(() => expect(results).toBeGreaterThanOrEqual(count), { timeout: 240_000 });
    const prompts = (async function* () {
      const toPrompt = (content: string) =>
        ({ type: 'user', message: { role: 'user', content } }) as const;
      yield toPrompt('Go.');
      await answered(1);
      now.today = 'Water them.';
      server.notify.resourceUpdated('picture://dot');
      server.notify.resourceUpdated('note://today');
      server.notify.resourcesChanged();
      // It comes by two streams: the agent is asked until it has heard of both.
      const hasHeard = () => sent.at(-1)?.includes(told) && sent.at(-1)?.includes(listed);
      let count = 1;
      for (; count < maxPrompts - 1 && !hasHeard(); count += 1) {
        yield toPrompt('On.');
        await answered(count + 1);
        // Else nothing that comes over the network would be read between two turns.
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      yield toPrompt('And on.');
    })();
    const options = { host, model, mcpServers, permissionMode: 'bypassPermissions' } as const;
    for await (const { type } of query({ prompt: prompts as never, options })) {
      if (type === 'result') results += 1;
    }
    const last = sent.at(-1) ?? '';
    expect(sent[2]).not.toContain(told);
    expect(last.split(told)).toHaveLength(2);
    expect(last.split(listed)).toHaveLength(2);
    expect(last).not.toContain('picture://dot of');
  });
});

it('bytes in a call’s result become files of the session, and an image is shown', async () => {
  await using host = await openHost();
  const { server, mcpServers } = await openLibrary();
  const blob = btoa('PK-bytes');
  server.intercept(
    answerMcp({
      'tools/call': () => ({
        content: [
          { type: 'resource', resource: { uri: 'x://1', blob, mimeType: 'application/zip' } },
          { type: 'audio', data: blob, mimeType: 'audio/wav' },
          { type: 'image', data: onePixel, mimeType: 'image/png' },
        ],
      }),
    }),
  );
  const { messages, requests } = await runHooked(host, [callTool('mcp__books__add', {})], {
    mcpServers,
    permissionMode: 'bypassPermissions',
  });
  const [text = ''] = toResults(messages);
  const paths = [...text.matchAll(/its bytes are in (\S+)\./gu)].map(([, path = '']) => path);
  expect(paths.map((path) => path.split('.').at(-1))).toEqual(['zip', 'wav']);
  for (const path of paths) {
    expect(new TextDecoder().decode(await host.workspace.fs.readFile(path))).toBe('PK-bytes');
  }
  const sent = JSON.stringify(requests.at(-1));
  expect([sent.includes(blob), sent.includes(onePixel)]).toEqual([false, true]);
});
