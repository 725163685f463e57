// A session's object and its owner's: the one asks before a prompt, and tells of each turn by its alarm.
import { env } from 'cloudflare:workers';
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { expect, it } from 'vitest';
import type { OwnerObject, TurnsObject } from './durable-objects.ts';

it('counts the turns of a session once each, and refuses the prompt that has no room', async () => {
  const owner = env.OWNERS.getByName('ann');
  const session = env.TURNS.getByName('ann/1');
  const entry = async () => {
    await runDurableObjectAlarm(session);
    const [listed] = await runInDurableObject(owner, ({ directory }: OwnerObject) =>
      directory.list(),
    );
    return listed && { turns: listed.turns, isRunning: listed.isRunning };
  };
  const send = (prompt: string) =>
    runInDurableObject(session, async ({ object }: TurnsObject) => {
      await (await object.session()).send(prompt);
    });

  await send('Begin.');
  await expect.poll(entry).toEqual({ turns: 1, isRunning: false });
  await runInDurableObject(owner, async ({ directory }: OwnerObject) => {
    expect(await directory.beginTurn({ session: 'another' })).toEqual({ allowed: true });
  });
  await expect(send('Go on.')).rejects.toThrow('1 turn of yours runs already');
  await runInDurableObject(owner, async ({ directory }: OwnerObject) => {
    const usage = { input_tokens: 0, output_tokens: 100_000 };
    await directory.endTurn({ session: 'another', n: 1, usage, usd: 0 });
  });
  await expect(send('Go on.')).rejects.toThrow('Your budget of 100000 tokens is used up.');
});
