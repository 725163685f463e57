// Questions of a session in an object that no person is there to answer. The object's alarm is rung by hand.
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createSessionObject } from '../../src/edge.ts';
import type { ObjectSessionOptions } from '../../src/edge.ts';
import { buildTool } from '../../src/core/tool/build-tool.ts';
import { createSdkMcpServer, tool } from '../../src/mcp.ts';
import { createAgentsModel } from '../support/models/agents-model.ts';
import { ringByHand } from '../support/edge/hand-rung.ts';
import { callTool, say, write } from '../support/turns/run-hooked.ts';

/** The model writes a file, and the object rings until nothing more is to be done. Gives what became of the call. */
async function play(name: string, options: ObjectSessionOptions): Promise<string> {
  const model = createAgentsModel({ main: [write('b.txt'), say('Done.')] });
  let told = '';
  await runInDurableObject(
    env.STORE.getByName(`object answers, ${name}`),
    async (_instance, state) => {
      const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
      const object = createSessionObject(ctx, { wasm, model, options });
      const session = await object.session();
      await session.send('Go.');
      while (at() !== null) await object.alarm();
      expect(session.questions()).toEqual([]);
      told = JSON.stringify(model.requests.at(-1)?.request.messages);
      await session.close();
    },
  );
  return told;
}

it('are refused at once where nobody answers, and the turn ends', async () => {
  const told = await play('nobody', { permissionPrompts: 'none' });
  expect(told).toContain("Nobody is here to ask (permissionPrompts is 'none').");
});

it('are answered by a tool of a server, while the session works', async () => {
  const asked: unknown[] = [];
  const shape = { tool_name: z.string(), input: z.record(z.string(), z.unknown()) };
  const approve = tool('approve', 'Says yes or no.', shape, async ({ tool_name }) => {
    asked.push(tool_name);
    return { content: [{ type: 'text', text: '{"behavior":"allow"}' }] };
  });
  const told = await play('guarded', {
    mcpServers: { guard: createSdkMcpServer({ name: 'guard', tools: [approve] }) },
    permissionPromptToolName: 'mcp__guard__approve',
  });
  expect(asked).toEqual(['Write']);
  expect(told).toContain('Made the new file /workspace/b.txt.');
});

it('of an agent in the background are answered, though the session has slept since', async () => {
  const model = createAgentsModel({
    main: [
      callTool('Agent', { prompt: 'Write it', description: 'It writes' }, 'begin'),
      say('Begun.'),
      say('Heard.'),
    ],
    'Write it': [write('b.txt'), say('Written.')],
  });
  await runInDurableObject(env.STORE.getByName('asks-beside'), async (_instance, state) => {
    const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
    const object = createSessionObject(ctx, { wasm, model, options: {} });
    const session = await object.session();
    await session.send('Go.');
    while (at() !== null) await object.alarm();
    // The agent works beside the turn, so its question may come after that.
    await vi.waitUntil(() => session.questions().length > 0, { timeout: 10_000 });
    const [question] = session.questions();
    const answering = session.answer(question?.requestId ?? '', { behavior: 'allow' });
    answering.catch(() => undefined);
    await vi.waitUntil(() => at() !== null, { timeout: 10_000 });
    while (at() !== null) await object.alarm();
    await answering;
    expect(JSON.stringify(model.requests.at(-1)?.request.messages)).toContain('Written.');
    await session.close();
  });
});

it('of one agent let no other agent be cut between two of its steps', async () => {
  // As a tool that asks the network does: longer than an object that rests stays awake.
  const look = buildTool({
    name: 'Look',
    inputSchema: z.strictObject({}),
    description: async () => 'Looks.',
    prompt: async () => 'Looks.',
    isReadOnly: () => true,
    async validateInput() {
      for (let count = 0; count < 20; count += 1) await new Promise((go) => setTimeout(go));
      return { result: true };
    },
    call: async () => ({ data: 'Seen.' }),
    mapToolResultToToolResultBlockParam: (content: string, id: string) => ({
      ...({ type: 'tool_result', tool_use_id: id, content } as const),
    }),
  });
  const model = createAgentsModel({
    main: [
      callTool('Agent', { prompt: 'Write it', description: 'It writes' }, 'a1'),
      callTool('Agent', { prompt: 'Look at it', description: 'It looks' }, 'a2'),
      say('Begun.'),
      say('Heard.'),
    ],
    'Write it': [write('b.txt'), say('Written.')],
    'Look at it': [callTool('Look', {}, 'l1'), callTool('Look', {}, 'l2'), say('Looked.')],
  });
  await runInDurableObject(env.STORE.getByName('object answers, two'), async (_instance, state) => {
    const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
    const tools: ObjectSessionOptions['tools'] = [{ type: 'preset', preset: 'default' }, look];
    const object = createSessionObject(ctx, { wasm, model, options: { tools } });
    const session = await object.session();
    await session.send('Go.');
    while (at() !== null) await object.alarm();
    expect(session.questions()).toHaveLength(1);
    expect(model.requests.filter(({ who }) => who === 'Look at it')).toHaveLength(3);
    await session.close();
  });
});

it('have what a Notification hook says of them for the model, though the session has slept since', async () => {
  const notify = async () => ({
    hookSpecificOutput: {
      hookEventName: 'Notification',
      additionalContext: 'A person was rung up.',
    } as const,
  });
  const hooks = { Notification: [{ hooks: [notify] }] };
  const model = createAgentsModel({ main: [write('b.txt'), say('Done.')] });
  const object = env.STORE.getByName('object answers, notified');
  await runInDurableObject(object, async (_instance, state) => {
    const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
    const start = () => createSessionObject(ctx, { wasm, model, options: { hooks } });
    const first = start();
    await (await first.session()).send('Go.');
    while (at() !== null) await first.alarm();
    const next = start();
    const session = await next.session();
    while (at() !== null) await next.alarm();
    const [question] = session.questions();
    const answering = session.answer(question?.requestId ?? '', { behavior: 'allow' });
    await vi.waitUntil(() => at() !== null, { timeout: 10_000 });
    while (at() !== null) await next.alarm();
    await answering;
    const told = JSON.stringify(model.requests.at(-1)?.request.messages);
    expect(told.split('A person was rung up.')).toHaveLength(2);
    await session.close();
  });
});
