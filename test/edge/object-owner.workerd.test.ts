// A session's object and an owner's directory that refuses what it is told, or is out of reach.
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { afterEach, expect, it, vi } from 'vitest';
import { createSessionDirectory, createSessionObject } from '../../src/edge.ts';
import type {
  DirectoryPort,
  SessionObject,
  SessionObjectOptions,
  TurnReport,
} from '../../src/edge.ts';
import type { Change } from '../../src/core/change-set.ts';
import { SdkError } from '../../src/core/errors.ts';
import type { ServedFiles } from '../../src/wire/feed-client.ts';
import { ringByHand, type HandRung } from '../support/edge/hand-rung.ts';
import { patternOf } from '../contract/log-medium.contract.ts';
import { toolUse } from '../support/turns/plan-turns.ts';
import { asks, listModel, says } from '../support/turns/play-turns.ts';

afterEach(() => void vi.useRealTimers());

/** Its alarm `rockpool.report`, and minutes until it rings; undefined: it isn't set. */
const minutesLeft = (object: SessionObject): number | undefined => {
  const at = object.alarms.get('rockpool.report');
  return at === undefined ? undefined : Math.round((at - Date.now()) / 60_000);
};

async function inObject(
  name: string,
  endTurn: DirectoryPort['endTurn'],
  work: (object: SessionObject, rung: HandRung) => Promise<void>,
): Promise<void> {
  await runInDurableObject(
    env.STORE.getByName(`object owner, ${name}`),
    async (_instance, state) => {
      const rung = ringByHand(state as unknown as DurableObjectState);
      const admitted = async () => ({ allowed: true }) as const;
      const usage = { input_tokens: 10, output_tokens: 2 };
      const turns = Array.from({ length: 3 }, (_, at) => says(`Turn ${at}.`, { usage }));
      const object = createSessionObject(rung.ctx, {
        wasm,
        model: listModel('claude-test', turns),
        directory: { register: admitted, beginTurn: admitted, endTurn },
      });
      await work(object, rung);
    },
  );
}

/** Until the session rests. What the report's alarm rejects with is the test's business. */
async function play(object: SessionObject, { at }: HandRung): Promise<void> {
  await (await object.session()).send('Go on.');
  while ((at() ?? Infinity) <= Date.now()) await object.alarm().catch(() => undefined);
}

it('a report that the directory refuses is told, waited with, and part of the next one', async () => {
  const told: TurnReport[] = [];
  let refuses = true;
  const endTurn = async (report: TurnReport) => {
    if (refuses) throw new SdkError('bad-usage', 'A report needs its colour.');
    told.push(report);
  };
  await inObject('refused reports', endTurn, async (object, rung) => {
    await play(object, rung);
    const waits: (number | undefined)[] = [minutesLeft(object)];
    while (waits.length < 15 && waits.at(-1) !== undefined) {
      await object.alarms.set('rockpool.report', 0);
      await expect(object.alarm()).rejects.toThrow('A report needs its colour.');
      waits.push(minutesLeft(object));
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, undefined]);
    await play(object, rung);
    refuses = false;
    await play(object, rung);
    const counted = told.map(({ usage }) => [usage.input_tokens, usage.output_tokens]);
    expect(counted).toEqual([
      [20, 4],
      [10, 2],
    ]);
    expect(minutesLeft(object)).toBeUndefined();
  });
});

it('a directory that is out of reach is told later, at least each hour', async () => {
  const told: TurnReport[] = [];
  let isReached = false;
  const endTurn = async (report: TurnReport) => {
    if (!isReached) throw new SdkError('worker-lost', "The owner's directory can't be reached.");
    told.push(report);
  };
  await inObject('reports out of reach', endTurn, async (object, rung) => {
    await play(object, rung);
    const waits: (number | undefined)[] = [minutesLeft(object)];
    for (let times = 0; times < 7; times += 1) {
      await object.alarms.set('rockpool.report', 0);
      expect(await object.alarm()).toBe(true);
      waits.push(minutesLeft(object));
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    await play(object, rung);
    isReached = true;
    await object.alarms.set('rockpool.report', 0);
    await object.alarm();
    expect(told.map(({ usage }) => usage.input_tokens)).toEqual([10, 10]);
  });
});

it('a compaction that a person asks for is told as a turn', async () => {
  const told: TurnReport[] = [];
  const endTurn = async (report: TurnReport) => void told.push(report);
  await inObject('compaction', endTurn, async (object, rung) => {
    await play(object, rung);
    const session = await object.session();
    await expect(session.compact()).rejects.toThrow('There is nothing to sum up yet');
    while ((rung.at() ?? Infinity) <= Date.now()) await object.alarm();
    expect(told.map(({ usage }) => usage.input_tokens)).toEqual([10, 0]);
  });
});

it('a turn whose result is long is told: it has the inputs of all calls that were refused', async () => {
  await runInDurableObject(env.STORE.getByName('a long result'), async (_instance, state) => {
    const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
    const told: TurnReport[] = [];
    const admitted = async () => ({ allowed: true }) as const;
    const content = 'long '.repeat(12_000);
    const writes = [1, 2, 3].map((n) => toolUse(`w${n}`, 'Write', { file_path: `${n}`, content }));
    const object = createSessionObject(ctx, {
      wasm,
      model: listModel('claude-test', [asks(...writes), says('No.')]),
      directory: {
        register: admitted,
        beginTurn: admitted,
        endTurn: async (report) => void told.push(report),
      },
      options: { permissionMode: 'dontAsk' },
    });
    await play(object, { ctx, at });
    expect(told).toHaveLength(1);
  });
});

it('files that come without a turn count for the quota of bytes, and are refused over it', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await runInDurableObject(env.STORE.getByName('bytes'), async (_instance, state) => {
    const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
    const own = createSessionDirectory(ctx, {
      quotas: { bytes: 5_000_000 },
      deleteSession: async () => undefined,
    });
    await own.register({ id: 'another', bytes: 2_000_000 });
    const told = async () =>
      (await own.list()).map(({ id, turns, bytes }) => [id, turns, Math.trunc(bytes / 1e6)]);
    let files: () => Promise<ServedFiles> = () => Promise.reject(new Error('No wire.'));
    /** Somebody looks at its files. */
    const start = async (directory: Pick<SessionObjectOptions, 'directory'> = {}) => {
      const object = createSessionObject(ctx, {
        wasm,
        model: listModel('claude-test', []),
        ...directory,
        wire(_session, given) {
          files = given;
          return {
            fetch: async () => undefined,
            webSocketMessage: async () => false,
            webSocketClose: async () => false,
            webSocketError: async () => false,
          };
        },
      });
      await object.session();
      return object;
    };
    const commit = async (change: Change) => {
      const served = await files();
      const changeSet = { baseSeq: served.state.seq, changes: [change] };
      return served.commit(changeSet, { author: { kind: 'user' } });
    };
    const write = (name: string, bytes: number) =>
      commit({
        type: 'write',
        path: `/workspace/${name}`,
        baseVersion: 0,
        content: patternOf(bytes),
        mode: 0o644,
        mtimeMs: 0,
      });
    await start();
    const { seq } = await write('a', 1_500_000);
    // As one that was moved here: it rests with what it has.
    const object = await start({ directory: own });
    vi.setSystemTime(at() ?? 0);
    while ((at() ?? Infinity) <= Date.now()) await object.alarm();
    const id = ctx.id.toString();
    expect(await told()).toEqual([
      [id, 0, 1],
      ['another', 0, 2],
    ]);
    await expect(write('b', 2_000_000)).rejects.toMatchObject({
      code: 'limit-exceeded',
      message: expect.stringMatching(/^Your sessions store \d+ bytes, and 5000000 may be\./u),
    });
    await expect(write('c', 1)).resolves.toBeDefined();
    await commit({ type: 'remove', path: '/workspace/a', baseVersion: seq });
    await own.delete('another');
    await write('b', 2_000_000);
    expect(await told()).toEqual([[id, 0, 3]]);
  });
});

it('what a turn has used until its session is deleted counts for the budget', async () => {
  await runInDurableObject(env.STORE.getByName('deleted'), async (_instance, state) => {
    const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
    const own = createSessionDirectory(ctx, {
      budget: { tokens: 1_000 },
      deleteSession: () => object.deleteArchive(),
    });
    const input = { file_path: '/workspace/a.txt', content: 'a' };
    const usage = { input_tokens: 900, output_tokens: 50 };
    let isAway = false;
    const object: SessionObject = createSessionObject(ctx, {
      wasm,
      model: listModel('claude-test', [{ ...asks(toolUse('w1', 'Write', input)), usage }]),
      directory: {
        ...own,
        endTurn: (report) => (isAway ? Promise.reject(new Error('away')) : own.endTurn(report)),
      },
    });
    const session = await object.session();
    await session.send('Write it.');
    while ((at() ?? Infinity) <= Date.now()) await object.alarm();
    expect([session.state(), (await own.spending()).tokens]).toEqual(['requires_action', 0]);
    // Untold it would be lost: nothing is deleted then.
    isAway = true;
    await expect(own.delete(ctx.id.toString())).rejects.toThrow('away');
    expect((await object.session()).state()).toBe('requires_action');
    isAway = false;
    await own.delete(ctx.id.toString());
    expect([(await own.spending()).tokens, await own.list()]).toEqual([950, []]);
  });
});

it('a turn that waits for a person is listed so, in later instances too, until it is answered or stopped', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await runInDurableObject(env.STORE.getByName('asks'), async (_instance, state) => {
    const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
    const woken: string[] = [];
    const own = createSessionDirectory(ctx, {
      quotas: { turns: 1 },
      deleteSession: async () => undefined,
      continueSession: async (id) => woken.push(id) > 0,
    });
    let isAway = false;
    const register: DirectoryPort['register'] = (session) =>
      isAway ? Promise.reject(new SdkError('worker-lost', 'away')) : own.register(session);
    const write = (name: string) =>
      asks(toolUse(name, 'Write', { file_path: `/workspace/${name}`, content: 'a' }));
    const model = listModel('claude-test', [write('a'), says('Done.'), write('b')]);
    const usage = { input_tokens: 1, output_tokens: 1 };
    const start = () =>
      createSessionObject(ctx, {
        wasm,
        model,
        directory: { ...own, register },
      });
    const ring = async (object: SessionObject) => {
      while ((at() ?? Infinity) <= Date.now()) await object.alarm();
    };
    const isAsking = async () => (await own.find(ctx.id.toString()))?.isAsking;
    const begin = (session: string) => own.beginTurn({ session, waits: true });

    const first = start();
    await (await first.session()).send('Write a.');
    isAway = true;
    await ring(first);
    expect([await isAsking(), (await begin('another')).allowed]).toEqual([false, false]);
    await first.release();

    // What couldn't be told then is told by the next instance.
    const second = start();
    isAway = false;
    vi.setSystemTime(at() ?? 0);
    await ring(second);
    expect(await isAsking()).toBe(true);
    // It doesn't count among the turns that run.
    expect([woken, (await begin('another')).allowed]).toEqual([['another'], true]);
    vi.setSystemTime(Date.now() + 3_700_000);
    expect(await isAsking()).toBe(true);

    // The other one's turn keeps this one from nothing.
    await begin('another');
    const session = await second.session();
    vi.setSystemTime(at() ?? 0);
    await ring(second);
    const { requestId = '' } = session.questions()[0] ?? {};
    await Promise.all([session.answer(requestId, { behavior: 'allow' }), second.alarm()]);
    await ring(second);
    expect(await own.find(ctx.id.toString())).toMatchObject({ isAsking: false, turns: 1 });

    await own.endTurn({ session: 'another', n: 1, usage, usd: 0 });
    await session.send('Write b.');
    await ring(second);
    expect(await isAsking()).toBe(true);
    await Promise.all([session.interrupt(), second.alarm()]);
    await ring(second);
    expect(await own.find(ctx.id.toString())).toMatchObject({ isAsking: false, turns: 2 });
  });
});
