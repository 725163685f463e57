// A session whose bucket for large contents is slow: what was told isn't lost when it is released.
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { expect, it } from 'vitest';
import { createSessionObject } from '../../src/edge.ts';
import { ringByHand } from '../support/hand-rung.ts';
import { readUntil, texts } from '../support/open-sessions.ts';
import { asks, listModel, says } from '../support/play-turns.ts';
import { watchBucket } from '../support/watched-bucket.ts';

it('a session rests when all that it has told is stored', async () => {
  await runInDurableObject(env.STORE.getByName('a slow bucket'), async (_instance, state) => {
    const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
    const bucket = watchBucket(env.CONTENTS);
    let arrive = () => {};
    let hasRested = false;
    const storage = {
      ...ctx.storage,
      async sync() {
        // The session is about to be released.
        hasRested = true;
        await ctx.storage.sync();
      },
    };
    const code =
      'let x = 1; const noise = Uint32Array.from({ length: 60_000 }, () => (x = x * 48271 % 2147483647)); 1';
    const model = listModel('claude-test', [
      asks({ type: 'tool_use', id: 'one', name: 'Repl', input: { code } }),
      says('One.'),
      says('Two.'),
    ]);
    const object = createSessionObject(
      { id: ctx.id, storage },
      {
        wasm,
        model,
        contents: { bucket, cacheBytes: 0, minBytes: 65_536 },
        options: { permissionMode: 'bypassPermissions' },
      },
    );
    const session = await object.session();
    const turn = async (prompt: string) => {
      await session.send(prompt);
      while ((at() ?? Infinity) <= Date.now()) await object.alarm();
    };
    bucket.before = new Promise((resolve) => (arrive = resolve));
    const first = turn('First.');
    await readUntil(session, (message) => message.type === 'result');
    // What is told by now waits for the bucket, and the session with it.
    await new Promise((resolve) => setTimeout(resolve));
    expect(hasRested).toBe(false);
    arrive();
    await first;
    await turn('Second.');
    // The first turn was not played again.
    expect(model.requests).toHaveLength(3);
    const told = await readUntil(session, (message) => texts([message])[0] === 'assistant: Two.');
    expect(texts(told)).toEqual([
      'user: First.',
      'assistant: tool_use',
      'user: tool_result',
      'assistant: One.',
      'user: Second.',
      'assistant: Two.',
    ]);
    await object.release();
  });
}, 60_000);
