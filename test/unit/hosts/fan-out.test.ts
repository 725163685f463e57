// Calls that go to other isolates, in which the test has real handlers over what they were sent of the
// workspace. What of it only workerd can show is in test/edge/fan-out.workerd.test.ts.
import { describe, expect, it } from 'vitest';
import type { WorkRequest } from '../../../src/core/tool/ports.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import { serveCalls } from '../../../src/hosts/edge/serve-calls.ts';
import { entry, openFanOut, type Handler } from '../../support/edge/fan-out.ts';
import { done, requestOf } from '../../support/stages/work-request.ts';

const cat: Handler = async ({ path }: { path: string }, { fs }) => fs.readFile(path, 'utf8');

describe('calls that may go to other isolates', () => {
  it('read the files as they are when they are made, of which only what is new is sent', async () => {
    const { workspace, start, sent } = await openFanOut({
      handlers: { Cat: cat },
      options: { maxIsolates: 1 },
    });
    await workspace.fs.writeFile('/a.txt', 'first');
    expect(await start('Cat', { path: '/a.txt' }).reply).toMatchObject(done('first'));
    expect(await start('Cat', { path: '/a.txt' }).reply).toMatchObject(done('first'));
    await workspace.fs.writeFile('/a.txt', 'second');
    expect(await start('Cat', { path: '/a.txt' }).reply).toMatchObject(done('second'));
    expect(sent).toEqual([['snapshot', 'call', 'call', 'record', 'call']]);
  });

  it('keep to the rules on paths, and bring back what they wrote as changes', async () => {
    const { workspace, start } = await openFanOut({
      handlers: {
        Cat: cat,
        Put: async (_input, { fs }) => {
          await fs.writeFile('/b.bin', Uint8Array.of(0, 255));
        },
      },
    });
    await workspace.fs.writeFile('/secret.txt', 'hidden');
    const rules = [{ effect: 'deny', operation: 'read', glob: '/secret.txt' }] as const;
    const { access } = requestOf('Cat');
    const denied = start('Cat', { path: '/secret.txt' }, { access: { ...access, rules } });
    expect(await denied.reply).toMatchObject({ type: 'failed', error: { code: 'ENOENT' } });
    expect(await start('Put').reply).toMatchObject({
      type: 'done',
      changeSet: { changes: [{ path: '/b.bin', content: Uint8Array.of(0, 255) }] },
    });
    await expect(workspace.fs.readFile('/b.bin')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.each<[string, string, Partial<WorkRequest>]>([
    ['isn’t named', 'Other', {}],
    ['needs its session', 'Cat', { isStateless: undefined as never }],
    ['was made by another', 'Cat', { outerCallId: 'outer' }],
    ['may call tools', 'Cat', { tools: ['Read'] }],
  ])('run here where one %s', async (_why, toolName, changes) => {
    const { start, sent } = await openFanOut({ handlers: { Cat: cat } });
    expect(await start(toolName, {}, changes).reply).toEqual(done('here'));
    expect(sent).toEqual([]);
  });

  it('keep no more isolates at work, and no more requests waiting, than they may', async () => {
    const waiting: (() => void)[] = [];
    let openNow = 0;
    let mostOpen = 0;
    const { start, sent, workspace } = await openFanOut({
      handlers: { Echo: async ({ value }: { value: number }) => value },
      options: { maxIsolates: 2, maxConnections: 3 },
      wrap: (isolate) => ({
        async fetch(url, init) {
          openNow += 1;
          mostOpen = Math.max(mostOpen, openNow);
          await new Promise<void>((resolve) => waiting.push(resolve));
          const response = await isolate.fetch(url, init);
          openNow -= 1;
          return response;
        },
      }),
    });
    await workspace.fs.writeFile('/a.txt', '');
    const calls = Array.from({ length: 7 }, (_, value) => start('Echo', { value }));
    expect(calls.map((call) => call.isBehind())).toEqual(calls.map(() => true));
    let isOver = false;
    const replies = Promise.all(calls.map(({ reply }) => reply)).finally(() => (isOver = true));
    // One at a time, so that as many wait as ever may.
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve));
      waiting.shift()?.();
    }
    expect(await replies).toMatchObject([0, 1, 2, 3, 4, 5, 6].map(done));
    expect(mostOpen).toBe(3);
    expect(sent).toHaveLength(2);
  });

  it('bring progress at once, and what they are cut in is told', async () => {
    const { promise: heard, resolve: hear } = createDeferred<unknown>();
    const { start, executor } = await openFanOut({
      handlers: {
        Hold: (_input, { signal, progress }) => {
          progress({ at: 'work' });
          signal.addEventListener('abort', () => hear(signal.reason));
          return new Promise(() => {});
        },
      },
    });
    const call = start('Hold');
    while (call.progress.length === 0) await new Promise((resolve) => setTimeout(resolve));
    expect(call.progress).toEqual([{ at: 'work' }]);
    call.interrupt('Enough.');
    expect(await call.reply).toMatchObject({ type: 'failed', error: { code: 'aborted' } });
    expect(await heard).toMatchObject({ code: 'aborted' });
    const lost = start('Hold');
    executor[Symbol.dispose]();
    expect(await lost.reply).toEqual({ type: 'lost', message: 'The host was closed.' });
  });

  it('leave their isolate the workspace that it has where they are cut', async () => {
    const { start, sent } = await openFanOut({
      handlers: {
        Hold: (_input, { progress }) => {
          progress('begun');
          return new Promise(() => {});
        },
        Echo: async () => 'there',
      },
      options: { maxIsolates: 1 },
    });
    const call = start('Hold');
    while (call.progress.length === 0) await new Promise((resolve) => setTimeout(resolve));
    call.interrupt('Enough.');
    await call.reply;
    // The cut has got there by then.
    await new Promise((resolve) => setTimeout(resolve));
    expect(await start('Echo').reply).toMatchObject(done('there'));
    expect(sent).toEqual([['snapshot', 'call', 'call']]);
  });

  it('are lost, and not stuck, where an isolate can’t be had', async () => {
    const { start } = await openFanOut({
      handlers: { Echo: async () => 'there' },
      options: {
        maxConnections: 1,
        isolate: () => {
          throw new TypeError('No such binding.');
        },
      },
    });
    for (const call of [start('Echo'), start('Echo')]) {
      expect(await call.reply).toMatchObject({
        type: 'lost',
        message: expect.stringContaining('No such binding.'),
      });
    }
  });

  it('follow the workspace no more once they are over that began to where another was lost', async () => {
    let breakStream = () => {};
    let bringOn = () => {};
    let isHeld = false;
    const { executor, start, workspace, followers } = await openFanOut({
      handlers: { Break: async () => 'never heard', Echo: async () => 'there' },
      options: { maxIsolates: 1 },
      wrap: (isolate) => ({
        async fetch(url, init) {
          const text = new TextDecoder().decode(init.body);
          if (text.includes('"Break"')) {
            const stream = new ReadableStream({
              start: (sink) => (breakStream = () => sink.close()),
            });
            return new Response(stream);
          }
          if (text.includes('"feed"') && isHeld) {
            isHeld = false;
            await new Promise<void>((resolve) => (bringOn = resolve));
          }
          return isolate.fetch(url, init);
        },
      }),
    });
    await start('Echo').reply;
    const before = followers();
    const lost = start('Break');
    isHeld = true;
    await workspace.fs.writeFile('/a.txt', 'new');
    const other = start('Echo');
    while (isHeld) await new Promise((resolve) => setTimeout(resolve));
    breakStream();
    expect(await lost.reply).toMatchObject({ type: 'lost' });
    bringOn();
    expect(await other.reply).toMatchObject(done('there'));
    expect(await start('Echo').reply).toMatchObject(done('there'));
    expect(followers()).toBe(before);
    executor[Symbol.dispose]();
    expect(followers()).toBe(0);
  });

  it('are given to an isolate that was started anew as if it were another one', async () => {
    const { workspace, start, sent, forget } = await openFanOut({
      handlers: { Cat: cat },
      options: { maxIsolates: 1 },
    });
    await workspace.fs.writeFile('/a.txt', 'there');
    await start('Cat', { path: '/a.txt' }).reply;
    forget(0);
    const both = [start('Cat', { path: '/a.txt' }), start('Cat', { path: '/a.txt' })];
    const replies = await Promise.all(both.map(({ reply }) => reply));
    expect(replies).toMatchObject([done('there'), done('there')]);
    expect(sent[0]?.filter((type) => type === 'snapshot')).toHaveLength(2);
  });

  it('are lost with their isolate, with a reason, and the next is not', async () => {
    let answer: (() => Promise<Response>) | undefined;
    const { start } = await openFanOut({
      handlers: { Echo: async () => 'there' },
      wrap: (isolate) => ({
        fetch: (url, init) => (answer ? answer() : isolate.fetch(url, init)),
      }),
    });
    await start('Echo').reply;
    const cutStream = () => new ReadableStream({ start: (sink) => sink.close() });
    for (const [given, reason] of [
      [() => Promise.reject(new Error('Network connection lost.')), 'Network connection lost.'],
      [async () => new Response('', { status: 500 }), 'It answered with status 500.'],
      [async () => new Response(cutStream()), 'It ended before it had answered.'],
      [async () => new Response('hello'), 'The other side ended in the middle of a message.'],
      [async () => new Response('hello world'), 'What was to cross to the other side has'],
      [async () => new Response(null, { status: 409 }), 'It does not take up the workspace.'],
    ] as const) {
      answer = given as () => Promise<Response>;
      expect(await start('Echo').reply).toMatchObject({
        type: 'lost',
        message: expect.stringContaining(`The isolate that ran Echo was lost: ${reason}`),
      });
    }
    answer = undefined;
    expect(await start('Echo').reply).toMatchObject(done('there'));
  });

  it('leave no answer open that nobody reads', async () => {
    let isClosed = false;
    const { start } = await openFanOut({
      handlers: { Echo: async () => 'there' },
      wrap: (isolate) => ({
        async fetch(url, init) {
          const response = await isolate.fetch(url, init);
          if (!response.body) return response;
          const body = new ReadableStream({ cancel: () => void (isClosed = true) });
          return new Response(body, { status: 500 });
        },
      }),
    });
    expect(await start('Echo').reply).toMatchObject({ type: 'lost' });
    expect(isClosed).toBe(true);
  });

  it('say so where each comes to another instance than the workspace did', async () => {
    const statuses = [204, 409];
    let requests = 0;
    const { start } = await openFanOut({
      handlers: { Echo: async () => 'there' },
      wrap: () => ({
        fetch: async () => new Response(null, { status: statuses[requests++ % 2]! }),
      }),
    });
    expect(await start('Echo').reply).toMatchObject({
      message: expect.stringContaining('The isolate forgot the workspace 3 times'),
    });
    expect(requests).toBe(6);
  });

  it('fail where what they are given, or give, cannot cross', async () => {
    const { start } = await openFanOut({ handlers: { Give: async () => new Map() } });
    for (const input of [{}, { value: () => {} }]) {
      expect(await start('Give', input).reply).toMatchObject({
        type: 'failed',
        error: { code: 'invalid-input', message: expect.stringContaining("can't cross") },
      });
    }
  });

  it('need limits that are numbers of something', async () => {
    for (const options of [{ maxIsolates: 0 }, { maxConnections: 1.5 }]) {
      await expect(openFanOut({ handlers: {}, options })).rejects.toMatchObject({
        code: 'bad-usage',
      });
    }
  });
});

describe('serveCalls', () => {
  it('lets go what tools keep for a session once another one comes and its calls are over', async () => {
    const kept: string[] = [];
    let endHeld = () => {};
    const keep: Handler = async ({ name, isHeld }, { realm }) => {
      realm.keep('mine', () => {
        kept.push(name);
        return { [Symbol.dispose]: () => void kept.splice(kept.indexOf(name), 1) };
      });
      if (isHeld) await new Promise<void>((resolve) => (endHeld = resolve));
    };
    const serve = serveCalls([entry('Keep', keep)]);
    const fetch = (url: string, init: RequestInit) => serve(new Request(url, init));
    const session = () =>
      openFanOut({ handlers: { Keep: keep }, options: { isolate: () => ({ fetch }) } });
    const [one, other] = [await session(), await session()];
    const held = one.start('Keep', { name: 'one', isHeld: true });
    await one.start('Keep', { name: 'one' }).reply;
    await other.start('Keep', { name: 'other' }).reply;
    expect(kept).toEqual(['one', 'other']);
    endHeld();
    expect(await held.reply).toMatchObject({ type: 'done' });
    expect(kept).toEqual(['other']);
    await one.start('Keep', { name: 'one again' }).reply;
    expect(kept).toEqual(['one again']);
  });

  it.each([
    ['of another host', 'https://example.com/', 'POST', '', 404],
    ['of another method', 'https://rockpool.invalid/', 'GET', undefined, 404],
    ['with nothing in it', 'https://rockpool.invalid/', 'POST', '', 400],
    ['with something else in it', 'https://rockpool.invalid/', 'POST', 'x'.repeat(20), 400],
  ])('refuses a request %s', async (_what, url, method, body, status) => {
    const serve = serveCalls([]);
    const given = body === undefined ? { method } : { method, body };
    expect((await serve(new Request(url, given))).status).toBe(status);
  });
});
