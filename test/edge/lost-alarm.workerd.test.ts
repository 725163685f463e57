// An object whose alarm the platform has given up, after instances that it was lost with.
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { expect, it } from 'vitest';
import { createSessionObject } from '../../src/edge.ts';
import { ringByHand } from '../support/edge/hand-rung.ts';
import { listModel, says } from '../support/turns/play-turns.ts';

it('goes on with what was sent once somebody uses the session', async () => {
  await runInDurableObject(env.STORE.getByName('lost alarm'), async (_instance, state) => {
    const storage = state as unknown as DurableObjectState;
    const model = listModel('claude-test', [says('One.'), says('Two.')]);
    const lost = createSessionObject(ringByHand(storage).ctx, { wasm, model });
    await (await lost.session()).send('First.');
    await lost.release();
    // Another instance over the same database, without an alarm that rings.
    const { ctx, at } = ringByHand(storage);
    const object = createSessionObject(ctx, { wasm, model });
    const session = await object.session();
    await session.send('Second.');
    while ((at() ?? Infinity) <= Date.now()) await object.alarm();
    expect(model.requests).toHaveLength(2);
    expect([session.state(), at()]).toEqual(['idle', null]);
  });
});
