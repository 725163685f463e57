// Who gets a call when all workers have some: who says that its own wait.
import { describe, expect, it } from 'vitest';
import { openPool } from '../../support/hand-driven-pool.ts';

describe('the pool, when every worker has calls', () => {
  it('gives as many again to a worker that says, when asked, that its calls wait', () => {
    const { startFree, ready, free, sent, workers } = openPool();
    startFree();
    startFree();
    ready(0);
    ready(1);
    free(1);
    for (let call = 0; call < 7; call += 1) startFree();
    expect(sent()).toEqual([[1], [2]]);
    free(1);
    expect(sent()).toEqual([[1], [2, 3]]);
    free(1);
    expect(sent()).toEqual([[1], [2, 3, 4, 5]]);
    free(0);
    expect(sent()).toEqual([
      [1, 6],
      [2, 3, 4, 5],
    ]);
    const asked = workers.map((worker) => worker.sent.filter(({ type }) => type === 'ask-free'));
    expect(asked.map((messages) => messages.length)).toEqual([2, 3]);
  });

  it('gives the next call to the one with the fewest of those that said so', () => {
    const { startFree, ready, free, sent } = openPool();
    for (let call = 0; call < 3; call += 1) startFree();
    ready(0);
    ready(1);
    free(0);
    free(1);
    startFree();
    startFree();
    expect(sent()).toEqual([
      [1, 3],
      [2, 4],
    ]);
    free(0);
    free(1);
    startFree();
    expect(sent()).toEqual([
      [1, 3, 5],
      [2, 4, 6],
    ]);
  });

  it.each([
    ['asks again where a long call came after it had asked', 10, [[1, 2]]],
    ['takes its word where calls are short', 1, [[1, 2, 3]]],
  ])('%s', async (_what, ms, expected) => {
    const { startFree, ready, free, sent, clock } = openPool(1);
    const first = startFree();
    ready(0);
    for (let call = 1; call < 3; call += 1) startFree();
    // It was asked while the first was there, and answers when the second has come.
    clock.advance(ms);
    await first.finish();
    expect(sent()).toEqual([[1, 2]]);
    free(0);
    expect(sent()).toEqual(expected);
    free(0);
    expect(sent()).toEqual([[1, 2, 3]]);
  });

  it('takes no word for calls that ended after it', async () => {
    const { startFree, ready, free, sent } = openPool(1);
    const calls = [startFree()];
    ready(0);
    for (let call = 1; call < 5; call += 1) {
      calls.push(startFree());
      free(0);
    }
    // The last word was of four that waited: one more came, and three might.
    for (const call of calls) await call.finish();
    startFree();
    startFree();
    expect(sent()).toEqual([[1, 2, 3, 4, 5, 6]]);
    free(0);
    expect(sent()).toEqual([[1, 2, 3, 4, 5, 6, 7]]);
  });
});
