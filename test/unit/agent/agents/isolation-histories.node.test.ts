// Random histories of agents on branches and on `main`, and of a person who types: see branch-history.ts. Node alone,
// for its time; HISTORIES sets how many.
import { env } from 'node:process';
import { expect, test } from 'vitest';
import { playBranchHistory } from '../../../support/turns/branch-history.ts';

const count = Number(env['HISTORIES'] ?? 20);

test('what agents merge and a person types is lost to nobody, in any order', async () => {
  const faults: unknown[] = [];
  const sum = { merged: 0, left: 0, retried: 0 };
  for (let seed = 1; seed <= count; seed += 1) {
    const history = await playBranchHistory(seed);
    if (history.faults.length > 0) faults.push({ seed, faults: history.faults });
    sum.merged += history.merged;
    sum.left += history.left;
    sum.retried += history.retried;
  }
  expect(faults).toEqual([]);
  // Each way of a branch is among them.
  expect(Math.min(sum.merged, sum.left, sum.retried)).toBeGreaterThan(0);
}, 900_000);
