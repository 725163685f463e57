import { expect, it } from 'vitest';
import { createTurnWork } from '../../../../src/agent/session/turn-work.ts';
import { createDeferred } from '../../../../src/core/async/deferred.ts';

/** The turns of one agent, how often they count at the moment, and a piece of work that ends when told so. */
function createTurns() {
  let counted = 0;
  const work = () => {
    counted += 1;
    return { [Symbol.dispose]: () => void (counted -= 1) };
  };
  const hold = () => {
    const { promise: ended, resolve: end } = createDeferred();
    return { end, work: () => ended };
  };
  return { turns: createTurnWork({ work }), counted: () => counted, hold };
}

it('counts a turn once, except while it waits for a person or for others', async () => {
  const { turns, counted, hold } = createTurns();
  const [turn, first, second] = [hold(), hold(), hold()];
  const running = turns.run(turn.work);
  expect(counted()).toBe(1);
  const waits = [turns.wait(first.work), turns.wait(second.work)];
  expect(counted()).toBe(0);
  first.end();
  await waits[0];
  expect(counted()).toBe(0);
  second.end();
  await waits[1];
  expect(counted()).toBe(1);
  turn.end();
  await running;
  expect(counted()).toBe(0);
});

it('counts nothing for a question between two turns, and gives back a turn that fails', async () => {
  const { turns, counted } = createTurns();
  await turns.wait(async () => expect(counted()).toBe(0));
  await expect(turns.run(() => Promise.reject(new Error('No.')))).rejects.toThrow('No.');
  expect(counted()).toBe(0);
});
