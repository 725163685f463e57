import { expect, it } from 'vitest';
import { inTime, isDoneIn } from '../../../../src/core/async/in-time.ts';
import { createVirtualClock } from '../../../../src/hosts/inline/virtual-clock.ts';

const forEver = new Promise<never>(() => undefined);
const tooLate = () => new Error('late');

it('gives what comes in time, rejects as it does or with what is too late, and leaves no timer', async () => {
  const clock = createVirtualClock();
  expect(await inTime(Promise.resolve(1), 10, tooLate, clock)).toBe(1);
  await expect(inTime(Promise.reject(new Error('no')), 10, tooLate, clock)).rejects.toThrow('no');
  const waiting = inTime(forEver, 10, tooLate, clock);
  clock.advance(10);
  await expect(waiting).rejects.toThrow('late');
  expect(clock.pending()).toBe(0);
});

it('tells whether work is done in time, and leaves no timer', async () => {
  const clock = createVirtualClock();
  expect(await isDoneIn(Promise.resolve(), 10, clock)).toBe(true);
  await expect(isDoneIn(Promise.reject(new Error('no')), 10, clock)).rejects.toThrow('no');
  const waiting = isDoneIn(forEver, 10, clock);
  clock.advance(10);
  expect(await waiting).toBe(false);
  expect(clock.pending()).toBe(0);
});
