// What becomes of calls whose worker ends, and of calls that are cut: with workers that the test plays.
import { describe, expect, it } from 'vitest';
import { SdkError } from '../../../src/core/errors.ts';
import { openPool } from '../../support/browser/hand-driven-pool.ts';
import { done } from '../../support/stages/work-request.ts';

const died = () => new SdkError('worker-lost', 'It fell over.');

describe('a call whose worker ends by itself', () => {
  it('is started anew in one in which nothing else runs, and refused when that ends, too', async () => {
    const { startFree, ready, workers, sent } = openPool();
    const crash = startFree({ toolName: 'Search' });
    const bystander = startFree();
    ready(0);
    ready(1);
    const third = startFree({ toolName: 'Search' });
    expect(sent()).toEqual([[1, 3], [2]]);
    workers[0]?.listeners.onEnd(died());
    // Nobody knows which of the two it was, and the other worker is busy.
    await bystander.finish();
    ready(2);
    expect(sent()).toEqual([[1, 3], [2, 1], [3]]);
    startFree({ toolName: 'Search' });
    expect(sent()).toEqual([[1, 3], [2, 1], [3]]);
    workers[1]?.listeners.onEnd(died());
    const message = expect.stringMatching(
      /^It fell over\. It ended a second worker, in which nothing else ran/u,
    );
    expect(await crash.reply).toEqual({ type: 'lost', message });
    expect(await third.finish()).toEqual(done(3));
  });

  it('keeps its place in the order of its session', async () => {
    const { start, ready, workers, sent } = openPool();
    const cells = [start(), start()];
    ready(0);
    workers[0]?.listeners.onEnd(died());
    start();
    ready(1);
    expect(sent()).toEqual([[1, 2], [1]]);
    await cells[0]?.finish();
    expect(sent()).toEqual([
      [1, 2],
      [1, 2],
    ]);
    await cells[1]?.finish();
    expect(sent()).toEqual([
      [1, 2],
      [1, 2, 3],
    ]);
  });

  it('is lost with the reason where it must not be run twice', async () => {
    const { start, ready, workers } = openPool();
    const cell = start();
    ready(0);
    workers[0]?.say({ type: 'effect', id: 1 });
    workers[0]?.listeners.onEnd(died());
    expect(await cell.reply).toEqual({ type: 'lost', message: 'It fell over.' });
    expect(workers).toHaveLength(2);
  });
});

describe('a call that is cut', () => {
  it('before it has a worker, has its reply at once', async () => {
    const { startFree, sent } = openPool();
    startFree();
    const waiting = [startFree(), startFree()];
    expect(waiting.map((call) => call.isBehind())).toEqual([true, true]);
    waiting[0]?.interrupt('Stopped.');
    waiting[1]?.kill('Too slow.');
    expect(await waiting[0]?.reply).toMatchObject({ type: 'failed', error: { code: 'aborted' } });
    expect(await waiting[1]?.reply).toEqual({ type: 'lost', message: 'Too slow.' });
    expect(sent()).toEqual([[1]]);
  });

  it('takes its own worker with it and no other', async () => {
    const { startFree, ready, workers, sent } = openPool();
    const hung = startFree();
    const other = startFree();
    ready(0);
    ready(1);
    hung.kill('Too slow.');
    expect(workers.map(({ isEnded }) => isEnded)).toEqual([true, false]);
    expect(await other.finish()).toEqual(done(2));
    startFree();
    expect(sent()).toEqual([[1], [2, 3]]);
  });
});
