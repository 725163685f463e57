import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';

describe('createVirtualClock', () => {
  it('calls back in the order of time, each at its own time, also what is added on the way', () => {
    const clock = createVirtualClock(100);
    const calls: [string, number][] = [];
    const note = (name: string) => () => void calls.push([name, clock.now()]);
    clock.after(20, note('second'));
    clock.after(10, () => {
      note('first')();
      clock.after(5, note('between'));
    });
    clock.after(50, note('later'));
    clock.advance(30);
    expect(calls).toEqual([
      ['first', 110],
      ['between', 115],
      ['second', 120],
    ]);
    expect([clock.now(), clock.pending()]).toEqual([130, 1]);
  });

  it('forgets what is disposed', () => {
    const clock = createVirtualClock();
    const timer = clock.after(1, () => {
      throw new Error('It was disposed.');
    });
    timer[Symbol.dispose]();
    clock.advance(10);
    expect(clock.pending()).toBe(0);
  });
});
