// A session's object and an owner's directory that refuses what it is told, or is out of reach.
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { afterEach, expect, it, vi } from 'vitest';
import { createSessionObject } from '../../src/edge.ts';
import type { DirectoryPort, SessionObject, TurnReport } from '../../src/edge.ts';
import { SdkError } from '../../src/core/errors.ts';
import { ringByHand, type HandRung } from '../support/hand-rung.ts';
import { listModel, says } from '../support/play-turns.ts';

afterEach(() => void vi.useRealTimers());

/** Its alarm `rockpool.report`, and minutes until it rings; undefined: it isn't set. */
const minutesLeft = (object: SessionObject): number | undefined => {
  const at = object.alarms.get('rockpool.report');
  return at === undefined ? undefined : Math.round((at - Date.now()) / 60_000);
};

async function inObject(
  name: string,
  answers: Partial<DirectoryPort>,
  work: (object: SessionObject, rung: HandRung) => Promise<void>,
): Promise<void> {
  await runInDurableObject(env.STORE.getByName(name), async (_instance, state) => {
    const rung = ringByHand(state as unknown as DurableObjectState);
    const admitted = async () => ({ allowed: true }) as const;
    const usage = { input_tokens: 10, output_tokens: 2 };
    const turns = Array.from({ length: 3 }, (_, at) => says(`Turn ${at}.`, { usage }));
    const object = createSessionObject(rung.ctx, {
      wasm,
      model: listModel('claude-test', turns),
      directory: { register: admitted, beginTurn: admitted, endTurn: async () => {}, ...answers },
    });
    await work(object, rung);
  });
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
  await inObject('refused reports', { endTurn }, async (object, rung) => {
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
  await inObject('reports out of reach', { endTurn }, async (object, rung) => {
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

it('a directory that is silent has half a minute, and is out of reach then', async () => {
  let asked = 0;
  let isSilent = false;
  const answer = async () => {
    if (isSilent) await new Promise(() => {});
  };
  const endTurn = () => {
    asked += 1;
    return answer();
  };
  const beginTurn = () => answer().then(() => ({ allowed: true }) as const);
  await inObject('silent reports', { beginTurn, endTurn }, async (object) => {
    const session = await object.session();
    await session.send('Go on.');
    isSilent = true;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    /** By a clock that moves on while it waits. */
    const pass = async <Value>(work: Promise<Value>): Promise<Value> => {
      let isOver = false;
      const ending = work.finally(() => (isOver = true));
      ending.catch(() => undefined);
      const move = async () => {
        await vi.advanceTimersByTimeAsync(1_000);
        return isOver;
      };
      await vi.waitUntil(move, { timeout: 60_000, interval: 1 });
      return ending;
    };
    while (asked === 0) await pass(object.alarm());
    expect(minutesLeft(object)).toBe(1);
    await expect(pass(session.send('Go on.'))).rejects.toThrow(
      "The owner's directory has not answered for 30 s.",
    );
    isSilent = false;
    await object.alarms.set('rockpool.report', 0);
    await pass(object.alarm());
    expect([asked, minutesLeft(object)]).toEqual([3, undefined]);
  });
});
