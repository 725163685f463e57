// Tools of a session object that ask the world or begin agents: a page of the web, a workflow. The object's alarm is
// rung by hand, and the web is a stub of the isolate's own fetch.
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { afterEach, expect, it, vi } from 'vitest';
import { createSessionObject } from '../../src/edge.ts';
import { createAgentsModel, type AgentsModel } from '../support/models/agents-model.ts';
import { ringByHand } from '../support/edge/hand-rung.ts';
import { callTool, say } from '../support/turns/run-hooked.ts';

afterEach(() => void vi.unstubAllGlobals());

/** Sends a prompt, and rings until nothing more is to be done. Gives what the main agent's model was told last. */
async function play(name: string, model: AgentsModel): Promise<string> {
  let told = '';
  await runInDurableObject(
    env.STORE.getByName(`object tools, ${name}`),
    async (_instance, state) => {
      const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
      const object = createSessionObject(ctx, {
        wasm,
        model,
        options: { permissionMode: 'bypassPermissions', toolSearch: false },
      });
      const session = await object.session();
      await session.send('Go.');
      while (at() !== null) await object.alarm();
      const last = model.requests.findLast(({ who }) => who === 'main');
      told = JSON.stringify(last?.request.messages);
      await session.close();
    },
  );
  return told;
}

it('WebFetch reads a page by the fetch of the isolate', async () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (input: RequestInfo | URL) => {
    const { url } = new Request(input);
    asked.push(url);
    const headers = { 'content-type': 'text/html; charset=utf-8' };
    return new Response('<h1>Tides</h1><p>Low at <b>nine</b>.</p>', { headers });
  });
  const page = { url: 'https://tides.example/today', prompt: 'When is low tide?' };
  const model = createAgentsModel({ main: [callTool('WebFetch', page, 'page'), say('At nine.')] });
  const told = await play('web-fetch', model);
  expect(asked).toEqual(['https://tides.example/today']);
  expect(told).toContain('# Tides');
  expect(told).toContain('Low at **nine**.');
});

it('Workflow runs its script and its agents', async () => {
  const script = `export const meta = { name: 'test', description: 'A test' };
return (await parallel(args.files.map((file) => () => agent('Read ' + file)))).join(' ');`;
  const model = createAgentsModel({
    main: [
      callTool('Workflow', { script, args: { files: ['a', 'b'] } }, 'flow'),
      say('It runs.'),
      say('Done.'),
    ],
    'Read a': [say('First.')],
    'Read b': [say('Second.')],
  });
  expect(await play('workflow', model)).toContain('is done: First. Second.');
});

it('a cell in the background is told as lost once its instance is gone', async () => {
  // An hour: a cell that nothing can wake would end by itself.
  const code = 'await new Promise((resolve) => setTimeout(resolve, 3_600_000))';
  const cell = { code, run_in_background: true };
  const model = createAgentsModel({
    main: [callTool('Repl', cell), say('It runs.'), say('It is lost.')],
  });
  await runInDurableObject(env.STORE.getByName('lost-cell'), async (_instance, state) => {
    const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
    const given = { wasm, model, options: { permissionMode: 'bypassPermissions' } } as const;
    const before = createSessionObject(ctx, given);
    const session = await before.session();
    await session.send('Go.');
    // The cell never ends, so neither does its event.
    let isGone = false;
    const ringing = (async () => {
      while (at() !== null && !isGone) await before.alarm();
    })();
    const isIdle = () => model.requests.length === 2 && session.state() === 'idle';
    await vi.waitUntil(isIdle, { timeout: 10_000 });
    isGone = true;
    await before.release();
    await ringing;
    const after = createSessionObject(ctx, given);
    while (at() !== null) await after.alarm();
    expect(model.requests).toHaveLength(3);
    expect(JSON.stringify(model.requests.at(-1)?.request.messages)).toContain('was interrupted');
    await (await after.session()).close();
  });
});
