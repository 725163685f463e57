// An owner's directory in the SQLite of a real Durable Object: quotas, the budget, and what is told twice.
import { env } from 'cloudflare:workers';
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { describe, expect, it } from 'vitest';
import {
  connectDirectory,
  createModelProxy,
  createSessionDirectory,
  createSessionObject,
  type DirectoryObject,
  type SessionDirectoryOptions,
  type TurnPoint,
} from '../../src/edge.ts';
import { createScriptedModel } from '../../src/model/scripted.ts';

let names = 0;

function freshObject() {
  names += 1;
  return env.STORE.getByName(`session-directory test ${names}`);
}

type Options = Partial<SessionDirectoryOptions>;

function inDirectory<Value>(
  given: Options,
  run: (directory: DirectoryObject) => Promise<Value>,
  object = freshObject(),
): Promise<Value> {
  const options = { deleteSession: async () => undefined, now: () => 1_000_000_000, ...given };
  return runInDurableObject(object, (_instance, ctx) => run(createSessionDirectory(ctx, options)));
}

function report(session: string, n: number, usd: number | null = 0.5) {
  return { session, n, usage: { input_tokens: 100, output_tokens: 20 }, usd, bytes: 1_000 };
}

const allowed = { allowed: true };

describe('createSessionDirectory', () => {
  it('lists the newest first, by name, and without what is archived', async () => {
    let time = 0;
    const options = { now: () => (time += 1_000) };
    await inDirectory(options, async (directory) => {
      await directory.register({ id: 'a', title: 'First' });
      await directory.register({ id: 'b' });
      await directory.rename('a', 'Renamed');
      await directory.archive('b');
      const listed = await directory.list();
      expect(listed.map(({ id, title, isArchived }) => [id, title, isArchived])).toEqual([
        ['a', 'Renamed', false],
        ['b', '', true],
      ]);
      expect((await directory.list({ archived: true })).map(({ id }) => id)).toEqual(['b']);
      expect((await directory.list({ archived: false })).map(({ id }) => id)).toEqual(['a']);
      expect((await directory.list({ limit: 1, offset: 1 })).map(({ id }) => id)).toEqual(['b']);
      expect(await directory.beginTurn({ session: 'b' })).toEqual({
        allowed: false,
        reason: 'This session is archived. Take it out by restore() first.',
      });
      await directory.restore('b');
      expect(await directory.beginTurn({ session: 'b' })).toEqual(allowed);
      await expect(directory.rename('c', 'x')).rejects.toThrow('There is no session "c"');
    });
  });

  it('finds a session that is older than all that are listed at once, also from afar', async () => {
    let time = 0;
    await inDirectory({ now: () => (time += 1_000) }, async (object) => {
      for (let at = 0; at <= 100; at += 1) await object.register({ id: `s${at}` });
      const fetch = async (request: Request) =>
        (await object.fetch(request)) ?? new Response(null, { status: 404 });
      const directory = connectDirectory(() => ({ fetch }));
      expect((await directory.list()).some(({ id }) => id === 's0')).toBe(false);
      expect(await directory.find('s0')).toMatchObject({ id: 's0', isArchived: false });
      expect(await directory.find('s101')).toBeUndefined();
      await directory.delete('s0');
      expect(await directory.find('s0')).toBeUndefined();
    });
  });

  it('has a session put away that is archived, and says so where its object can’t be reached', async () => {
    const asked: string[] = [];
    let isAway = true;
    const archiveSession = async (id: string) => {
      asked.push(id);
      if (isAway) throw new Error('It was reset.');
    };
    await inDirectory({ archiveSession }, async (directory) => {
      await directory.register({ id: 'a' });
      await expect(directory.archive('a')).rejects.toThrow('It was reset.');
      isAway = false;
      await directory.archive('a');
      expect(asked).toEqual(['a', 'a']);
      expect(await directory.list({ archived: true })).toHaveLength(1);
    });
  });

  it('refuses a turn over those that may run at once, until one ends', async () => {
    let time = 1_000_000_000;
    await inDirectory({ quotas: { turns: 1 }, now: () => time }, async (directory) => {
      const both = await Promise.all([
        directory.beginTurn({ session: 'a' }),
        directory.beginTurn({ session: 'b' }),
      ]);
      expect(both).toEqual([
        allowed,
        {
          allowed: false,
          reason: '1 turn of yours runs already, and 1 may. Wait until one ends.',
        },
      ]);
      // Told twice, as after a kill: it is the same turn.
      expect(await directory.beginTurn({ session: 'a' })).toEqual(allowed);
      await directory.endTurn(report('a', 5));
      expect(await directory.beginTurn({ session: 'b' })).toEqual(allowed);
      time += 3_600_001;
      expect(await directory.beginTurn({ session: 'c' })).toEqual(allowed);
    });
  });

  it('leaves a free turn to the next one that waits where a session was archived meanwhile', async () => {
    const told: string[] = [];
    const continueSession = async (id: string) => told.push(id) > 0;
    await inDirectory({ quotas: { turns: 1 }, continueSession }, async (directory) => {
      await directory.beginTurn({ session: 'runs' });
      await directory.register({ id: 'archived' });
      await directory.beginTurn({ session: 'archived', waits: true });
      await directory.beginTurn({ session: 'kept', waits: true });
      await directory.archive('archived');
      await directory.endTurn(report('runs', 1));
      await expect.poll(() => told).toEqual(['kept']);
    });
  });

  it('leaves a free turn to the next one that waits where the first can not be told', async () => {
    const told: string[] = [];
    const continueSession = (id: string) => {
      if (told.push(id) === 1) throw new TypeError('No such stub.');
      return Promise.resolve(true);
    };
    await inDirectory({ quotas: { turns: 1 }, continueSession }, async (directory) => {
      await directory.beginTurn({ session: 'runs' });
      await directory.register({ id: 'broken' });
      await directory.beginTurn({ session: 'broken', waits: true });
      await directory.beginTurn({ session: 'kept', waits: true });
      await directory.endTurn(report('runs', 1));
      await expect.poll(() => told).toEqual(['broken', 'kept']);
    });
  });

  it('refuses a session over the quota, and all turns when the bytes are used up', async () => {
    await inDirectory({ quotas: { sessions: 1, bytes: 1_000 } }, async (directory) => {
      expect(await directory.register({ id: 'a' })).toEqual(allowed);
      expect(await directory.register({ id: 'b' })).toEqual({
        allowed: false,
        reason: 'You have 1 session, which is the most. Delete one first.',
      });
      await directory.endTurn(report('a', 1));
      expect(await directory.beginTurn({ session: 'a' })).toEqual({
        allowed: false,
        reason: 'Your sessions store 1000 bytes, and 1000 may be. Delete some of them.',
      });
    });
  });

  it('counts each turn once, whatever is told twice, over an eviction too', async () => {
    const object = freshObject();
    const points: TurnPoint[] = [];
    const options = { report: (point: TurnPoint) => void points.push(point) };
    await inDirectory(
      options,
      async (directory) => {
        await directory.beginTurn({ session: 'a' });
        await directory.endTurn(report('a', 7));
        await directory.endTurn(report('a', 7));
      },
      object,
    );
    await evictDurableObject(object);
    await inDirectory(
      options,
      async (directory) => {
        await directory.endTurn(report('a', 7));
        await directory.endTurn(report('a', 9));
        expect(await directory.list()).toMatchObject([
          { id: 'a', turns: 2, tokens: 240, usd: 1, bytes: 1_000, isRunning: false },
        ]);
        expect(await directory.spending()).toEqual({
          tokens: 240,
          usd: 1,
          reservedTokens: 0,
          reservedUsd: 0,
          renewsAt: Date.UTC(1970, 1, 1),
        });
      },
      object,
    );
    expect(points.map(({ session, n, at }) => [session, n, at])).toEqual([
      ['a', 7, 1_000_000_000],
      ['a', 9, 1_000_000_000],
    ]);
  });

  it('refuses the turn after the budget is used up, until it begins anew', async () => {
    let time = Date.UTC(2026, 10, 30);
    const options = { budget: { usd: 1, tokens: 1_000 }, now: () => time };
    await inDirectory(options, async (directory) => {
      await directory.register({ id: 'a' });
      await directory.endTurn(report('a', 1, 0.6));
      expect(await directory.beginTurn({ session: 'a' })).toEqual(allowed);
      await directory.endTurn(report('a', 2, 0.6));
      expect(await directory.beginTurn({ session: 'a' })).toEqual({
        allowed: false,
        reason: 'Your budget of 1 $ is used up. It begins anew on 2026-12-01.',
      });
      time = Date.UTC(2026, 11, 1);
      expect(await directory.beginTurn({ session: 'a' })).toEqual(allowed);
      await directory.endTurn(report('a', 3, null));
      expect(await directory.beginTurn({ session: 'a' })).toMatchObject({
        reason: expect.stringMatching(
          /price is not known.+options: \{ prices \}.+It begins anew/u,
        ) as string,
      });
    });
  });

  it('is the account of a model proxy: reserves the most, and settles what it was', async () => {
    let time = 1_000_000_000;
    const prices = { m: { input: 1_000, output: 1_000 } };
    const options: Options = {
      prices,
      now: () => time,
      budget: { usd: 1, countsBy: 'requests', period: 'ever' },
    };
    const asked = { asker: 'me', model: 'm', inputTokens: 0, maxTokens: 600 };
    const usage = { input_tokens: 100, output_tokens: 100 };
    await inDirectory(options, async (directory) => {
      const first = await directory.reserve({ ...asked, id: 'r1' });
      expect([first, await directory.reserve({ ...asked, id: 'r1' })]).toEqual([
        { id: 'r1' },
        { id: 'r1' },
      ]);
      expect(await directory.reserve(asked)).toEqual({
        refused: 'Your budget of 1 $ has 0.4 left, and this may need 0.6.',
      });
      // Its input may be written to the cache for an hour, at twice its price.
      expect(await directory.reserve({ ...asked, inputTokens: 300, maxTokens: 0 })).toEqual({
        refused: 'Your budget of 1 $ has 0.4 left, and this may need 0.6.',
      });
      const settlement = { ...asked, id: 'r1', usage, isEstimated: false };
      await directory.settle(settlement);
      await directory.settle(settlement);
      // A turn's report is counted by its requests already.
      await directory.register({ id: 'a' });
      await directory.endTurn(report('a', 1, 5));
      expect(await directory.spending()).toMatchObject({ tokens: 200, usd: 0.2, reservedUsd: 0 });
      expect(await directory.reserve({ ...asked, id: 'r2' })).toEqual({ id: 'r2' });
      // Nobody says what became of it.
      time += 900_001;
      expect(await directory.spending()).toMatchObject({ usd: 0.8, reservedUsd: 0 });
      expect(await directory.reserve({ ...asked, model: 'unknown' })).toMatchObject({
        refused: expect.stringContaining('No price is known for unknown') as string,
      });
      // A turn may begin for as long as something is left.
      expect(await directory.beginTurn({ session: 'a' })).toEqual({ allowed: true });
      await directory.reserve({ ...asked, maxTokens: 200, id: 'r3' });
      // Not spent yet: it may be given back in a moment.
      expect(await directory.beginTurn({ session: 'a' })).toEqual({
        allowed: false,
        reason:
          'Requests under way may need all that is left of your budget of 1 $. Try again when they have ended.',
      });
      await directory.settle({ ...settlement, id: 'r3' });
      expect(await directory.beginTurn({ session: 'a' })).toEqual({
        allowed: false,
        reason: 'Your budget of 1 $ is used up.',
      });
    });
  });

  it('refuses what is no report, no context and no number', async () => {
    await inDirectory({}, async (directory) => {
      const bad = { session: 'a', n: 1, usage: {}, usd: 0 } as never;
      await expect(directory.endTurn(bad)).rejects.toThrow("A turn's report needs");
      await expect(directory.register({ id: '' })).rejects.toThrow("A session's id must be");
    });
    const make = (given: unknown, options: unknown) =>
      createSessionDirectory(given as never, options as never);
    expect(() => make(undefined, {})).toThrow('takes the ctx of a Durable Object');
    await runInDurableObject(freshObject(), async (_instance, ctx) => {
      expect(() => make(ctx, { quotas: { turns: 'many' } })).toThrow('a number as `turns`');
    });
  });

  it('refuses a class without SQLite, as a session does, with the lines of wrangler.jsonc', async () => {
    await runInDurableObject(env.KEY_VALUE.getByName('a'), async (_instance, ctx) => {
      const refusal = expect.objectContaining({
        code: 'bad-usage',
        message: expect.stringContaining('"new_sqlite_classes": ["YourClass"]') as string,
      }) as Error;
      const deleteSession = async () => undefined;
      expect(() => createSessionDirectory(ctx, { deleteSession })).toThrow(refusal);
      const model = createScriptedModel({ script: { turns: [] } });
      expect(() => createSessionObject(ctx, { wasm, model })).toThrow(refusal);
    });
  });
});

describe('connectDirectory', () => {
  it('asks by a new stub each time, once more where one is dead, and counts it once', async () => {
    await inDirectory({}, async (object) => {
      const stubs: number[] = [];
      const directory = connectDirectory(() => {
        const made = stubs.push(stubs.length);
        return {
          async fetch(request) {
            const answer = await object.fetch(request);
            // The first hears of nothing, though it was done.
            if (made % 2 === 1) throw new Error('The object was reset.');
            return answer ?? new Response(null, { status: 404 });
          },
        };
      });
      expect(await directory.register({ id: 'a', title: 'A' })).toEqual(allowed);
      expect(await directory.beginTurn({ session: 'a' })).toEqual(allowed);
      await directory.endTurn(report('a', 3));
      const reserved = await directory.reserve({
        asker: 'me',
        model: 'm',
        inputTokens: 1,
        maxTokens: 1,
      });
      expect(reserved).toEqual({ id: expect.any(String) as string });
      expect(await directory.spending()).toMatchObject({ tokens: 120, reservedTokens: 2 });
      await expect(directory.rename('b', 'x')).rejects.toMatchObject({ code: 'bad-usage' });
      expect(stubs).toHaveLength(12);
      const gone = connectDirectory(() => ({ fetch: () => Promise.reject(new Error('gone')) }));
      await expect(gone.list()).rejects.toMatchObject({ code: 'worker-lost' });
      const unbound = connectDirectory(() =>
        (undefined as unknown as typeof env.OWNERS).getByName('a'),
      );
      await expect(unbound.list()).rejects.toMatchObject({
        code: 'bad-usage',
        message: expect.stringContaining('Bind its class in wrangler.jsonc') as string,
      });
    });
  });

  it('is answered at no address that a public request can have', async () => {
    await inDirectory({}, async (object) => {
      const request = new Request('https://app.example/endTurn', { method: 'POST', body: '[]' });
      expect(await object.fetch(request)).toBeUndefined();
      const directory = connectDirectory(() => ({
        fetch: (asked) => object.fetch(new Request(`${asked.url}/constructor`, asked)) as never,
      }));
      await expect(directory.list()).rejects.toThrow('A directory has no list/constructor');
    });
  });

  it('keeps the budget of a model proxy', async () => {
    const options: Options = {
      budget: { tokens: 1_000, countsBy: 'requests', period: 'day' },
    };
    await inDirectory(options, async (object) => {
      const account = connectDirectory(() => ({
        fetch: async (request) => (await object.fetch(request)) ?? new Response(),
      }));
      const proxy = createModelProxy({
        apiKey: 'sk-x',
        models: ['m'],
        authenticate: () => 'me',
        account,
        fetch: async () => Response.json({ usage: { input_tokens: 600, output_tokens: 300 } }),
      });
      const ask = () =>
        proxy(
          new Request('https://proxy.example/v1/messages', {
            method: 'POST',
            body: JSON.stringify({ model: 'm', max_tokens: 200, messages: [] }),
          }),
        );
      const first = await ask();
      expect(first.status).toBe(200);
      await first.text();
      const second = await ask();
      expect([second.status, await second.json()]).toMatchObject([
        402,
        {
          error: {
            message:
              'Your budget of 1000 tokens has 100 left, and this may need 215. It begins anew on 1970-01-13.',
          },
        },
      ]);
    });
  });
});
