// What an object keeps of its session between two instances: settings that were changed, and which session it is.
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { expect, it } from 'vitest';
import { createSessionObject } from '../../src/edge.ts';
import type { DurableContext, SessionObjectOptions } from '../../src/edge.ts';
import { ringByHand } from '../support/edge/hand-rung.ts';
import type { HandRung } from '../support/edge/hand-rung.ts';
import { isResult, readUntil, texts } from '../support/sessions/open-sessions.ts';
import { toolUse } from '../support/turns/plan-turns.ts';
import { asks, listModel, says } from '../support/turns/play-turns.ts';

async function inObject(name: string, work: (rung: HandRung) => Promise<void>): Promise<void> {
  const object = env.STORE.getByName(`object settings, ${name}`);
  await runInDurableObject(object, (_instance, state) =>
    work(ringByHand(state as unknown as DurableObjectState)),
  );
}

it('settings that its class has changed hold in later instances, after /clear too', async () => {
  await inObject('flags', async ({ ctx, at }) => {
    const other = listModel('claude-other', [says('One.'), says('Two.'), says('Three.')]);
    const own = listModel('claude-test', []);
    const given: SessionObjectOptions = {
      wasm,
      model: own,
      options: { models: { other }, effort: 'low' },
    };
    const ring = async (object: ReturnType<typeof createSessionObject>, prompt: string) => {
      await (await object.session()).send(prompt);
      while (at() !== null) await object.alarm();
    };
    const first = createSessionObject(ctx, given);
    await (await first.session()).applyFlagSettings({ model: 'other', effortLevel: 'high' });
    await ring(first, 'Go.');
    const second = createSessionObject(ctx, given);
    await ring(second, 'Go on.');
    await ring(second, '/clear');
    await ring(createSessionObject(ctx, given), 'And on.');
    expect(other.requests.map(({ effort }) => effort)).toEqual(['high', 'high', 'high']);
    const refused = (await second.session()).applyFlagSettings({ model: 'none' });
    await expect(refused).rejects.toThrow('no model named "none"');
  });
});

it('rules that its class has set ask in later instances', async () => {
  await inObject('rules', async ({ ctx, at }) => {
    const write = toolUse('w1', 'Write', { file_path: '/workspace/a.txt', content: 'a' });
    const model = listModel('claude-test', [asks(write)]);
    const given: SessionObjectOptions = { wasm, model, options: { permissionMode: 'acceptEdits' } };
    const first = await createSessionObject(ctx, given).session();
    await first.applyFlagSettings({ permissions: { ask: ['Write'] } });
    const next = createSessionObject(ctx, given);
    const session = await next.session();
    await session.send('Write it.');
    while (at() !== null) await next.alarm();
    expect(session.questions()).toMatchObject([{ toolName: 'Write' }]);
  });
});

/** The same storage, which loses all that is written once the object is about to record another session. */
function dieAtClear({ id, storage }: DurableContext): DurableContext {
  let isDead = false;
  const { sql } = storage;
  return {
    id,
    storage: {
      ...storage,
      sql: {
        exec(query, ...bindings) {
          isDead ||= query.startsWith('INSERT') && bindings[0] === 'session';
          const isLost = isDead && !query.startsWith('SELECT');
          return isLost ? sql.exec('SELECT 1 WHERE 0') : sql.exec(query, ...bindings);
        },
      },
      setAlarm: (at) => (isDead ? Promise.resolve() : storage.setAlarm(at)),
      deleteAlarm: () => (isDead ? Promise.resolve() : storage.deleteAlarm()),
    },
  };
}

it('goes on in the session that /clear has begun, where it was lost before it knew of it', async () => {
  await inObject('clear', async ({ ctx, at }) => {
    const model = listModel('claude-test', [says('One.'), says('Two.')]);
    const dying = createSessionObject(dieAtClear(ctx), { wasm, model });
    const before = await dying.session();
    await before.send('One.');
    while (at() !== null) await dying.alarm();
    const left = before.id;
    await before.send('/clear');
    await dying.alarm().catch(() => undefined);

    const object = createSessionObject(ctx, { wasm, model });
    const session = await object.session();
    expect(session.id).not.toBe(left);
    await session.send('Two.');
    while (at() !== null) await object.alarm();
    expect(texts(await readUntil(session, isResult))).toEqual(['user: Two.', 'assistant: Two.']);
  });
});
