// A session's object and its owner's: the one asks before a prompt, and tells of each turn by its alarm.
import { env } from 'cloudflare:workers';
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { expect, it } from 'vitest';
import { createSessionObject } from '../../src/edge.ts';
import type { TurnReport } from '../../src/edge.ts';
import { createInlineHost } from '../../src/hosts/inline/create-inline-host.ts';
import { bringBack } from '../../src/wire/handover/bring-back.ts';
import type { MoveServer } from '../../src/wire/move-server.ts';
import { silentModel } from '../support/open-sessions.ts';
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

it('counts the turns of the session that another one was left for by /clear', async () => {
  const owner = env.OWNERS.getByName('bob');
  const session = env.TURNS.getByName('bob/1');
  const entry = async () => {
    await runDurableObjectAlarm(session);
    const [listed] = await runInDurableObject(owner, ({ directory }: OwnerObject) =>
      directory.list(),
    );
    return listed && { turns: listed.turns, isRunning: listed.isRunning };
  };
  const counts = [];
  for (const prompt of ['Begin.', '/clear', 'Go on.']) {
    await runInDurableObject(session, async ({ object }: TurnsObject) => {
      await (await object.session()).send(prompt);
    });
    await expect.poll(entry).toMatchObject({ isRunning: false });
    counts.push(await entry());
  }
  expect(counts.map((one) => one?.turns)).toEqual([1, 2, 3]);
});

it('tells of a turn that is fetched in its midst', async () => {
  await runInDurableObject(env.STORE.getByName('fetched turn'), async (_instance, state) => {
    const { storage } = state as unknown as DurableObjectState;
    let at: number | null = null;
    let moves: MoveServer | undefined;
    const told: TurnReport[] = [];
    const admitted = async () => ({ allowed: true }) as const;
    const object = createSessionObject(
      {
        id: state.id,
        storage: {
          sql: storage.sql,
          transactionSync: (closure) => storage.transactionSync(closure),
          sync: () => storage.sync(),
          getAlarm: async () => at,
          setAlarm: async (time) => void (at = time),
          deleteAlarm: async () => void (at = null),
        },
      },
      {
        wasm,
        model: silentModel,
        directory: {
          register: admitted,
          beginTurn: admitted,
          endTurn: async (report) => void told.push(report),
        },
        wire(_session, _files, serve) {
          moves = serve;
          return {
            fetch: async () => undefined,
            webSocketMessage: async () => false,
            webSocketClose: async () => false,
            webSocketError: async () => false,
          };
        },
      },
    );
    await (await object.session()).send('Begin.');
    const answer = async (_url: unknown, init?: RequestInit) =>
      new Response(await moves?.(init?.body as Uint8Array<ArrayBuffer>));
    const host = await createInlineHost();
    await bringBack('https://cloud.example/wire', {
      host,
      ticket: () => 'a ticket',
      fetch: answer as typeof fetch,
    });
    await object.alarm();
    expect(told).toMatchObject([{ session: state.id.toString(), usage: { output_tokens: 0 } }]);
    await host[Symbol.asyncDispose]();
  });
});
