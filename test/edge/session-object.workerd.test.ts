// A session object within a real Durable Object, whose alarm the test rings by hand.
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSessionObject, defineSessionObject } from '../../src/edge.ts';
import { createDeferred } from '../../src/core/async/deferred.ts';
import type { SessionObject, SessionObjectOptions } from '../../src/edge.ts';
import type { HookCallback } from '../../src/agent/hooks/hooks.ts';
import type { Model } from '../../src/model/model.ts';
import { ringByHand } from '../support/edge/hand-rung.ts';
import type { HandRung } from '../support/edge/hand-rung.ts';
import { isResult, readUntil, silentModel, texts } from '../support/sessions/open-sessions.ts';
import { toolUse } from '../support/turns/plan-turns.ts';
import { asks, listModel, says } from '../support/turns/play-turns.ts';

afterEach(() => void vi.useRealTimers());

async function inObject(
  name: string,
  options: Partial<SessionObjectOptions>,
  work: (object: SessionObject, rung: HandRung) => Promise<void>,
): Promise<void> {
  await runInDurableObject(
    env.STORE.getByName(`session object, ${name}`),
    async (_instance, state) => {
      const rung = ringByHand(state as unknown as DurableObjectState);
      const model = listModel('claude-test', []);
      await work(createSessionObject(rung.ctx, { wasm, model, ...options }), rung);
    },
  );
}

describe('createSessionObject', () => {
  it('runs one model request an event, and lets all go at the end', async () => {
    const input = { file_path: '/workspace/a.txt', content: 'kept' };
    const write = asks({ type: 'tool_use', id: 'c1', name: 'Write', input });
    const model = listModel('claude-test', [write, says('Done.')]);
    const given: Partial<SessionObjectOptions> = {
      model,
      options: { permissionMode: 'bypassPermissions' },
    };
    await inObject('one event a step', given, async (object, { at }) => {
      const session = await object.session();
      await session.send('Write it.');
      expect(model.requests).toHaveLength(0);
      const requests: number[] = [];
      while (at() !== null) {
        expect(await object.alarm()).toBe(true);
        requests.push(model.requests.length);
      }
      expect(requests).toEqual([1, 2]);
      // Asleep it is looked at again, from what is kept.
      const told: string[] = [];
      for await (const message of session.messages()) {
        told.push(message.type);
        if (message.type === 'result') break;
      }
      expect(told.at(-1)).toBe('result');
      expect([session.state(), await object.alarm()]).toEqual(['idle', false]);
    });
  });

  it('goes on in the next event where a reply has more calls than one has room for', async () => {
    const reads = Array.from({ length: 10 }, (_, at) => {
      const input = { file_path: '/workspace/a.txt', offset: at + 1 };
      return { type: 'tool_use', id: `c${at}`, name: 'Read', input } as const;
    });
    const model = listModel('claude-test', [asks(...reads), says('Done.')]);
    await inObject('ten calls', { model }, async (object, { at }) => {
      await (await object.session()).send('Read it.');
      const requests: number[] = [];
      while (at() !== null) {
        await object.alarm();
        requests.push(model.requests.length);
      }
      expect(requests).toEqual([1, 1, 2]);
    });
  });

  it('aborts a hook that runs on when it lets the session go', async () => {
    const signals: AbortSignal[] = [];
    const runsOn: HookCallback = async (_input, _id, { signal }) => {
      signals.push(signal);
      return { async: true };
    };
    const hooks = { Stop: [{ hooks: [runsOn] }], SessionEnd: [{ hooks: [runsOn] }] };
    const given = { model: listModel('claude-test', [says('Done.')]), options: { hooks } };
    await inObject('a hook that runs on', given, async (object, { at }) => {
      await (await object.session()).send('Go.');
      while (at() !== null) await object.alarm();
      await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true]);
    });
  });

  it('ends what hooks are told beside the turn before it sleeps, and tells of a question once', async () => {
    const heard: string[] = [];
    const slowly = async (what: string, signal: AbortSignal) => {
      for (let count = 0; count < 20; count += 1) await new Promise((go) => setTimeout(go));
      heard.push(signal.aborted ? `${what}, cut` : what);
      return {};
    };
    const notify: HookCallback<'Notification'> = ({ message }, _id, { signal }) =>
      slowly(message.slice(0, 5), signal);
    const change: HookCallback<'FileChanged'> = ({ file_path }, _id, { signal }) =>
      slowly(file_path, signal);
    const watch: HookCallback<'SessionStart'> = async () => ({
      hookSpecificOutput: { hookEventName: 'SessionStart', watchPaths: ['/workspace'] },
    });
    const hooks = {
      Notification: [{ hooks: [notify] }],
      FileChanged: [{ hooks: [change] }],
      SessionStart: [{ hooks: [watch] }],
    };
    const write = (name: string) =>
      toolUse(name, 'Write', { file_path: `/workspace/${name}.txt`, content: name });
    const model = listModel('claude-test', [asks(write('a'), write('b')), says('Done.')]);
    await inObject('slow hooks', { model, options: { hooks } }, async (object, { at }) => {
      const session = await object.session();
      await session.send('Write them.');
      const ring = async () => {
        while (at() !== null) await object.alarm();
      };
      await ring();
      expect(heard).toEqual(['Write']);
      for (let count = 0; count < 2; count += 1) {
        const [question] = session.questions();
        const answering = session.answer(question?.requestId ?? '', { behavior: 'allow' });
        await expect.poll(at).not.toBeNull();
        await ring();
        await answering;
      }
      const files = ['/workspace/a.txt', '/workspace/b.txt'];
      expect(heard.toSorted()).toEqual([...files, 'Write', 'Write']);
    });
  });

  it('opens the session that /clear begins before it lets all go', async () => {
    const sources: string[] = [];
    const hear: HookCallback<'SessionStart'> = async ({ source }) => {
      sources.push(source);
      return {};
    };
    // As a server on the network does: longer than an object that rests stays awake.
    const list = async () => {
      for (let count = 0; count < 20; count += 1) await new Promise((go) => setTimeout(go));
      return [];
    };
    const skillSources = [{ name: 'afar', list, read: async () => '' }];
    const options = { hooks: { SessionStart: [{ hooks: [hear] }] }, skillSources };
    await inObject('cleared', { options }, async (object, { at }) => {
      const session = await object.session();
      const { id } = session;
      await session.send('/clear');
      while (at() !== null) await object.alarm();
      const [init] = await readUntil(session, ({ type }) => type === 'system');
      expect(init).toMatchObject({ subtype: 'init', warnings: [] });
      expect(session.id).not.toBe(id);
      expect(sources.slice(0, 2)).toEqual(['startup', 'clear']);
    });
  });

  it('keeps the id that it has begun with, whatever a later instance says', async () => {
    await inObject('first id', { sessionId: 'chat-1' }, async (object, { ctx }) => {
      const session = await object.session();
      expect(session.id).toBe('chat-1');
      await session.close();
      // As an alarm wakes it, which doesn't know the name of the object.
      const model = listModel('claude-test', []);
      const next = createSessionObject(ctx, { wasm, model, sessionId: 'undefined' });
      expect((await next.session()).id).toBe('chat-1');
    });
  });

  it('writes no row of a move at an opening where there is none', async () => {
    await inObject('no move', {}, async (object, { ctx }) => {
      await (await object.session()).close();
      const { sql } = ctx.storage;
      const text = "SELECT key FROM rockpool_object WHERE key = 'leaving'";
      expect(sql.exec(text).toArray()).toEqual([]);
    });
  });

  it.each([
    ['host', { host: { questionsPerMs: 0 } }],
    ['session', { options: { maxTurns: 0 } }],
  ] as const)(
    'is opened by a repaired deploy, however often a bad one could open no %s',
    async (what, bad) => {
      vi.useFakeTimers({ toFake: ['Date'] });
      const { promise: isAsked, resolve: asked } = createDeferred();
      const hangs: Model = {
        ...silentModel,
        stream(...request) {
          asked();
          return silentModel.stream(...request);
        },
      };
      const model = listModel('claude-test', [says('Done.')]);
      const lost = { model: hangs, version: '1' };
      await inObject(`bad ${what}`, lost, async (first, { ctx, at }) => {
        await (await first.session()).send('Do it.');
        const ringing = first.alarm();
        await isAsked;
        const given = { wasm, model };
        const waits: number[] = [];
        for (let times = 0; times < 9; times += 1) {
          // An instance each: a minute alone evicts it.
          const object = createSessionObject(ctx, { ...given, ...bad, version: '2' });
          await expect(object.alarm()).rejects.toMatchObject({ code: 'bad-usage' });
          waits.push(((at() ?? Infinity) - Date.now()) / 60_000);
          vi.setSystemTime(at() ?? 0);
        }
        expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
        const repaired = createSessionObject(ctx, { ...given, version: '3' });
        while (at() !== null) await repaired.alarm();
        expect([model.requests.length, (await repaired.session()).questions()]).toEqual([1, []]);
        await first.release();
        await ringing;
      });
    },
  );

  it('shares the alarm with its class, by names', async () => {
    const rung: string[] = [];
    const alarms = {
      cleanup: () => void rung.push('cleanup'),
      fails: () => Promise.reject(new Error('Not today.')),
    };
    await inObject('alarms', { alarms }, async (object, { at }) => {
      expect([await object.alarm(), at()]).toEqual([false, null]);
      const soon = Date.now() + 60_000;
      await object.alarms.set('cleanup', soon);
      expect([at(), object.alarms.get('cleanup')]).toEqual([soon, soon]);
      expect(await object.alarm()).toBe(false);
      await object.alarms.set('cleanup', 0);
      expect(await object.alarm()).toBe(true);
      expect([rung, at()]).toEqual([['cleanup'], null]);
      await object.alarms.set('fails', 0);
      await expect(object.alarm()).rejects.toThrow('Not today.');
      expect(at()).toBeGreaterThan(Date.now());
      await expect(object.alarms.set('other', 0)).rejects.toThrow('It has cleanup, fails.');
      await expect(object.alarms.set('cleanup', NaN)).rejects.toMatchObject({ code: 'bad-usage' });
    });
  });

  it.each([
    [{ model: undefined as never }, 'model'],
    [{ alarms: { 'rockpool.step': () => undefined } }, 'give rockpool.step another name'],
  ])('is not made with what cannot work: %j', async (options, words) => {
    const made = inObject('misuse', options, () => Promise.resolve());
    await expect(made).rejects.toThrow(words);
  });

  it.each(['is due with it', 'rings already'])(
    'lets no alarm of its class keep a step waiting, which %s',
    async (when) => {
      const { promise: isSlow, resolve: end } = createDeferred();
      const model = listModel('claude-test', [says('Done.')]);
      await inObject(when, { model, alarms: { slow: () => isSlow } }, async (object, { at }) => {
        const session = await object.session();
        await object.alarms.set('slow', 0);
        if (when === 'is due with it') await session.send('Do it.');
        const ringing = object.alarm();
        if (when === 'rings already') await session.send('Do it.');
        await readUntil(session, isResult);
        expect(object.alarms.get('slow')).toBe(0);
        end();
        await ringing;
        expect([object.alarms.get('slow'), at()]).toEqual([undefined, null]);
      });
    },
  );

  it('goes on with the turn that a handler of its class waits for', async () => {
    const input = { file_path: '/workspace/a.txt', content: 'kept' };
    const write = asks({ type: 'tool_use', id: 'c1', name: 'Write', input });
    const model = listModel('claude-test', [write, says('Done.')]);
    const told: string[] = [];
    const report = async () => {
      await (await opened.session()).send('Write it.');
      const messages = await readUntil(await opened.session(), isResult);
      told.push(...texts(messages).slice(-1));
    };
    let opened: SessionObject;
    const options = { permissionMode: 'bypassPermissions' } as const;
    await inObject('waits', { model, options, alarms: { report } }, async (object, { at }) => {
      opened = object;
      await object.alarms.set('report', 0);
      await object.alarm();
      expect(told).toEqual(['assistant: Done.']);
      while (at() !== null) await object.alarm();
      expect([object.alarms.get('report'), model.requests.length]).toEqual([undefined, 2]);
    });
  });

  it('names what is missing, with its lines of wrangler.jsonc', async () => {
    await runInDurableObject(env.STORE.getByName('missing'), async (_instance, { id, storage }) => {
      const model = listModel('claude-test', []);
      const noSql = {
        exec: () => {
          throw new Error('SQL is not enabled.');
        },
      };
      const ctx = {
        id,
        storage: { ...ringByHand({ id, storage } as never).ctx.storage, sql: noSql },
      };
      expect(() => createSessionObject(ctx as never, { wasm, model })).toThrow(
        'new_sqlite_classes',
      );
      const notCompiled = { wasm: 'a path' as never, model };
      expect(() => createSessionObject({ id, storage } as never, notCompiled)).toThrow(
        'CompiledWasm',
      );
    });
  });
});

it('a class of defineSessionObject answers 404 for what no wire takes', async () => {
  await runInDurableObject(env.STORE.getByName('class'), async (_instance, state) => {
    const Session = defineSessionObject(() => ({ wasm, model: listModel('claude-test', []) }));
    const { ctx } = ringByHand(state as unknown as DurableObjectState);
    const session = new Session(ctx, {});
    expect((await session.fetch(new Request('http://session/'))).status).toBe(404);
  });
});
