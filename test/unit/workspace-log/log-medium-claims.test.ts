// The claims that rockpool/testing exports tell a medium that keeps them from one that doesn't.
import { describe, expect, it } from 'vitest';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import {
  listLogMediumClaims,
  type MediumTraits,
} from '../../../src/workspace/drivers/log-medium-claims.ts';
import type { LogMedium } from '../../../src/workspace/log/log-medium.ts';

const traits: MediumTraits = {
  driver: 'memory',
  isPersistent: false,
  formerOwner: 'none',
  replaces: true,
  readsAtOnce: true,
};

/** The names of the claims that don't hold, and what the first of them says. */
async function findBroken(changes: Partial<LogMedium>) {
  const outcomes = await Promise.all(
    listLogMediumClaims(traits).map(async ({ name, check }) => {
      const medium = { ...createMemoryMedium(), ...changes };
      const open = () => Promise.resolve(medium);
      const problem = await check({ open, takeOver: open }).then(() => undefined, String);
      return problem === undefined ? [] : [{ name, problem }];
    }),
  );
  return outcomes.flat();
}

describe('listLogMediumClaims', () => {
  it('has claims that hold side by side on places of their own', async () => {
    expect(await findBroken({})).toEqual([]);
  });

  it('says which claim a medium breaks, what was expected and what came', async () => {
    expect(await findBroken({ driver: 'other' })).toEqual([
      {
        name: 'says what it is, and is empty at first',
        problem:
          'SdkError: The medium breaks its contract: ["memory",false,[]] was expected, not ["other",false,[]].',
      },
    ]);
    const forgetful = await findBroken({ remove: () => Promise.resolve() });
    expect(forgetful.map(({ name }) => name)).toEqual([
      'removes files, also twice, and no others whose names begin alike',
    ]);
  });
});
