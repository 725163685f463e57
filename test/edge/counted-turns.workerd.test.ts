// A session's object and its owner's: the one asks before a prompt, and tells of each turn by its alarm.
import { env } from 'cloudflare:workers';
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { afterEach, expect, it, vi } from 'vitest';
import { connectDirectory, createSessionDirectory, createSessionObject } from '../../src/edge.ts';
import type {
  DirectoryAdmission,
  DirectoryPort,
  SessionObjectOptions,
  TurnReport,
} from '../../src/edge.ts';
import type { Model } from '../../src/model/model.ts';
import { createInlineHost } from '../../src/hosts/inline/create-inline-host.ts';
import { bringBack } from '../../src/wire/handover/bring-back.ts';
import type { MoveServer } from '../../src/wire/move-server.ts';
import { ringByHand } from '../support/edge/hand-rung.ts';
import { readUntil, silentModel } from '../support/sessions/open-sessions.ts';
import { listModel, says } from '../support/turns/play-turns.ts';
import type { OwnerObject, TurnsObject } from './durable-objects.ts';

afterEach(() => void vi.useRealTimers());

const minute = 60_000;

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

it('holds the prompts that wait once the budget is used up, and the session runs until then', async () => {
  await runInDurableObject(env.STORE.getByName('queue'), async (_instance, state) => {
    const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
    const directory = connectDirectory(() => env.OWNERS.getByName('cat'));
    const usage = { input_tokens: 60_000, output_tokens: 0 };
    const list = listModel(
      'claude-test',
      [1, 2, 3, 4].map((n) => says(`${n}`, { usage })),
    );
    const others: DirectoryAdmission[] = [];
    const model: Model = {
      ...list,
      async *stream(...asked) {
        others.push(await directory.beginTurn({ session: 'another' }));
        yield* list.stream(...asked);
      },
    };
    const object = createSessionObject(ctx, { wasm, model, directory });
    const session = await object.session();
    for (let n = 1; n <= 4; n += 1) await session.send(`Prompt ${n}.`);
    const telling = readUntil(
      session,
      (one) => one.type === 'system' && one.subtype === 'informational',
    );
    while ((at() ?? Infinity) <= Date.now()) await object.alarm();
    expect(list.requests).toHaveLength(2);
    expect(others.map(({ allowed }) => allowed)).toEqual([false, false]);
    expect((await telling).at(-1)).toMatchObject({
      level: 'warning',
      content:
        'What waits is held, and is tried again within 15 minutes: Your budget of 100000 tokens is used up.',
    });
    expect([session.state(), Math.round(((at() ?? 0) - Date.now()) / minute)]).toEqual([
      'idle',
      15,
    ]);
    expect(await directory.list()).toMatchObject([{ turns: 2, isRunning: false }]);
  });
});

it('tries what is held again after 15 minutes, and at once with a prompt that is let in', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await runInDurableObject(env.STORE.getByName('held'), async (_instance, state) => {
    const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
    /** How many turns there may be. */
    let room = 1;
    const asks: string[] = [];
    const directory: DirectoryPort = {
      register: async () => ({ allowed: true }),
      async beginTurn() {
        asks.push(room > 0 ? 'yes' : 'no');
        return room > 0 ? { allowed: true } : { allowed: false, reason: 'Not today.' };
      },
      endTurn: async () => void (room -= 1),
    };
    const model = listModel(
      'claude-test',
      [1, 2, 3, 4, 5].map((n) => says(`${n}`)),
    );
    const object = createSessionObject(ctx, { wasm, model, directory });
    const session = await object.session();
    const ring = async () => {
      while ((at() ?? Infinity) <= Date.now()) await object.alarm();
      return [model.requests.length, ((at() ?? Infinity) - Date.now()) / minute];
    };
    for (let n = 1; n <= 4; n += 1) await session.send(`Prompt ${n}.`);
    expect(await ring()).toEqual([1, 15]);
    vi.setSystemTime(Date.now() + 15 * minute);
    expect(await ring()).toEqual([1, 15]);
    room = 1;
    vi.setSystemTime(Date.now() + 15 * minute);
    expect(await ring()).toEqual([2, 15]);
    expect(asks.slice(4)).toEqual(['no', 'no', 'yes', 'no']);
    await expect(session.send('And this.')).rejects.toThrow('Not today.');
    room = 3;
    await session.send('And this.');
    expect(await ring()).toEqual([5, Infinity]);
  });
});

it('refuses a model without a price before its first turn, and lets it in once it has one', async () => {
  const object = env.STORE.getByName('counted turns, without a price');
  await runInDurableObject(object, async (_instance, state) => {
    const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
    const directory = createSessionDirectory(ctx, {
      budget: { usd: 1 },
      deleteSession: async () => undefined,
    });
    const open = (options: SessionObjectOptions['options'] = {}) => {
      const model = listModel('own', [says('Done.')]);
      return createSessionObject(ctx, { wasm, model, directory, options });
    };
    const refused = (await open().session()).send('Go.');
    await expect(refused).rejects.toThrow(
      'No price is known for own, so it has no place in a budget of dollars.',
    );
    const priced = open({ prices: { own: { input: 1, output: 1 } } });
    await (await priced.session()).send('Go.');
    while ((at() ?? Infinity) <= Date.now()) await priced.alarm();
    expect(await directory.list()).toMatchObject([{ turns: 1, isRunning: false }]);
  });
});
