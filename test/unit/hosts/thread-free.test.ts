// When a worker says that it is free, on a loop whose turns take as long as the test says.
import { describe, expect, it } from 'vitest';
import { whenThreadIsFree } from '../../../src/hosts/browser/tool-worker/thread-free.ts';

/** After how many of these turns it is free; undefined where that is after none of them. */
async function turnsUntilFree(turnsMs: readonly number[]): Promise<number | undefined> {
  let now = 1000;
  let turns = 0;
  const cut = new Error('There are no more turns.');
  try {
    await whenThreadIsFree({
      now: () => now,
      nextTask() {
        const ms = turnsMs[turns];
        if (ms === undefined) return Promise.reject(cut);
        turns += 1;
        now += ms;
        return Promise.resolve();
      },
    });
    return turns;
  } catch (error) {
    if (error !== cut) throw error;
    return undefined;
  }
}

describe('whenThreadIsFree', () => {
  it.each([
    ['nothing is done', [0.1, 0.1, 0.1, 0.1, 0.1], 4],
    ['a call has begun just now and waits from then on', [0.3, 8, 0.1, 0.1, 0.1, 0.1, 0.1], 6],
    ['one long computation ends', [400, 0.1, 0.1, 0.1, 0.1], 5],
    ['a search rests between its slices', [9, 0.1, 9, 0.1, 9, 0.1, 9, 0.1], undefined],
    ['a call passes through three tasks to its work', [0.1, 0.1, 0.1, 90, 0.1], undefined],
    ['every turn takes a millisecond', [1, 1, 1, 1, 1, 1, 1, 1], undefined],
  ])('tells by four quick turns in a row: %s', async (_what, turnsMs, expected) => {
    expect(await turnsUntilFree(turnsMs)).toBe(expected);
  });

  it('looks at the loop of its own thread', async () => {
    await expect(whenThreadIsFree()).resolves.toBeUndefined();
  });
});
