import { describe, expect, it } from 'vitest';
import { createSessionStates } from '../../../../src/agent/session/session-states.ts';
import { createTestSession } from '../../../support/stages/test-session.ts';

const open = async () => createSessionStates((await createTestSession()).journal);

describe('states of a session', () => {
  it('are what was set last, and each is recorded', async () => {
    const session = await createTestSession();
    const states = createSessionStates(session.journal);
    expect(states.get('a')).toBeUndefined();
    await states.set('a', [1], 'One.');
    await states.set('a', [2]);
    expect(states.get('a')).toEqual([2]);
    const recorded = session.journal.fold.entries.filter(({ type }) => type === 'state');
    expect(recorded.slice(-2)).toEqual([
      expect.objectContaining({ key: 'a', value: [1], reminder: 'One.' }),
      expect.not.objectContaining({ reminder: expect.anything() as unknown }),
    ]);
  });

  it('lose nothing to works that run alone, though each waits between reading and setting', async () => {
    const states = await open();
    const add = (number: number) =>
      states.runAlone(async () => {
        const before = (states.get('list') ?? []) as readonly number[];
        await Promise.resolve();
        if (number === 2) throw new Error('Not this one.');
        await states.set('list', [...before, number]);
        return number;
      });
    const ends = await Promise.allSettled([1, 2, 3, 4].map(add));
    expect(ends.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    ]);
    expect(states.get('list')).toEqual([1, 3, 4]);
  });
});
