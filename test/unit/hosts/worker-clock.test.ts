// Which ticks the page's clock asks of the FS worker, and what it calls back when they come. The page's
// own timers stand still here, as in a hidden tab.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FsRequest } from '../../../src/hosts/browser/wire/protocol.ts';
import { createWorkerClock } from '../../../src/hosts/browser/page/worker-clock.ts';

/** A clock, and the ticks that it asked for: by their delays, to be answered by the test. */
function openClock() {
  const asked: number[] = [];
  const answers: { resolve(value: null): void; reject(reason: Error): void }[] = [];
  const clock = createWorkerClock({
    request(request: FsRequest) {
      if (request.type !== 'tick') throw new TypeError('The clock asks for ticks alone.');
      asked.push(request.delayMs);
      return new Promise((resolve, reject) => void answers.push({ resolve, reject }));
    },
  });
  const fired: string[] = [];
  const passed = () => vi.advanceTimersByTimeAsync(0);
  return {
    asked,
    fired,
    after: (delayMs: number, name: string, then = () => {}) =>
      clock.after(delayMs, () => {
        fired.push(name);
        then();
      }),
    /** The tick that was asked for at this place comes. */
    async tick(at: number): Promise<void> {
      answers[at]?.resolve(null);
      await passed();
    },
    async fail(at: number): Promise<void> {
      answers[at]?.reject(new Error('The worker is gone.'));
      await passed();
    },
  };
}

/** Time passes, and no timer of the page fires. */
function sleep(ms: number): void {
  const now = performance.now() + ms;
  vi.spyOn(performance, 'now').mockReturnValue(now);
}

describe('createWorkerClock', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it('asks for one tick for whatever is due when it comes or later, stopped or not', () => {
    const { asked, after } = openClock();
    for (const name of ['first', 'second', 'third']) {
      sleep(10);
      after(60_000, name)[Symbol.dispose]();
    }
    after(61_000, 'fourth');
    expect(asked).toEqual([60_000]);
  });

  it('asks for an earlier tick, and at each tick for the next that is due', async () => {
    const { asked, fired, after, tick } = openClock();
    after(60_000, 'deadline');
    after(250, 'grace');
    after(90_000, 'long');
    expect(asked).toEqual([60_000, 250]);
    sleep(250);
    await tick(1);
    expect(fired).toEqual(['grace']);
    expect(asked).toEqual([60_000, 250]);
    sleep(59_750);
    await tick(0);
    expect(fired).toEqual(['grace', 'deadline']);
    expect(asked).toEqual([60_000, 250, 30_000]);
    await tick(2);
    expect(fired).toEqual(['grace', 'deadline', 'long']);
    expect(asked).toHaveLength(3);
  });

  it('calls nothing back that was stopped, also by what comes before it in the same tick', async () => {
    const { fired, after, tick } = openClock();
    after(100, 'stopped before')[Symbol.dispose]();
    after(100, 'first', () => second[Symbol.dispose]());
    const second = after(100, 'stopped by the first');
    after(100, 'third');
    await tick(0);
    expect(fired).toEqual(['first', 'third']);
  });

  it('asks again where a tick is late, as after a worker that was replaced', () => {
    const { asked, after } = openClock();
    after(1_000, 'first');
    sleep(1_500);
    after(2_000, 'second');
    expect(asked).toEqual([1_000, 2_000]);
  });

  it("calls back once, by the page's own timer where there is no worker", async () => {
    const { asked, fired, after, tick, fail } = openClock();
    after(100, 'first');
    await fail(0);
    await vi.advanceTimersByTimeAsync(100);
    expect(fired).toEqual(['first']);
    after(100, 'second');
    await tick(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(fired).toEqual(['first', 'second']);
    expect(asked).toEqual([100, 100]);
  });
});
