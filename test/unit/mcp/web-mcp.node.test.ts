// Tools that a page offers to agents (WebMCP), as both generations of Chrome have them: schemas and inputs as objects, or
// as texts.
import { describe, expect, it } from 'vitest';
import type { CanUseTool } from '../../../src/core/permissions/permission.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import type { McpWebServerConfig, WebModelContext } from '../../../src/core/mcp/mcp-server.ts';
import { createWebConnect } from '../../../src/hosts/browser/page/web-mcp.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import { createMcpClient } from '../../../src/mcp/client/remote-server.ts';
import { callTool, openHost, runHooked, toResults } from '../../support/turns/run-hooked.ts';

const own = 'https://host.test';

interface PageTool {
  readonly name: string;
  readonly description: string;
  readonly origin?: string;
  readonly inputSchema?: unknown;
  readonly annotations?: Readonly<Record<string, boolean>>;
  run(input: never): unknown;
}

/** `document.modelContext` of a page, whose tools can be changed. */
function createPage(...tools: readonly PageTool[]) {
  const listeners = new Set<() => void>();
  const asked: unknown[] = [];
  let offered = tools;
  const modelContext: WebModelContext = {
    getTools: async (options) => {
      asked.push(options);
      return offered.map(({ run: _, ...tool }) => ({ origin: own, ...tool }));
    },
    async executeTool(tool, input) {
      const { name, description } = tool as PageTool;
      const given = offered.find((one) => one.name === name && one.description === description);
      const wantsText = typeof given?.inputSchema === 'string';
      if (wantsText !== (typeof input === 'string')) throw new TypeError('invalid input object');
      const read = typeof input === 'string' ? JSON.parse(input) : input;
      return JSON.stringify(await given?.run(read as never));
    },
    addEventListener: (_type, listener) => void listeners.add(listener),
    removeEventListener: (_type, listener) => void listeners.delete(listener),
  };
  return {
    modelContext,
    asked,
    listeners,
    change(...next: readonly PageTool[]) {
      offered = next;
      for (const listener of listeners) listener();
    },
  };
}

async function openPage() {
  const host = await openHost();
  const client = createMcpClient(createWebConnect(createVirtualClock(), {}, own));
  return Object.assign(host, { mcp: { hasPage: true as const, connect: client.connect } });
}

const toConfig = (
  modelContext: WebModelContext,
  more: Partial<McpWebServerConfig> = {},
): McpWebServerConfig => ({ type: 'webmcp', alwaysLoad: true, modelContext, ...more });

const add: PageTool = {
  name: 'add',
  description: 'Adds.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
  annotations: { readOnlyHint: true },
  run: ({ a }: { a: number }) => ({ content: [{ type: 'text', text: String(a + 1) }] }),
};

const allow: CanUseTool = async () => ({ behavior: 'allow' });

describe('the tools of a page', () => {
  it.each([
    ['as objects', add],
    ['as texts', { ...add, inputSchema: JSON.stringify(add.inputSchema) }],
  ])('are called with schema and input %s', async (_form, tool) => {
    await using host = await openPage();
    const { modelContext } = createPage(tool);
    const { messages } = await runHooked(host, [callTool('mcp__page__add', { a: 1 }, 'one')], {
      mcpServers: { page: toConfig(modelContext) },
      canUseTool: allow,
    });
    expect(toResults(messages)).toEqual(['2']);
  });

  it('may give anything, which is then its text', async () => {
    await using host = await openPage();
    const { modelContext } = createPage(
      { ...add, name: 'plain', run: () => 'Done.' },
      { ...add, name: 'data', run: () => ({ sum: 2 }) },
      { ...add, name: 'nothing', run: () => null },
      { ...add, name: 'broken', run: () => Promise.reject(new Error('It is out of order.')) },
    );
    const call = (name: string) => callTool(`mcp__page__${name}`, {}, name);
    const turns = ['plain', 'data', 'nothing', 'broken'].map(call);
    const { messages } = await runHooked(host, turns, {
      mcpServers: { page: toConfig(modelContext) },
      canUseTool: allow,
    });
    const results = toResults(messages);
    expect(results.slice(0, 3)).toEqual(['Done.', '{"sum":2}', 'null']);
    expect(results[3]).toContain('It is out of order.');
  });

  it('are those that are shown: of two with one name the first that can be read', async () => {
    await using host = await openPage();
    const { modelContext } = createPage(
      {
        ...add,
        description: 'Hides behind it.',
        inputSchema: { type: 'string' },
        run: () => 'Ha!',
      },
      add,
      { ...add, description: 'Comes too late.', run: () => 'Ha!' },
    );
    const { messages } = await runHooked(host, [callTool('mcp__page__add', { a: 1 }, 'one')], {
      mcpServers: { page: toConfig(modelContext) },
      canUseTool: allow,
    });
    expect(toResults(messages)).toEqual(['2']);
  });

  it('are of frames that the host names, and of no others', async () => {
    await using host = await openPage();
    const { modelContext, asked } = createPage(add);
    await runHooked(host, [callTool('mcp__page__add', { a: 1 }, 'one')], {
      mcpServers: { page: toConfig(modelContext, { fromOrigins: ['https://frame.test'] }) },
      canUseTool: allow,
    });
    expect(asked).toEqual([{ fromOrigins: ['https://frame.test'] }]);
    for (const fromOrigins of [['*'], ['https://frame.test/'], ['frame.test'], 'all']) {
      const page = toConfig(modelContext, { fromOrigins: fromOrigins as never });
      const running = runHooked(host, [], { mcpServers: { page } });
      await expect(running).rejects.toThrow('fromOrigins must be a list of origins');
    }
  });

  it.each([
    ['its own', add, false],
    ['another origin’s', { ...add, origin: 'https://frame.test' }, true],
    ['what people have written', { ...add, annotations: { untrustedContentHint: true } }, true],
  ])('taint with what is %s', async (_what, tool, taints) => {
    await using host = await openPage();
    const { modelContext } = createPage(tool);
    const asked: string[] = [];
    const turns = [
      callTool('mcp__page__add', { a: 1 }, 'one'),
      callTool('Write', { file_path: 'CLAUDE.md', content: 'x' }, 'two'),
    ];
    await runHooked(host, turns, {
      mcpServers: { page: toConfig(modelContext) },
      permissionMode: 'acceptEdits',
      allowedTools: ['mcp__page__add'],
      canUseTool: async (name) => {
        asked.push(name);
        return { behavior: 'allow' };
      },
    });
    // What instructs the agent is asked about once there are words from outside.
    expect(asked).toEqual(taints ? ['Write'] : []);
  });

  it('can’t be undone where they say so', async () => {
    await using host = await openPage();
    const { modelContext } = createPage({ ...add, annotations: { consequentialHint: true } });
    const client = await host.mcp.connect('page', toConfig(modelContext), {
      onTools: () => undefined,
      onLost: () => undefined,
      onQuestion: () => Promise.reject(new Error('Nobody asks.')),
      onEvent: () => undefined,
      abilities: { samples: false, root: '/' },
      signal: new AbortController().signal,
    });
    expect(client.toTools('page').map((tool) => tool.isDestructive({}))).toEqual([true]);
  });

  it('come and go', async () => {
    const { modelContext, change, listeners } = createPage(add);
    await using host = await openPage();
    const { promise: told, resolve: tell } = createDeferred();
    const server = await host.mcp.connect('page', toConfig(modelContext), {
      onTools: () => tell(),
      onLost: () => undefined,
      onQuestion: () => Promise.reject(new Error('Nobody asks.')),
      onEvent: () => undefined,
      abilities: { samples: false, root: '/' },
      signal: new AbortController().signal,
    });
    change({ ...add, name: 'other' });
    await told;
    expect(server.toTools('page').map(({ name }) => name)).toEqual(['mcp__page__other']);
    await server.close();
    expect(listeners.size).toBe(0);
  });

  it('are refused where there is no page', async () => {
    await using host = await openHost();
    const { modelContext } = createPage(add);
    const running = runHooked(host, [], { mcpServers: { page: toConfig(modelContext) } });
    await expect(running).rejects.toThrow('there is no page here whose tools could be used');
  });
});
