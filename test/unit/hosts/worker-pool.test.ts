// Which worker a call runs in: with workers that the test plays.
import { describe, expect, it } from 'vitest';
import { encodeStateChange } from '../../../src/core/session/state-change.ts';
import { SdkError, toSerializedError } from '../../../src/core/errors.ts';
import { choosePoolSize } from '../../../src/hosts/browser/pool/pool-size.ts';
import { chooseSearchBudget } from '../../../src/hosts/browser/tool-worker/search-budget.ts';
import { openPool } from '../../support/browser/hand-driven-pool.ts';
import { done, ignore, requestOf } from '../../support/stages/work-request.ts';

const died = (message = 'It fell over.') => new SdkError('worker-lost', message);

describe('choosePoolSize', () => {
  it.each([
    [{}, 2],
    [{ hardwareConcurrency: 1 }, 2],
    [{ hardwareConcurrency: 3, deviceMemory: 8 }, 3],
    [{ hardwareConcurrency: 16, deviceMemory: 4 }, 4],
    [{ hardwareConcurrency: 16, deviceMemory: 2 }, 2],
  ])('for %o is %i', (hardware, size) => {
    expect(choosePoolSize(hardware)).toBe(size);
  });
});

describe('chooseSearchBudget', () => {
  it.each([
    [{}, {}],
    [{ deviceMemory: 4 }, {}],
    [{ deviceMemory: 2 }, { maxTextBytes: 33_554_432, bitsPerTrigram: 4 }],
  ])('for %o is %o', (hardware, budget) => {
    expect(chooseSearchBudget(hardware)).toEqual(budget);
  });
});

describe('the pool', () => {
  it('starts a further worker only when all are busy, and holds the call until one is free', () => {
    const { startFree, ready, sent } = openPool();
    const first = startFree();
    startFree();
    expect(sent()).toEqual([[1]]);
    ready(0);
    expect(sent()).toEqual([[1], []]);
    // The one that was busy is free before the other is up.
    void first.finish();
    expect(sent()).toEqual([[1, 2], []]);
    startFree();
    ready(1);
    expect(sent()).toEqual([[1, 2], [3]]);
  });

  it('keeps further calls for the first worker that has done, once all are up and busy', async () => {
    const { startFree, ready, sent, workers } = openPool();
    const [first] = [startFree(), startFree(), startFree(), startFree()];
    ready(0);
    ready(1);
    expect(sent()).toEqual([[1], [2]]);
    await first?.finish();
    expect(sent()).toEqual([[1, 3], [2]]);
    expect(workers).toHaveLength(2);
  });

  it('lets nothing stand behind a call that computes, however long that takes', async () => {
    const { startFree, ready, sent, clock } = openPool();
    const [, second] = Array.from({ length: 5 }, () => startFree());
    ready(0);
    ready(1);
    clock.advance(60_000);
    expect(sent()).toEqual([[1], [2]]);
    await second?.finish();
    expect(sent()).toEqual([[1], [2, 3]]);
  });

  it('prefers the worker that was started first', async () => {
    const { startFree, ready, sent } = openPool();
    const calls = [startFree(), startFree()];
    ready(0);
    ready(1);
    for (const call of calls) await call.finish();
    startFree();
    expect(sent()).toEqual([[1, 3], [2]]);
  });

  it('gives calls that yield the thread to one worker, beside each other but no other call', async () => {
    const { startFree, ready, sent, workers } = openPool();
    const toolName = 'Search';
    const turns = [startFree({ toolName }), startFree({ toolName })];
    ready(0);
    startFree({ toolName });
    expect([sent(), workers.length]).toEqual([[[1, 2, 3]], 1]);
    startFree();
    startFree();
    ready(1);
    // What computes doesn't stand beside them, and they pass what waits for a worker of its own.
    turns.push(startFree({ toolName }));
    expect(sent()).toEqual([[1, 2, 3, 6], [4]]);
    for (const call of turns) await call.finish();
  });

  it('gives calls that yield the thread to another worker where one computes in the first', () => {
    const { startFree, ready, sent } = openPool();
    startFree();
    ready(0);
    startFree({ toolName: 'Search' });
    ready(1);
    expect(sent()).toEqual([[1], [2]]);
  });

  it('gives calls that yield the thread to another worker where the first is tried with one alone', async () => {
    const { startFree, ready, sent, workers } = openPool();
    startFree({ toolName: 'Search' });
    const other = startFree();
    ready(0);
    ready(1);
    await other.finish();
    workers[0]?.listeners.onEnd(died());
    startFree({ toolName: 'Search' });
    startFree();
    ready(2);
    expect(sent()).toEqual([[1], [2, 1], [3]]);
  });

  it('gives a worker up that has not started after 30 s, and its calls to another, which has 45 s', async () => {
    const { startFree, ready, sent, clock, workers } = openPool();
    const call = startFree();
    clock.advance(30_000);
    expect(workers.map(({ isEnded }) => isEnded)).toEqual([true, false]);
    expect(sent()).toEqual([[1], [1]]);
    clock.advance(44_999);
    ready(1);
    clock.advance(1);
    expect(await call.finish()).toEqual(done(1));
  });

  it('loses a call whose second worker has not started after 45 s, and has 30 s for the next again', async () => {
    const { startFree, ready, clock, workers } = openPool();
    const call = startFree();
    clock.advance(75_000);
    const message = 'Its worker was ended: It took more than 45 s to start.';
    expect(await call.reply).toEqual({ type: 'lost', message });
    const next = startFree();
    clock.advance(44_999);
    ready(2);
    expect(await next.finish()).toEqual(done(2));
    workers[2]?.listeners.onEnd(died());
    clock.advance(30_000);
    expect(workers.map(({ isEnded }) => isEnded)).toEqual([true, true, true, true]);
  });

  it('does not start one worker after another that never gets ready, for nobody', async () => {
    const { executor, startFree, clock, workers } = openPool();
    executor.warm();
    clock.advance(60_000);
    expect(workers.map(({ isEnded }) => isEnded)).toEqual([true]);
    const call = startFree();
    clock.advance(100_000);
    expect(await call.reply).toMatchObject({ type: 'lost' });
    expect(workers).toHaveLength(3);
  });

  it('keeps its queue whole when who hears of a worker cuts a call and starts another', async () => {
    const { executor, startFree, ready, sent } = openPool(1);
    const first = startFree();
    const hearing = { ...requestOf('Echo', {}, 'hearing'), isStateless: true } as const;
    executor.start(hearing, ignore, {
      onWorker() {
        cut.kill('Not any more.');
        startFree();
      },
    });
    const cut = startFree();
    const fourth = startFree();
    expect(sent()).toEqual([[1]]);
    ready(0);
    await first.finish();
    expect(sent()).toEqual([[1, 2]]);
    expect(await cut.reply).toEqual({ type: 'lost', message: 'Not any more.' });
    executor.start(requestOf('Echo', {}, 'late'), ignore);
    expect(fourth.isBehind()).toBe(true);
    expect(sent()).toEqual([[1, 2]]);
  });

  it('goes on with the workers that it has when a further one cannot be started', async () => {
    const { startFree, ready, sent, workers } = openPool();
    const first = startFree();
    startFree();
    ready(0);
    workers[1]?.listeners.onEnd(new SdkError('unsupported-environment', 'Blocked.'));
    startFree();
    expect(workers).toHaveLength(2);
    await first.finish();
    expect(sent()).toEqual([[1, 2], []]);
  });

  it('loses the calls that wait where its only worker cannot be started', async () => {
    const { startFree, workers } = openPool();
    const calls = [startFree(), startFree(), startFree()];
    workers[0]?.listeners.onEnd(new SdkError('unsupported-environment', 'Blocked.'));
    const lost = { type: 'lost', message: 'Blocked.' };
    expect(await Promise.all(calls.map(({ reply }) => reply))).toEqual([lost, lost, lost]);
    expect(workers).toHaveLength(1);
  });

  it('keeps the calls of a session that use its state together and in order', () => {
    const { start, startFree, ready, sent } = openPool();
    start();
    startFree();
    ready(0);
    ready(1);
    start();
    start();
    expect(sent()).toEqual([[1, 3, 4], [2]]);
  });

  it('moves a session with its state from a busy worker to a free one', async () => {
    const { start, startFree, ready, workers, sent } = openPool();
    const state = Uint8Array.of(1);
    const cell = start();
    ready(0);
    workers[0]?.say({ type: 'saved-state', id: 1, state });
    await cell.finish();
    startFree({ sessionId: 'other' });
    const other = startFree({ sessionId: 'other' });
    ready(1);
    await other.finish();
    start();
    expect(sent()).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(workers[1]?.sent.at(-1)).toMatchObject({ id: 4, savedState: state });
    // And back: what the first worker has is not the newest any more.
    workers[1]?.say({ type: 'saved-state', id: 4, state: Uint8Array.of(2) });
    workers[1]?.say({ type: 'reply', id: 4, reply: done(4) });
    startFree({ sessionId: 'other' });
    workers[0]?.say({ type: 'reply', id: 2, reply: done(2) });
    start();
    expect(workers[0]?.sent.at(-1)).toMatchObject({ id: 6, savedState: Uint8Array.of(2) });
  });

  it('takes back what a call had saved when it was told to stop, in its worker, too', async () => {
    const { start, ready, workers } = openPool();
    const cell = start();
    ready(0);
    workers[0]?.say({ type: 'saved-state', id: 1, state: Uint8Array.of(1) });
    await cell.finish();
    start();
    workers[0]?.say({ type: 'saved-state', id: 2, state: Uint8Array.of(2) });
    const error = toSerializedError(new SdkError('aborted', 'The turn was stopped.'));
    workers[0]?.say({ type: 'reply', id: 2, reply: { type: 'failed', error } });
    const savedState = Uint8Array.of(1);
    const discard = { type: 'discard', stateKey: 'session-1/Echo', savedState };
    expect(workers[0]?.sent.at(-1)).toEqual(discard);
  });

  it('lets go what tools keep of a session that is over, in each worker that had calls of it', async () => {
    const { executor, start, startFree, ready, workers } = openPool();
    const [cell, beside, other] = [start(), startFree(), start({ sessionId: 'other' })];
    ready(0);
    ready(1);
    workers[0]?.say({ type: 'saved-state', id: 1, state: Uint8Array.of(1) });
    await cell.finish();
    await beside.finish();
    await other.finish();
    executor.endSession?.('session-1');
    const discard = { type: 'discard', stateKey: 'session-1/Echo', savedState: null };
    const discards = workers.map(({ sent }) => sent.filter(({ type }) => type === 'discard'));
    expect(discards).toEqual([[discard], [discard]]);
    start();
    expect(workers[0]?.sent.at(-1)).toMatchObject({ id: 4, savedState: null });
  });

  it('gives each worker that had another state the restored one, with its next call', async () => {
    const { executor, start, ready, workers } = openPool();
    const cell = start();
    ready(0);
    workers[0]?.say({ type: 'saved-state', id: 1, state: Uint8Array.of(1) });
    await cell.finish();
    const { bytes } = await encodeStateChange(undefined, Uint8Array.of(7));
    await executor.restoreStates?.('session-1', [{ toolName: 'Echo', changes: [bytes] }]);
    const again = start();
    expect(workers[0]?.sent.at(-1)).toMatchObject({ id: 2, savedState: Uint8Array.of(7) });
    await again.finish();
    await executor.restoreStates?.('session-1', []);
    start();
    const [discard, sent] = workers[0]?.sent.slice(-2) ?? [];
    expect(discard).toEqual({ type: 'discard', stateKey: 'session-1/Echo', savedState: null });
    expect(sent).toMatchObject({ type: 'start', id: 3, savedState: null });
  });

  it('leaves a session where it is while anything of it runs there', () => {
    const { start, startFree, ready, sent } = openPool();
    start();
    startFree();
    ready(0);
    ready(1);
    start();
    expect(sent()).toEqual([[1, 3], [2]]);
  });

  it('drops what a call saves that was to leave no state', async () => {
    const { start, startFree, ready, workers } = openPool();
    const free = startFree();
    ready(0);
    workers[0]?.say({ type: 'saved-state', id: 1, state: Uint8Array.of(1) });
    await free.finish();
    const next = start();
    expect(workers[0]?.sent.at(-1)).toMatchObject({ id: 2, savedState: null });
    workers[0]?.listeners.onEnd(died());
    // Not the one that was saved: the session has none.
    expect(workers[1]?.sent.at(-1)).toMatchObject({ id: 2, savedState: null });
    void next;
  });

  it('lets workers go that were idle for a minute, but never the one that was started first', async () => {
    const { startFree, ready, workers, clock } = openPool(3);
    const [first, second, third] = [startFree(), startFree(), startFree()];
    for (const at of [0, 1, 2]) ready(at);
    await first.finish();
    await second.finish();
    clock.advance(59_000);
    await third.finish();
    clock.advance(1000);
    expect(workers.map(({ isEnded }) => isEnded)).toEqual([false, true, false]);
    clock.advance(600_000);
    expect(workers.map(({ isEnded }) => isEnded)).toEqual([false, true, true]);
  });

  it('is closed with all its workers, and every call of it replies', async () => {
    const { startFree, start, ready, workers, executor } = openPool();
    const calls = [startFree(), startFree(), start({ isBackground: true }), startFree()];
    ready(0);
    executor[Symbol.dispose]();
    const lost = { type: 'lost', message: 'The host was closed.' };
    expect(await Promise.all(calls.map(({ reply }) => reply))).toEqual(calls.map(() => lost));
    expect(workers.map(({ isEnded }) => isEnded)).toEqual(workers.map(() => true));
  });
});

describe('a call', () => {
  it('is told which worker has it, and again where it was started anew', () => {
    const { executor, clock, workers } = openPool();
    const names: string[] = [];
    const onWorker = (name: string) => names.push(name);
    executor.start({ ...requestOf('Echo'), isStateless: true }, ignore, { onWorker });
    executor.start({ ...requestOf('Echo'), isBackground: true }, ignore, { onWorker });
    clock.advance(30_000);
    expect(names).toEqual(['1', '2', '3']);
    expect(workers).toHaveLength(3);
  });
});
