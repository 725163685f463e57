// Calls that go to other isolates, in which the test has real handlers over what they were sent of the
// workspace. What of it only workerd can show is in test/edge/fan-out.workerd.test.ts.
import * as z from 'zod';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { WorkRequest } from '../../../src/core/ports.ts';
import {
  createFanOutExecutor,
  type FanOutOptions,
} from '../../../src/hosts/edge/fan-out-executor.ts';
import { readFrames } from '../../../src/hosts/edge/frames.ts';
import type { CallIsolate } from '../../../src/hosts/edge/isolate-wire.ts';
import { serveCalls } from '../../../src/hosts/edge/serve-calls.ts';
import type { WorkerToolEntry } from '../../../src/hosts/run-handler.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import { createWriterWorkspace } from '../../../src/workspace/writer-workspace.ts';
import { openWorkspaceWriter } from '../../../src/workspace/writer.ts';
import { done, ignore, requestOf } from '../../support/work-request.ts';

type Handler = Awaited<ReturnType<WorkerToolEntry['load']>>['handler'];

const entry = (name: string, handler: Handler): WorkerToolEntry => ({
  name,
  load: () => Promise.resolve({ inputSchema: z.looseObject({}), handler }),
});

interface Opened {
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly options?: Partial<FanOutOptions>;
  /** Stands before an isolate. */
  readonly wrap?: (isolate: CallIsolate, at: number) => CallIsolate;
}

async function open({ handlers, options, wrap = (isolate) => isolate }: Opened) {
  const writer = await openWorkspaceWriter(createMemoryMedium(), { name: 'fan-out' });
  const workspace = createWriterWorkspace(writer);
  const entries = Object.entries(handlers).map(([name, handler]) => entry(name, handler));
  /** What each isolate was sent, in order. */
  const sent: string[][] = [];
  const serving: ReturnType<typeof serveCalls>[] = [];
  const isolateAt = (at: number): CallIsolate => {
    sent[at] = [];
    serving[at] = serveCalls(entries);
    return wrap(
      {
        async fetch(url, init) {
          const request = new Request(url, init);
          for await (const message of readFrames(request.clone().body!)) {
            const { type, messages } = message as { type: string; messages?: { type: string }[] };
            sent[at]?.push(messages ? messages.map((part) => part.type).join('+') : type);
          }
          return serving[at]!(request);
        },
      },
      at,
    );
  };
  const executor = createFanOutExecutor(
    {
      local: {
        start: () => ({
          reply: Promise.resolve(done('here')),
          interrupt: ignore,
          isBehind: () => false,
          kill: ignore,
          discard: ignore,
        }),
      },
      source: writer,
    },
    { tools: Object.keys(handlers), isolate: isolateAt, ...options },
  );
  onTestFinished(async () => {
    executor[Symbol.dispose]();
    await workspace[Symbol.asyncDispose]();
  });
  let calls = 0;
  return {
    executor,
    workspace,
    sent,
    /** As if the isolate had been started anew. */
    forget: (at: number) => void (serving[at] = serveCalls(entries)),
    start(toolName: string, input: unknown = {}, changes: Partial<WorkRequest> = {}) {
      calls += 1;
      const progress: unknown[] = [];
      const request: WorkRequest = {
        ...requestOf(toolName, input, `call-${calls}`),
        address: { root: 'main', minSeq: workspace.seq() },
        isStateless: true,
        ...changes,
      };
      const work = executor.start(request, (news) => progress.push(news));
      return { ...work, progress };
    },
  };
}

const cat: Handler = async ({ path }: { path: string }, { fs }) => fs.readFile(path, 'utf8');

describe('calls that may go to other isolates', () => {
  it('read the files as they are when they are made, of which only what is new is sent', async () => {
    const { workspace, start, sent } = await open({
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
    const { workspace, start } = await open({
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
    const { start, sent } = await open({ handlers: { Cat: cat } });
    expect(await start(toolName, {}, changes).reply).toEqual(done('here'));
    expect(sent).toEqual([]);
  });

  it('keep no more isolates at work, and no more requests waiting, than they may', async () => {
    const waiting: (() => void)[] = [];
    let openNow = 0;
    let mostOpen = 0;
    const { start, sent, workspace } = await open({
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
    let hear: (reason: unknown) => void = () => {};
    const heard = new Promise<unknown>((resolve) => void (hear = resolve));
    const { start, executor } = await open({
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

  it('are given to an isolate that was started anew as if it were another one', async () => {
    const { workspace, start, sent, forget } = await open({
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
    const { start } = await open({
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
      [async () => new Response('hello'), 'The other isolate ended in the middle of a message.'],
      [async () => new Response('hello world'), 'What was to cross to another isolate has'],
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

  it('say so where each comes to another instance than the workspace did', async () => {
    const statuses = [204, 409];
    let requests = 0;
    const { start } = await open({
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
    const { start } = await open({ handlers: { Give: async () => new Map() } });
    for (const input of [{}, { value: () => {} }]) {
      expect(await start('Give', input).reply).toMatchObject({
        type: 'failed',
        error: { code: 'invalid-input', message: expect.stringContaining("can't cross") },
      });
    }
  });

  it('need limits that are numbers of something', async () => {
    for (const options of [{ maxIsolates: 0 }, { maxConnections: 1.5 }]) {
      await expect(open({ handlers: {}, options })).rejects.toMatchObject({ code: 'bad-usage' });
    }
  });
});

describe('serveCalls', () => {
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
