import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseAgent, createCallLimiter } from '../../../src/agent/calls/call-limiter.ts';

const never = new AbortController().signal;
const settle = () => new Promise<void>((resolve) => queueMicrotask(resolve));

describe('chooseAgent', () => {
  it.each([
    ['nobody where nobody waits', [{ held: 0, waiting: 0, lastServed: 0 }], undefined],
    [
      'whoever holds fewer permits',
      [
        { held: 2, waiting: 1, lastServed: 0 },
        { held: 1, waiting: 9, lastServed: 8 },
      ],
      1,
    ],
    [
      'of equals whoever has waited longest',
      [
        { held: 1, waiting: 1, lastServed: 3 },
        { held: 1, waiting: 1, lastServed: 2 },
      ],
      1,
    ],
  ])('chooses %s', (_name, agents, at) => {
    expect(chooseAgent(agents)).toBe(at === undefined ? undefined : agents[at]);
  });

  it('never lets an agent with work fall behind another by more than one permit of a full share', () => {
    const given = fc.record({
      permits: fc.integer({ min: 1, max: 6 }),
      backlogs: fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 5 }),
      ends: fc.array(fc.nat(4), { maxLength: 60 }),
    });
    fc.assert(
      fc.property(given, ({ permits, backlogs, ends }) => {
        const agents = backlogs.map((waiting) => ({ held: 0, waiting, lastServed: 0 }));
        let served = 0;
        const give = () => {
          const free = () => permits - agents.reduce((sum, { held }) => sum + held, 0);
          for (let next = chooseAgent(agents); next && free() > 0; next = chooseAgent(agents)) {
            const waiting = agents.filter(({ waiting: count }) => count > 0);
            // Nobody that waits holds fewer.
            expect(Math.min(...waiting.map(({ held }) => held))).toBe(next.held);
            next.waiting -= 1;
            next.held += 1;
            next.lastServed = served += 1;
          }
          // A permit is never idle while somebody waits.
          expect(free() === 0 || agents.every(({ waiting }) => waiting === 0)).toBe(true);
        };
        give();
        for (const end of ends) {
          const agent = agents[end % agents.length];
          if (agent && agent.held > 0) agent.held -= 1;
          give();
        }
      }),
    );
  });
});

describe('createCallLimiter', () => {
  it('lets an agent that is alone hold all, and gives what it returns to those that come later', async () => {
    const limiter = createCallLimiter(2);
    const [busy, late] = [limiter.sit(), limiter.sit()];
    const log: string[] = [];
    const take = (name: string, seat: typeof busy) =>
      void seat.take(never).then((permit) => permit && log.push(name));
    for (let call = 0; call < 4; call += 1) take('busy', busy);
    take('late', late);
    take('late', late);
    await settle();
    expect(log).toEqual(['busy', 'busy']);
    busy.giveBack();
    await settle();
    expect(log).toEqual(['busy', 'busy', 'late']);
    busy.giveBack();
    await settle();
    // Each holds as many now: whoever has waited longest since its last.
    expect(log).toEqual(['busy', 'busy', 'late', 'busy']);
  });

  it('answers no to whoever stops waiting, and keeps no permit for an agent that is gone', async () => {
    const limiter = createCallLimiter(1);
    const [first, second] = [limiter.sit(), limiter.sit()];
    const controller = new AbortController();
    expect(await first.take(never)).toBe(true);
    const given = [first.take(never), second.take(controller.signal), second.take(never)];
    controller.abort();
    first[Symbol.dispose]();
    expect(await Promise.all(given)).toEqual([false, false, true]);
    expect(await first.take(never)).toBe(false);
  });

  it.each([0, -1, 1.5, Number.NaN, Infinity])('refuses a limit of %s', (limit) => {
    expect(() => createCallLimiter(limit)).toThrow(/maxRunning must be a whole number above 0/);
  });
});
