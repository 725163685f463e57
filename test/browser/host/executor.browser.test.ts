// The executor and the worker's end of its port, joined by a MessageChannel in one window. Tested
// are what is said on the wire, and that every started call replies exactly once.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { SdkError } from '../../../src/core/errors.ts';
import { createServerFetch } from '../../../src/core/host-ports/fetch-port.ts';
import { largeStateBytes, type WorkContext } from '../../../src/core/tool/handler.ts';
import type { NestedCall } from '../../../src/core/tool/nested-call.ts';
import type { WorkRequest } from '../../../src/core/tool/ports.ts';
import { serveCalls } from '../../../src/hosts/browser/tool-worker/serve-calls.ts';
import { createWorkerExecutor } from '../../../src/hosts/browser/pool/worker-executor.ts';
import type { WorkerToolEntry, HostRealm } from '../../../src/hosts/run-handler.ts';
import { connectByHand } from '../../support/browser/hand-driven-workers.ts';
import { done, ignore, requestOf } from '../../support/stages/work-request.ts';
import { SearchService } from '../../../src/search/search-service.ts';

describe('createWorkerExecutor', () => {
  it('starts one worker, sends it the call and gives its reply and progress', async () => {
    const { connect, workers } = connectByHand();
    const executor = createWorkerExecutor(connect);
    const progress: unknown[] = [];
    const work = executor.start(requestOf('Echo'), (each) => progress.push(each));

    expect(workers).toHaveLength(1);
    expect(workers[0]?.sent).toEqual([
      { type: 'start', id: 1, request: requestOf('Echo'), savedState: null },
    ]);
    workers[0]?.say({ type: 'progress', id: 1, progress: 'half' });
    workers[0]?.say({ type: 'reply', id: 1, reply: done('all') });
    expect(await work.reply).toEqual(done('all'));
    expect(progress).toEqual(['half']);
  });

  it('keeps calls of the same callId apart: two conversations may share one', async () => {
    const { connect, workers } = connectByHand();
    const executor = createWorkerExecutor(connect);
    const first = executor.start(requestOf('Echo'), ignore);
    const second = executor.start(requestOf('Echo'), ignore);
    workers[0]?.say({ type: 'reply', id: 2, reply: done('second') });
    workers[0]?.say({ type: 'reply', id: 1, reply: done('first') });
    expect([await first.reply, await second.reply]).toEqual([done('first'), done('second')]);
  });

  it('answers lost for a killed call at once, and starts its neighbours anew elsewhere', async () => {
    const { connect, workers } = connectByHand();
    const executor = createWorkerExecutor(connect);
    const hung = executor.start(requestOf('Hang', {}, 'a'), ignore);
    const neighbour = executor.start(requestOf('Echo', {}, 'b'), ignore);
    hung.kill('too slow');

    expect(await hung.reply).toEqual({ type: 'lost', message: 'too slow' });
    expect(workers.map((worker) => worker.isEnded)).toEqual([true, false]);
    expect(workers[1]?.sent).toEqual([
      { type: 'start', id: 2, request: requestOf('Echo', {}, 'b'), savedState: null },
    ]);
    // A zombie runs on for a while: what it says counts for nothing.
    workers[0]?.say({ type: 'reply', id: 2, reply: done('zombie') });
    workers[1]?.say({ type: 'reply', id: 2, reply: done('fresh') });
    expect(await neighbour.reply).toEqual(done('fresh'));
  });

  it('does not start an interrupted neighbour anew', async () => {
    const { connect, workers } = connectByHand();
    const executor = createWorkerExecutor(connect);
    const hung = executor.start(requestOf('Hang'), ignore);
    const interrupted = executor.start(requestOf('Echo'), ignore);
    interrupted.interrupt('stop');
    hung.kill('too slow');
    expect(await interrupted.reply).toEqual({
      type: 'lost',
      message: 'Its worker was ended: too slow',
    });
    expect(workers[1]?.sent).toEqual([]);
  });

  it('tells once that a call’s clock has started, and once more where it was started anew', async () => {
    const { connect, workers } = connectByHand();
    const executor = createWorkerExecutor(connect);
    let starts = 0;
    const hung = executor.start(requestOf('Hang'), ignore);
    executor.start(requestOf('Cell'), ignore, { onClockStart: () => (starts += 1) });
    const begun = { type: 'clock-started', id: 2 } as const;
    workers[0]?.say(begun);
    workers[0]?.say(begun);
    expect(starts).toBe(1);
    hung.kill('too slow');
    workers[0]?.say(begun);
    workers[1]?.say(begun);
    workers[1]?.say(begun);
    expect(starts).toBe(2);
  });

  it('knows which calls have earlier ones before them in their worker', async () => {
    const { connect, workers } = connectByHand();
    const executor = createWorkerExecutor(connect);
    const first = executor.start(requestOf('Cell'), ignore);
    const second = executor.start(requestOf('Cell', {}, 'call-2'), ignore);
    const nested = executor.start({ ...requestOf('Look'), outerCallId: 'call-1' }, ignore);
    expect([first, second, nested].map((work) => work.isBehind())).toEqual([false, true, false]);
    workers[0]?.say({ type: 'reply', id: 1, reply: done(null) });
    expect(second.isBehind()).toBe(false);
  });

  it('hands a nested call to the page, and its answer to the call that made it', async () => {
    const { connect, workers } = connectByHand();
    const executor = createWorkerExecutor(connect);
    const asked: unknown[] = [];
    const onNestedCall = async (call: NestedCall) => {
      asked.push(call);
      return { type: 'done', callId: 'nested-1', output: 'out' } as const;
    };
    executor.start(requestOf('Cell'), ignore, { onNestedCall });
    const call = { toolName: 'Look', input: { path: 'a' } };
    workers[0]?.say({ type: 'nested-call', id: 1, nestedId: 5, call });
    // Of a call that there isn't.
    workers[0]?.say({ type: 'nested-call', id: 2, nestedId: 6, call });
    await Promise.resolve();
    await Promise.resolve();
    expect(asked).toEqual([call]);
    expect(workers[0]?.sent.slice(1)).toEqual([
      {
        type: 'nested-reply',
        id: 1,
        nestedId: 5,
        reply: { type: 'done', callId: 'nested-1', output: 'out' },
      },
    ]);
  });

  it('starts no call anew that has called a tool, was called so, has an effect, or may reach the network', async () => {
    const { connect, workers } = connectByHand();
    const executor = createWorkerExecutor(connect);
    const hung = executor.start(requestOf('Hang'), ignore);
    const cell = executor.start(requestOf('Cell'), ignore);
    const nested = executor.start({ ...requestOf('Look'), outerCallId: 'call-1' }, ignore);
    const online = executor.start({ ...requestOf('Cell'), network: { hosts: ['a.net'] } }, ignore);
    const effective = executor.start(requestOf('Cell'), ignore);
    const call = { toolName: 'Look', input: {} };
    workers[0]?.say({ type: 'nested-call', id: 2, nestedId: 1, call });
    workers[0]?.say({ type: 'effect', id: 5 });
    hung.kill('too slow');
    const lost = { type: 'lost', message: 'Its worker was ended: too slow' };
    const bystanders = [cell, nested, online, effective];
    expect(await Promise.all(bystanders.map(({ reply }) => reply))).toEqual(
      bystanders.map(() => lost),
    );
    expect(workers[1]?.sent).toEqual([]);
  });

  it('answers lost with the reason when a worker dies, and goes on with another', async () => {
    const { connect, workers } = connectByHand();
    const executor = createWorkerExecutor(connect);
    executor.warm();
    workers[0]?.ready();
    const work = executor.start(requestOf('Crash'), ignore);
    workers[0]?.listeners.onEnd(new SdkError('worker-lost', 'It fell over.'));
    // It may have been another's fault: it is started anew, once.
    expect(workers[1]?.sent).toMatchObject([{ type: 'start', id: 1 }]);
    workers[1]?.ready();
    workers[1]?.listeners.onEnd(new SdkError('worker-lost', 'It fell over.'));
    const message = expect.stringMatching(/^It fell over\. It ended a second worker/u);
    expect(await work.reply).toEqual({ type: 'lost', message });

    const next = executor.start(requestOf('Echo'), ignore);
    workers[2]?.say({ type: 'reply', id: 2, reply: done('alive') });
    expect(await next.reply).toEqual(done('alive'));
  });

  it('does not start a worker over and over that never gets ready', async () => {
    const { connect, workers } = connectByHand();
    const executor = createWorkerExecutor(connect);
    const work = executor.start(requestOf('Echo'), ignore);
    workers[0]?.listeners.onEnd(new SdkError('unsupported-environment', 'Blocked.'));
    expect(await work.reply).toEqual({ type: 'lost', message: 'Blocked.' });
    expect(workers).toHaveLength(1);
  });

  it('starts no worker before it is needed, and then one', async () => {
    const { connect, workers } = connectByHand();
    const executor = createWorkerExecutor(connect);
    expect(workers).toHaveLength(0);
    executor.warm();
    executor.warm();
    void executor.start(requestOf('Echo'), ignore);
    expect(workers).toHaveLength(1);
    executor[Symbol.dispose]();
    executor.warm();
    expect(workers).toHaveLength(1);
  });

  it('hands a state to the replacement only once its call has replied', async () => {
    const { connect, workers } = connectByHand();
    const executor = createWorkerExecutor(connect);
    const kept = Uint8Array.of(1);
    void executor.start(requestOf('Repl'), ignore);
    workers[0]?.say({ type: 'saved-state', id: 1, state: kept });
    workers[0]?.say({ type: 'reply', id: 1, reply: done(null) });
    const cut = executor.start(requestOf('Repl'), ignore);
    workers[0]?.say({ type: 'saved-state', id: 2, state: Uint8Array.of(2) });
    cut.kill('too slow');

    void executor.start(requestOf('Repl'), ignore);
    expect(
      workers[1]?.sent.map((message) => message.type === 'start' && message.savedState),
    ).toEqual([kept]);
    // The worker that has it isn't sent it again.
    void executor.start(requestOf('Repl'), ignore);
    expect(workers[1]?.sent.at(-1)).toMatchObject({ savedState: null });
  });

  it('fails a call whose input cannot be cloned, without sending it', async () => {
    const { connect, workers } = connectByHand();
    const executor = createWorkerExecutor(connect);
    const work = executor.start(requestOf('Echo', { callback: () => {} }), ignore);
    expect(await work.reply).toMatchObject({ type: 'failed' });
    expect(workers[0]?.sent).toEqual([]);
  });

  it('answers every open and every later call when it is disposed', async () => {
    const { connect, workers } = connectByHand();
    const executor = createWorkerExecutor(connect);
    const open = executor.start(requestOf('Echo'), ignore);
    executor[Symbol.dispose]();
    expect(await open.reply).toEqual({ type: 'lost', message: 'The host was closed.' });
    // Not one that may succeed a little later.
    expect(await executor.start(requestOf('Echo'), ignore).reply).toMatchObject({
      type: 'failed',
      error: { code: 'bad-usage', message: 'The host is closed. Create a new one.' },
    });
    expect(workers.map((worker) => worker.isEnded)).toEqual([true]);
  });
});

describe('serveCalls', () => {
  const entry = (name: string, handler: WorkerToolEntry['load'] extends never ? never : unknown) =>
    ({
      name,
      load: async () => ({ inputSchema: z.looseObject({}), handler }),
    }) as WorkerToolEntry;

  const startOf = (id: number, request: WorkRequest, savedState: Uint8Array | null = null) => ({
    type: 'start',
    id,
    request,
    savedState,
  });

  function serve(entries: readonly WorkerToolEntry[]) {
    const { port1, port2 } = new MessageChannel();
    const received: unknown[] = [];
    let wake = () => {};
    port1.onmessage = (event) => {
      received.push(event.data);
      wake();
    };
    const views = {
      openView: async () => ({ fs: {}, changeSet: () => null, rollback: () => {} }) as never,
    };
    const realm: HostRealm = {
      loadWasm: () => Promise.reject(new Error('none')),
      keep: () => ({}) as never,
      network: createServerFetch(() => Promise.reject(new Error('none'))),
      drop: () => {},
      [Symbol.dispose]: () => {},
    };
    const serving = serveCalls(port2, { entries, views, realm, search: new SearchService() });
    const count = async (wanted: number): Promise<unknown[]> => {
      while (received.length < wanted) await new Promise<void>((resolve) => void (wake = resolve));
      return received;
    };
    return { port: port1, count, serving };
  }

  it('says when a handler’s clock starts', async () => {
    const begin = async (_input: unknown, context: Pick<WorkContext<unknown>, 'startClock'>) =>
      context.startClock();
    const { port, count } = serve([entry('Begin', begin)]);
    port.postMessage(startOf(3, requestOf('Begin')));
    expect(await count(2)).toEqual([
      { type: 'clock-started', id: 3 },
      { type: 'reply', id: 3, reply: done(undefined) },
    ]);
  });

  it('refuses a message that it does not know, does nothing, and goes on', async () => {
    const { port, count } = serve([entry('Echo', async (input: unknown) => input)]);
    port.postMessage({ type: 'GET', path: ['constructor'] });
    port.postMessage(startOf(7, requestOf('Echo', { a: 1 })));
    expect(await count(2)).toEqual([
      { type: 'refused', reason: 'The worker knows no message of the type "GET".' },
      { type: 'reply', id: 7, reply: done({ a: 1 }) },
    ]);
  });

  it('aborts the handler that is interrupted, and no other', async () => {
    const untilAborted = (_input: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    const { port, count } = serve([entry('Wait', untilAborted)]);
    port.postMessage(startOf(1, requestOf('Wait')));
    port.postMessage(startOf(2, requestOf('Wait')));
    port.postMessage({ type: 'interrupt', id: 2, reason: 'enough' });
    expect(await count(1)).toMatchObject([
      { type: 'reply', id: 2, reply: { type: 'failed', error: { code: 'aborted' } } },
    ]);
  });

  it('answers a nested call by the reply of its number', async () => {
    const callOut = (_input: unknown, context: Pick<WorkContext<unknown>, 'callTool'>) =>
      context.callTool('Look', 1, { readPaths: [], signal: new AbortController().signal });
    const { port, count } = serve([entry('Cell', callOut)]);
    port.postMessage(startOf(1, requestOf('Cell')));
    await count(1);
    const answer = (nestedId: number, output: unknown) => ({
      type: 'nested-reply',
      id: 1,
      nestedId,
      reply: { type: 'done', callId: 'x', output },
    });
    port.postMessage(answer(2, 'no'));
    port.postMessage(answer(1, 'seen'));
    expect(await count(2)).toEqual([
      { type: 'nested-call', id: 1, nestedId: 1, call: { toolName: 'Look', input: 1 } },
      { type: 'reply', id: 1, reply: done('seen') },
    ]);
  });

  it('fails a nested call whose outer one is not here', async () => {
    const { port, count } = serve([entry('Look', async () => 'seen')]);
    const request = { ...requestOf('Look'), outerCallId: 'gone' };
    port.postMessage(startOf(1, request));
    expect(await count(1)).toMatchObject([
      { type: 'reply', id: 1, reply: { type: 'failed', error: { code: 'worker-lost' } } },
    ]);
  });

  it('fails a call whose output cannot be cloned, rather than leaving it open', async () => {
    const { port, count } = serve([entry('Bad', async () => () => {})]);
    port.postMessage(startOf(1, requestOf('Bad')));
    expect(await count(1)).toMatchObject([{ type: 'reply', id: 1, reply: { type: 'failed' } }]);
  });

  it('gives a handler the state that came with its call, and sends on what it saves', async () => {
    const count1 = async (
      _input: unknown,
      context: { savedState?: Uint8Array; saveState(state: Uint8Array): void },
    ) => {
      const before = context.savedState?.[0] ?? 0;
      context.saveState(Uint8Array.of(before + 1));
      return before;
    };
    const { port, count } = serve([entry('Count', count1)]);
    const request = requestOf('Count');
    port.postMessage(startOf(1, request, Uint8Array.of(40)));
    await count(2);
    port.postMessage(startOf(2, request));
    expect(await count(4)).toEqual([
      { type: 'saved-state', id: 1, state: Uint8Array.of(41) },
      { type: 'reply', id: 1, reply: done(40) },
      { type: 'saved-state', id: 2, state: Uint8Array.of(42) },
      { type: 'reply', id: 2, reply: done(41) },
    ]);
  });

  it('frees a large state that came with a call once the call has what it needs of it', async () => {
    const lengths: number[] = [];
    const look = async (
      _input: unknown,
      context: { readonly savedState?: Uint8Array; startClock(): void },
    ) => {
      const { savedState } = context;
      lengths.push(savedState?.length ?? -1);
      context.startClock();
      lengths.push(savedState?.length ?? -1, context.savedState?.length ?? -1);
    };
    const { port, count } = serve([entry('Look', look)]);
    port.postMessage(startOf(1, requestOf('Look'), new Uint8Array(largeStateBytes + 1)));
    await count(2);
    expect(lengths).toEqual([largeStateBytes + 1, 0, -1]);
  });
});
