// The same program in Node and in a cell: what an AsyncLocalStorage holds, wherever code goes on after it has waited.
import { describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';
import { tellInCell, tellInNode } from '../../support/repl/same-program.ts';

const head = `
  const { AsyncLocalStorage, AsyncResource } = require('node:async_hooks');
  const storage = new AsyncLocalStorage(), other = new AsyncLocalStorage();
  const say = (...values) => log(...values, storage.getStore() ?? null);
  const later = () => new Promise((resolve) => setTimeout(resolve, 1));
`;

async function expectSame(program: string): Promise<unknown[]> {
  const told = await tellInNode(head + program);
  expect(await tellInCell(head + program)).toEqual(told);
  return told;
}

describe('a store of AsyncLocalStorage', () => {
  it('is there after an await, for each of those that run beside each other', async () => {
    const told = await expectSame(`
      const work = (name) => storage.run(name, async () => {
        for (const round of [1, 2]) { await later(); await null; say(name, round); }
      });
      await Promise.all(['a', 'b'].map(work));
      say('outside');
    `);
    expect(told).toEqual([
      ['a', 1, 'a'],
      ['b', 1, 'b'],
      ['a', 2, 'a'],
      ['b', 2, 'b'],
      ['outside', null],
    ]);
  });

  it('is there in catch and finally', async () => {
    await expectSame(`
      await storage.run('a', async () => {
        try { await Promise.reject(new Error('no')); } catch { say('caught'); } finally { say('at last'); }
        try { try { await later(); await storage.run('b', async () => { await 0; throw 1; }); } finally { say('on the way'); } } catch { say('outer'); }
      });
      await storage.run('sync', async () => { try { storage.enterWith('entered'); throw 1; } catch { say('same turn'); } });
    `);
  });

  it('is there in then, catch and finally of a promise, and in what they return', async () => {
    await expectSame(`
      await storage.run('a', () => later().then(() => { say('then'); return later(); }).then(() => say('second')).finally(() => say('finally')));
      await storage.run('b', () => Promise.reject(1).catch(() => say('catch')));
      const asked = () => ({ then(resolve) { resolve(storage.getStore()); } });
      await storage.run('c', async () => {
        const arrow = async () => asked();
        const body = async () => { return asked(); };
        async function list() { return (0, asked()); }
        log(await asked(), await arrow(), await body(), await list(), await Promise.resolve().then(asked));
      });
    `);
  });

  it('is there in timers, ticks, jobs and callbacks', async () => {
    await expectSame(`
      await storage.run('a', () => new Promise((done) => {
        setTimeout(() => { say('timeout'); process.nextTick(() => { say('tick'); queueMicrotask(() => { say('job'); setImmediate(() => { say('immediate'); done(); }); }); }); }, 1);
      }));
      await storage.run('b', async () => { await require('timers/promises').setTimeout(1); say('slept'); });
      await storage.run('c', () => new Promise((done) => require('fs').readFile('/none', () => { say('read'); done(); })));
      const emitter = new (require('events'))();
      storage.run('on', () => emitter.on('x', () => say('heard')));
      storage.run('emit', () => emitter.emit('x'));
    `);
  });

  it('is there in loops and generators that wait', async () => {
    await expectSame(`
      async function* numbers() { say('begun'); yield 1; await later(); say('between'); yield 2; say('ended'); }
      async function* all() { yield* numbers(); say('handed on'); }
      await storage.run('a', async () => { for await (const n of all()) { say(n); await later(); } say('after'); });
      await storage.run('b', async () => { for await (const n of [later(), 2]) say('listed'); say('after'); });
      await storage.run('c', async () => {
        found: for await (const n of numbers()) for (;;) { if (n === 2) break found; continue found; }
        say('left');
      });
      await storage.run('d', async () => { try { for await (const n of (async function* () { yield 1; throw 1; })()); } catch { say('thrown'); } });
    `);
  });

  it('is entered, left, bound and taken along', async () => {
    await expectSame(`
      async function enter() { storage.enterWith('entered'); }
      await storage.run('a', async () => { await enter(); say('kept'); });
      await storage.run('a', async () => { await (async () => { await 0; storage.enterWith('deep'); })(); say('its own'); });
      await storage.run('a', async () => { storage.exit(() => say('out')); say('in'); storage.disable(); await later(); say('disabled'); });
      await storage.run(1, () => other.run(2, async () => { await later(); log(storage.getStore(), other.getStore()); }));
      const bound = storage.run('b', () => [AsyncResource.bind((n) => say(n)), AsyncLocalStorage.bind((n) => say(n))]);
      const resource = storage.run('r', () => new AsyncResource('own')), taken = storage.run('s', () => AsyncLocalStorage.snapshot());
      for (const call of bound) call(3);
      resource.runInAsyncScope(say, undefined, 'resource');
      taken(say, 'snapshot');
      log(new AsyncLocalStorage({ defaultValue: 5 }).getStore(), storage.run(0, (a, b) => a + b, 1, 2));
    `);
  });

  it('comes of what a diagnostics channel publishes', async () => {
    await expectSame(`
      const { channel } = require('node:diagnostics_channel');
      const made = channel('made');
      made.bindStore(storage, ({ id }) => id);
      made.subscribe(() => say('heard'));
      log(made.hasSubscribers, await made.runStores({ id: 7 }, async function (n) { await later(); say(this.own, n); return n; }, { own: 1 }, 2));
      log(made.unbindStore(storage), made.unbindStore(storage));
      made.runStores({ id: 8 }, () => say('unbound'));
    `);
  });

  it("is a request's own, and never that of who asks or answers", async () => {
    await expectSame(`
      const told = []; const tell = (what) => told.push([what, storage.getStore() ?? null]);
      const server = storage.run('server', () => require('http').createServer((request, response) => {
        tell('handler');
        storage.run(request.url, async () => {
          request.on('end', () => tell('end'));
          for await (const chunk of request) tell('chunk');
          await null; tell('read');
          response.on('finish', () => tell('finish'));
          response.end('hello');
        });
      }).listen(0));
      await new Promise((resolve) => server.on('listening', resolve));
      await storage.run('client', () => new Promise((done) => {
        const request = require('http').request({ port: server.address().port, method: 'POST', path: '/a' }, (response) => {
          tell('response');
          response.on('data', () => tell('data'));
          response.on('end', () => { tell('whole'); done(); });
        });
        request.end('x');
      }));
      await storage.run('fetch', async () => { await (await fetch('http://localhost:' + server.address().port)).text(); tell('fetched'); });
      await new Promise((resolve) => server.close(resolve));
      log(told.sort((a, b) => (String(a) < String(b) ? -1 : 1)));
    `);
  });
});

it('leaves code that waits as it is: values, names and order', async () => {
  await expectSame(`
    const f = async x => await x, g = async ({ a }, /* => */ b = 2) => ({ a: await a, b }), h = async x => { 'use strict'; return await x; };
    log(await f(1), await g({ a: 1 }), await h(3), [await 1, await (await 2, 3)], -await 3, !await 0, typeof await 1, (await [1, 2])[await 1]);
    log(await 0 ? await 1 : await 2, await await 1, \`\${await 'x'}\${await 'y'}\`, f.name, f.length, g.length);
    const order = [];
    const note = async (name, count) => { for (let at = 0; at < count; at += 1) { await null; order.push(name + at); } };
    await Promise.all([note('a', 3), Promise.resolve().then(() => order.push('then')), note('b', 2)]);
    log(order);
    switch (2) { case await 2: if (await 1) for await (const n of [1]) log(n); else log('none'); }
    class Derived extends (await class { hi() { return 'hi'; } }) {}
    log(new Derived().hi(), await (async (n) => { try { return await n; } finally { await 2; } })(1));
  `);
});

it('keeps no store for the next cell, and none after code of a text has waited', async () => {
  const repl = await openRepl();
  await repl.run(
    "const { AsyncLocalStorage } = require('async_hooks'); const s = new AsyncLocalStorage(); s.enterWith(1); await 0; s.getStore()",
  );
  expect(await repl.value('[s.getStore(), s.run(2, () => s.getStore())]')).toBe('[ undefined, 2 ]');
  expect(
    await repl.value(
      "await Promise.all([s.run(1, async () => { await 0; await 0; return s.getStore(); }), s.run(2, () => eval('(async () => { await 0; return s.getStore(); })()'))])",
    ),
  ).toBe('[ 1, undefined ]');
});
