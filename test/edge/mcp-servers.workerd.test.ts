// MCP servers elsewhere, as an isolate has them: the same client, on the agent's own thread.
import { env } from 'cloudflare:workers';
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { expect, it, onTestFinished, vi } from 'vitest';
import { query } from '../../src/agent/query.ts';
import { createDeferred } from '../../src/core/async/deferred.ts';
import { createEdgeHost, createSessionObject } from '../../src/edge.ts';
import type { McpLoginStore } from '../../src/core/mcp/mcp-login.ts';
import { createScriptedModel } from '../../src/model/scripted.ts';
import { expectEverything, playEverything } from '../support/mcp/play-everything.ts';
import { createAgentsModel } from '../support/models/agents-model.ts';
import { ringByHand } from '../support/edge/hand-rung.ts';
import { callTool, say } from '../support/turns/run-hooked.ts';

it('reads, asks, completes, samples and stops a task of the reference server', async () => {
  const url = await (await env.EVERYTHING.fetch('http://everything/')).text();
  // A slow machine that does much else has taken 10 s and more to connect.
  const host = await createEdgeHost({ wasm, mcp: { bounds: { connectMs: 120_000 } } });
  expectEverything(await playEverything(host, url));
});

it('wants no second login after the object that keeps it was evicted', async () => {
  const url = await (await env.LOGINS.fetch('http://logins/')).text();
  const object = env.STORE.getByName('logins');
  const inStorage = <Value>(work: (storage: DurableObjectStorage) => Promise<Value>) =>
    runInDurableObject(object, (_instance, { storage }) => work(storage));
  const open = async () => {
    const store: McpLoginStore = {
      read: (key) => inStorage((storage) => storage.get<string>(key)),
      write: (key, value) =>
        inStorage(async (storage) => {
          if (value === undefined) await storage.delete(key);
          else await storage.put(key, value);
        }),
    };
    const login = { redirectUrl: 'https://app.example/logged-in', store };
    const host = await createEdgeHost({ wasm, mcp: { login } });
    const model = createScriptedModel({ script: { turns: [say('Done.')] } });
    const there = { type: 'http', url, alwaysLoad: true } as const;
    const asked = query({ prompt: 'Go.', options: { host, model, mcpServers: { there } } });
    onTestFinished(() => asked.close());
    return asked;
  };
  const first = await open();
  expect((await first.mcpServerStatus())[0]?.status).toBe('needs-auth');
  const { url: page = '' } = await first.loginMcpServer('there');
  const { headers } = await fetch(page, { redirect: 'manual' });
  await first.completeMcpLogin(headers.get('location') ?? '');
  expect((await first.mcpServerStatus())[0]?.status).toBe('connected');
  await evictDurableObject(object);
  expect((await (await open()).mcpServerStatus())[0]?.status).toBe('connected');
});

it('has the tools of its servers in the first request of an object', async () => {
  const url = await (await env.EVERYTHING.fetch('http://everything/')).text();
  // Nothing comes of the connection until the turn has begun.
  const { promise: begun, resolve: begin } = createDeferred();
  const fetchAtOnce = globalThis.fetch;
  vi.stubGlobal('fetch', async (...asked: Parameters<typeof fetch>) => {
    await begun;
    return fetchAtOnce(...asked);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const model = createAgentsModel({ main: [say('Done.')] });
  await runInDurableObject(env.STORE.getByName('servers'), async (_instance, state) => {
    const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
    const beginTurn = async () => {
      begin();
      return {};
    };
    const object = createSessionObject(ctx, {
      wasm,
      model,
      options: {
        toolSearch: false,
        mcpServers: { there: { type: 'http', url } },
        hooks: { UserPromptSubmit: [{ hooks: [beginTurn] }] },
      },
    });
    const session = await object.session();
    await session.send('Go.');
    while (at() !== null) await object.alarm();
    const tools = model.requests[0]?.request.tools ?? [];
    expect(tools.map(({ name }) => name)).toContain('mcp__there__echo');
    await session.close();
  });
});

it('keep an object awake while an agent in the background waits for them', async () => {
  const url = await (await env.EVERYTHING.fetch('http://everything/')).text();
  const model = createAgentsModel({
    main: [
      callTool('Agent', { prompt: 'Write it', description: 'It writes' }, 'begin'),
      say('Begun.'),
      say('Heard.'),
    ],
    'Write it': [callTool('Write', { file_path: 'b.txt', content: 'x' }), say('Written.')],
  });
  const { promise: allowed, resolve: connect } = createDeferred();
  let isHeld = false;
  const fetchAtOnce = globalThis.fetch;
  vi.stubGlobal('fetch', async (...asked: Parameters<typeof fetch>) => {
    if (isHeld) await allowed;
    return fetchAtOnce(...asked);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  await runInDurableObject(env.STORE.getByName('waiting'), async (_instance, state) => {
    const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
    const afterCall = async ({ tool_name }: { readonly tool_name: string }) => {
      if (tool_name === 'Write') connect();
      return {};
    };
    const object = createSessionObject(ctx, {
      wasm,
      model,
      options: {
        mcpServers: { there: { type: 'http', url } },
        hooks: { PostToolUse: [{ hooks: [afterCall as never] }] },
      },
    });
    const session = await object.session();
    await session.send('Go.');
    while (at() !== null) await object.alarm();
    isHeld = true;
    // The agent works beside the turn, so its question may come after that.
    await vi.waitUntil(() => session.questions().length > 0, { timeout: 10_000 });
    const [question] = session.questions();
    const answering = session.answer(question?.requestId ?? '', { behavior: 'allow' });
    await vi.waitUntil(() => at() !== null, { timeout: 10_000 });
    while (at() !== null) await object.alarm();
    await answering;
    expect(JSON.stringify(model.requests.at(-1)?.request.messages)).toContain('Written.');
    await session.close();
  });
});
