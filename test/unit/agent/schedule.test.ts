import { describe, expect, it } from 'vitest';
import { createCallSlots } from '../../../src/agent/calls/call-slots.ts';
import { createSchedule } from '../../../src/agent/calls/schedule.ts';
import type { CallKind } from '../../../src/agent/calls/schedule.ts';

const safe: CallKind = {
  toolName: 'Look',
  isReadOnly: true,
  isConcurrencySafe: true,
  maxRunning: Infinity,
  cutsSiblings: false,
  isCutByPrompt: false,
};
const unsafe: CallKind = {
  ...safe,
  toolName: 'Change',
  isReadOnly: false,
  isConcurrencySafe: false,
};

/** A schedule that has been told of all calls at once. */
function scheduled(kinds: readonly CallKind[], limit = 10) {
  const schedule = createSchedule(limit);
  for (const [call, kind] of kinds.entries()) {
    schedule.add(call);
    schedule.classify(call, kind);
    schedule.allow(call);
  }
  return schedule;
}

// What it does in each of its states is in schedule-model.node.test.ts; here is what no model has.
describe('createSchedule', () => {
  it('keeps a call that turned unsafe waiting for those that had started behind it', () => {
    const schedule = createSchedule(10);
    for (const call of [0, 1]) {
      schedule.add(call);
      schedule.classify(call, safe);
    }
    schedule.allow(1);
    expect(schedule.decide().start).toEqual([1]);
    schedule.classify(0, unsafe);
    schedule.allow(0);
    expect(schedule.decide().start).toEqual([]);
    schedule.settle(1, 'done');
    expect(schedule.decide().start).toEqual([0]);
  });

  it('starts a call that asks again at once, unless it has turned unsafe meanwhile', () => {
    const schedule = scheduled([safe, safe]);
    expect(schedule.decide().start).toEqual([0, 1]);
    schedule.allow(0);
    expect(schedule.decide().start).toEqual([0]);
    schedule.classify(1, unsafe);
    schedule.allow(1);
    expect(schedule.decide().start).toEqual([]);
    schedule.settle(0, 'done');
    expect(schedule.decide().start).toEqual([1]);
  });

  it('says nothing twice, and nothing of calls that it was never told of', () => {
    const schedule = scheduled([safe]);
    expect(schedule.decide()).toEqual({ start: [0], skip: [] });
    expect(schedule.decide()).toEqual({ start: [], skip: [] });
    schedule.allow(7);
    expect(schedule.settle(7, 'failed')).toEqual([]);
    expect(schedule.decide()).toEqual({ start: [], skip: [] });
  });

  it('starts 10 000 calls of a message, as many at once as may', () => {
    const schedule = scheduled(Array.from({ length: 10_000 }, () => safe));
    const running = [...schedule.decide().start];
    const started = [...running];
    for (let call = running.shift(); call !== undefined; call = running.shift()) {
      schedule.settle(call, 'done');
      const { start } = schedule.decide();
      running.push(...start);
      started.push(...start);
      if (running.length > 10) throw new Error(`${running.length} run at once`);
    }
    expect(started).toEqual([...Array(10_000).keys()]);
  });
});

const options = { maxRunning: 10, policy: 'default' } as const;

describe('createCallSlots', () => {
  it('turns away what waits, and what comes later, once the signal aborts', async () => {
    const controller = new AbortController();
    const slots = createCallSlots(options, controller.signal);
    const [first, second] = [slots.take(), slots.take()];
    for (const slot of [first, second]) slot.classify(unsafe);
    const turns = [first.takeTurn(), second.takeTurn()];
    expect(await turns[0]).toBe(true);
    controller.abort();
    const late = slots.take();
    late.classify(safe);
    expect([await turns[1], await late.takeTurn()]).toEqual([false, false]);
    expect(first.controller.signal.aborted).toBe(true);
  });

  it('aborts what runs beside a call that failed, and says why', async () => {
    const slots = createCallSlots(options, new AbortController().signal);
    const cells = [slots.take(), slots.take()];
    for (const cell of cells) {
      cell.classify({ ...safe, toolName: 'Cell', cutsSiblings: true });
      await cell.takeTurn();
    }
    cells[0]?.release('failed');
    expect(cells.map(({ controller: { signal } }) => [signal.aborted, signal.reason])).toEqual([
      [false, undefined],
      [true, 'because Cell beside it failed'],
    ]);
  });

  it('gives its permit back when the work is over, before the call has settled', async () => {
    const log: string[] = [];
    const seat = {
      take: () => Promise.resolve(log.push('take') > 0),
      giveBack: () => void log.push('give back'),
      [Symbol.dispose]: () => {},
    };
    const slots = createCallSlots({ ...options, seat }, new AbortController().signal);
    const slot = slots.take();
    slot.classify(safe);
    // To be asked about takes none.
    await slot.awaitTurn();
    expect(log).toEqual([]);
    await slot.takeTurn();
    slot.endWork();
    slot.release('done');
    expect(log).toEqual(['take', 'give back']);
  });
});
