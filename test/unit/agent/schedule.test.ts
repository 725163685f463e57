import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCallSlots } from '../../../src/agent/call-slots.ts';
import { createSchedule } from '../../../src/agent/schedule.ts';

/** A schedule that has been told of all calls at once: `s` is safe, `u` is not. */
function scheduled(kinds: string, limit = 10) {
  const schedule = createSchedule(limit);
  for (const [call, kind] of [...kinds].entries()) {
    schedule.add(call);
    schedule.classify(call, kind === 's');
    schedule.allow(call);
  }
  return schedule;
}

describe('createSchedule', () => {
  it.each([
    ['sss', 10, [0, 1, 2]],
    ['sss', 2, [0, 1]],
    ['uss', 10, [0]],
    ['ssu', 10, [0, 1]],
    ['sus', 10, [0]],
    ['uu', 10, [0]],
  ] as const)('of %s with a limit of %i starts %j', (kinds, limit, started) => {
    const schedule = scheduled(kinds, limit);
    expect(schedule.start()).toEqual(started);
    expect(schedule.start()).toEqual([]);
  });

  it('runs an unsafe call alone, in its place', () => {
    const schedule = scheduled('sus');
    const steps = [schedule.start()];
    for (const call of [0, 1, 2]) {
      schedule.settle(call);
      steps.push(schedule.start());
    }
    expect(steps).toEqual([[0], [1], [2], []]);
  });

  it('starts nothing behind a call whose kind isn’t known yet', () => {
    const schedule = createSchedule(10);
    schedule.add(0);
    schedule.add(1);
    schedule.classify(1, true);
    schedule.allow(1);
    expect(schedule.start()).toEqual([]);
    schedule.classify(0, true);
    expect(schedule.start()).toEqual([1]);
  });

  it('lets safe calls pass a safe one that waits for its answer', () => {
    const schedule = createSchedule(10);
    for (const call of [0, 1]) {
      schedule.add(call);
      schedule.classify(call, true);
    }
    schedule.allow(1);
    expect(schedule.start()).toEqual([1]);
  });

  it('keeps a call that turned unsafe waiting for those that had started behind it', () => {
    const schedule = createSchedule(10);
    for (const call of [0, 1]) {
      schedule.add(call);
      schedule.classify(call, true);
    }
    schedule.allow(1);
    schedule.start();
    schedule.classify(0, false);
    schedule.allow(0);
    expect(schedule.start()).toEqual([]);
    schedule.settle(1);
    expect(schedule.start()).toEqual([0]);
  });

  it('starts every call once, in order between unsafe ones, whatever the order of events', () => {
    const events = fc.array(fc.record({ pick: fc.nat(), kind: fc.nat(3) }), { maxLength: 60 });
    const kinds = fc.array(fc.constantFrom('s', 'u'), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(kinds, events, fc.integer({ min: 1, max: 3 }), (calls, given, limit) => {
        const schedule = createSchedule(limit);
        const known = new Set<number>();
        const allowed = new Set<number>();
        const running = new Set<number>();
        const settled = new Set<number>();
        const started: number[] = [];
        const advance = () => {
          for (const call of schedule.start()) {
            const isUnsafe = calls[call] === 'u';
            const before = [...Array(call).keys()];
            // Allowed, never twice, behind no unsettled unsafe call, alone if it is one itself.
            expect(allowed.has(call) && !started.includes(call)).toBe(true);
            expect(
              before.filter((other) => calls[other] === 'u').every((other) => settled.has(other)),
            ).toBe(true);
            if (isUnsafe) expect(before.every((other) => settled.has(other))).toBe(true);
            if (isUnsafe) expect(running.size).toBe(0);
            started.push(call);
            running.add(call);
            expect(running.size).toBeLessThanOrEqual(limit);
          }
        };
        for (const call of calls.keys()) schedule.add(call);
        const step = (kind: number, call: number) => {
          if (kind === 0 && !known.has(call)) {
            known.add(call);
            schedule.classify(call, calls[call] === 's');
          } else if (kind === 1 && known.has(call) && !settled.has(call)) {
            allowed.add(call);
            schedule.allow(call);
          } else if (kind >= 2 && (running.has(call) || kind === 3)) {
            // 3: refused, or stopped before its turn.
            running.delete(call);
            settled.add(call);
            schedule.settle(call);
          }
          advance();
        };
        for (const { pick, kind } of given) step(kind, pick % calls.length);
        // In the end all come through.
        for (const kind of [0, 1]) for (const call of calls.keys()) step(kind, call);
        // As often as there are calls: with a limit each settled one may let the next start.
        for (const _round of calls) for (const call of calls.keys()) step(2, call);
        expect(settled.size).toBe(calls.length);
        expect(running.size).toBe(0);
      }),
    );
  });
});

describe('createCallSlots', () => {
  it('turns away what waits, and what comes later, once the signal aborts', async () => {
    const controller = new AbortController();
    const takeSlot = createCallSlots(10, controller.signal);
    const [first, second] = [takeSlot(), takeSlot()];
    const turns = [first.takeTurn(), second.takeTurn()];
    controller.abort();
    expect(await Promise.all([...turns, takeSlot().takeTurn()])).toEqual([true, false, false]);
  });
});
