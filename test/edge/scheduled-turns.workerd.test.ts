// Scheduled prompts of a session in a real Durable Object, which sleeps in between. Its alarm is rung by hand, by a
// calendar that the test moves on.
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { afterEach, expect, it, vi } from 'vitest';
import { createSessionObject } from '../../src/edge.ts';
import { createDeferred } from '../../src/core/async/deferred.ts';
import type { SDKMessage } from '../../src/core/messages/sdk-message.ts';
import type { ArchiveBucket, SessionObject, SessionObjectOptions } from '../../src/edge.ts';
import { ringByHand } from '../support/edge/hand-rung.ts';
import { readUntil } from '../support/sessions/open-sessions.ts';
import { toolUse } from '../support/turns/plan-turns.ts';
import { asks, listModel, says, type ListModel, type Reply } from '../support/turns/play-turns.ts';

const midnight = Date.UTC(2026, 0, 1);
const minute = 60_000;
const hour = 60 * minute;
const nine = midnight + 9 * hour;

afterEach(() => void vi.useRealTimers());

interface Sleeping {
  readonly model: ListModel;
  /** As an instance that has just been started: the one before is gone. */
  start(version?: string): SessionObject;
  /** When the object's alarm is set to; null: it isn't. */
  at(): number | null;
  /** Is it in its bucket, and not here? */
  isPut(): boolean;
  /** Moves the calendar on, and rings until nothing is due. */
  ringAt(object: SessionObject, time: number): Promise<void>;
}

/** A session that has scheduled something for each day at nine, and sleeps. It is midnight. */
async function inSleeping(
  name: string,
  replies: readonly Reply[],
  options: Partial<SessionObjectOptions>,
  work: (sleeping: Sleeping) => Promise<void>,
): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: midnight });
  await runInDurableObject(
    env.STORE.getByName(`scheduled turns, ${name}`),
    async (_instance, state) => {
      const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
      const input = { cron: '0 9 * * *', prompt: 'Look at the tides.', durable: true };
      const scheduled = [asks(toolUse('c1', 'CronCreate', input)), says('Scheduled.')];
      const model = listModel('claude-test', [...scheduled, ...replies]);
      const sleeping: Sleeping = {
        model,
        start: (version = '1') =>
          createSessionObject(ctx, {
            wasm,
            model,
            version,
            options: {
              toolSearch: false,
              triggers: { timeZone: 'UTC' },
              allowedTools: ['CronCreate'],
            },
            ...options,
          }),
        at,
        isPut: () => ctx.storage.sql.exec('SELECT key FROM rockpool_row').toArray().length === 0,
        async ringAt(object, time) {
          vi.setSystemTime(time);
          while ((at() ?? Infinity) <= Date.now()) await object.alarm();
        },
      };
      const object = sleeping.start();
      await (await object.session()).send('Every day at nine.');
      await sleeping.ringAt(object, midnight);
      await work(sleeping);
    },
  );
}

it('an object sleeps until a job is due, and its alarm begins the turn', async () => {
  await inSleeping('sleeping', [says('Low.')], {}, async ({ model, start, at, ringAt }) => {
    expect([at(), model.requests.length]).toEqual([nine, 2]);
    const object = start();
    await ringAt(object, nine - 1);
    expect(model.requests).toHaveLength(2);
    await ringAt(object, nine);
    expect([at(), model.requests.length]).toEqual([nine + 24 * hour, 3]);
    // Who looks on later is told of it as of nobody's words.
    const isScheduled = (one: SDKMessage) =>
      one.type === 'user' && one.origin?.kind === 'schedule' && one.isSynthetic === true;
    await readUntil(await object.session(), isScheduled);
    expect(JSON.stringify(model.requests[2]?.messages.at(-1))).toContain('Look at the tides.');
  });
});

it('a job that is due waits for the person whom a turn asks, and rings nothing meanwhile', async () => {
  const asksPerson = asks(toolUse('w1', 'Write', { file_path: '/workspace/a.txt', content: 'a' }));
  const replies = [asksPerson, says('Written.'), says('Low.')];
  await inSleeping('asking', replies, {}, async ({ model, start, at, ringAt }) => {
    const object = start();
    const session = await object.session();
    await session.send('Write it.');
    await ringAt(object, midnight);
    expect([session.state(), at()]).toEqual(['requires_action', null]);
    vi.setSystemTime(nine + hour);
    const [question] = session.questions();
    let isAnswered = false;
    const answering = session
      .answer(question?.requestId ?? '', { behavior: 'allow' })
      .then(() => void (isAnswered = true));
    while (!isAnswered) {
      await object.alarm();
      await new Promise((resolve) => setTimeout(resolve));
    }
    await answering;
    await ringAt(object, nine + hour);
    expect([at(), model.requests.length]).toEqual([nine + 24 * hour, 5]);
    const told = JSON.stringify(model.requests[4]?.messages.at(-1));
    expect(told).toContain('was due at 2026-01-01 09:00');
  });
});

it('the owner’s directory is asked first, and again after 15 minutes where it refuses', async () => {
  let isFull = false;
  const directory: SessionObjectOptions['directory'] = {
    register: async () => ({ allowed: true }),
    beginTurn: async () =>
      isFull ? { allowed: false, reason: 'The budget is spent.' } : { allowed: true },
    endTurn: async () => {},
  };
  await inSleeping('refused', [says('Low.')], { directory }, async (sleeping) => {
    const { model, start, at, ringAt } = sleeping;
    const object = start();
    isFull = true;
    await ringAt(object, nine);
    expect([at(), model.requests.length]).toEqual([nine + 15 * minute, 2]);
    isFull = false;
    await ringAt(object, nine + 15 * minute);
    expect([at(), model.requests.length]).toEqual([nine + 24 * hour, 3]);
  });
});

it('a job that is taken back while the directory is asked leaves no turn that counts as running', async () => {
  let pass: () => void = () => undefined;
  const { promise: heard, resolve: hear } = createDeferred();
  let running = 0;
  const directory: SessionObjectOptions['directory'] = {
    register: async () => ({ allowed: true }),
    async beginTurn() {
      running = 1;
      if (Date.now() === nine) {
        hear();
        await new Promise<void>((resolve) => (pass = resolve));
      }
      return { allowed: true };
    },
    endTurn: async () => void (running = 0),
  };
  await inSleeping('taken back', [], { directory }, async ({ model, start, at, ringAt }) => {
    const object = start();
    const session = await object.session();
    const isPrompt = (one: SDKMessage) => one.type === 'user' && !one.isSynthetic;
    const prompt = (await readUntil(session, isPrompt)).find(isPrompt);
    await ringAt(object, midnight + minute);
    const ringing = ringAt(object, nine);
    await heard;
    await session.rewind(prompt?.uuid ?? '');
    pass();
    await ringing;
    expect([running, at(), model.requests.length]).toEqual([0, null, 2]);
  });
});

it('a session in a bucket is brought back for its job, and tried again where the bucket fails', async () => {
  let isGone = false;
  const bucket = new Proxy(env.ARCHIVE, {
    get(target, name) {
      if (isGone && name === 'get') return () => Promise.reject(new Error('The bucket is gone.'));
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  }) as ArchiveBucket;
  const archive = { bucket, after: hour };
  await inSleeping('put away', [says('Low.')], { archive }, async (sleeping) => {
    const { model, start, at, ringAt } = sleeping;
    const object = start();
    await ringAt(object, midnight + hour);
    expect(at()).toBe(nine);
    isGone = true;
    await expect(ringAt(object, nine)).rejects.toThrow('bucket');
    while ((at() ?? Infinity) <= Date.now()) await object.alarm().catch(() => undefined);
    expect([at(), model.requests.length]).toEqual([nine + hour, 2]);
    isGone = false;
    await ringAt(object, nine + hour);
    expect(model.requests).toHaveLength(3);
  });
});

it('a session that its owner has archived isn’t opened for its job, and is put away again after a look', async () => {
  let isArchived = false;
  const judge = async () =>
    isArchived ? { allowed: false, reason: 'It is archived.' } : ({ allowed: true } as const);
  const directory = { register: judge, beginTurn: judge, endTurn: async () => {} };
  const archive = { bucket: env.ARCHIVE, after: hour };
  const options = { directory, archive } as const;
  await inSleeping('archived', [says('Low.')], options, async (sleeping) => {
    const { model, start, at, isPut, ringAt } = sleeping;
    const object = start();
    isArchived = true;
    await ringAt(object, midnight + hour);
    expect([at(), isPut()]).toEqual([nine, true]);
    await ringAt(object, nine);
    expect([at(), isPut()]).toEqual([nine + 15 * minute, true]);
    // Somebody looks at it, and leaves.
    await object.session();
    await ringAt(object, nine + minute);
    const looks: boolean[] = [];
    for (let left = 16; left <= 61; left += 15) {
      await ringAt(object, nine + left * minute);
      looks.push(isPut());
    }
    expect([looks, model.requests.length]).toEqual([[false, false, false, true], 2]);
    isArchived = false;
    await ringAt(object, nine + 2 * hour);
    expect(model.requests).toHaveLength(3);
  });
});

it('a job that isn’t durable outlives the object’s sleep, and not a run that was lost', async () => {
  const input = { cron: '30 9 * * *', prompt: 'Look at the moon.' };
  const replies = [asks(toolUse('c2', 'CronCreate', input)), says('Both.'), says('Low.')];
  await inSleeping('not durable', replies, {}, async ({ model, start, at, ringAt }) => {
    const object = start();
    await (await object.session()).send('And at half past nine.');
    await ringAt(object, midnight);
    const woken = start();
    await ringAt(woken, nine);
    expect([at(), model.requests.length]).toEqual([nine + hour / 2, 5]);
    // In its midst the instance is gone: as memory runs out, say.
    await woken.session();
    const next = start();
    await ringAt(next, nine + minute);
    expect([at(), model.requests.length]).toEqual([nine + 24 * hour, 5]);
  });
});

it('a job outlives the run that is given up, and new code begins it', async () => {
  await inSleeping('given up', [says('Low.')], {}, async ({ model, start, at, ringAt }) => {
    // Each opening is lost, as memory runs out, say.
    for (let times = 0; times < 5; times += 1) await (await start().session()).supportedCommands();
    const givenUp = 'was lost 5 times in a row';
    await expect(ringAt(start(), midnight + minute)).rejects.toThrow(givenUp);
    expect(at()).toBe(nine);
    await expect(ringAt(start(), nine)).rejects.toThrow(givenUp);
    expect([at(), model.requests.length]).toEqual([nine + hour, 2]);
    await ringAt(start('2'), nine + hour);
    expect([at(), model.requests.length]).toEqual([nine + 24 * hour, 3]);
  });
});
