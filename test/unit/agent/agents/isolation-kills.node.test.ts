// A session with an isolated agent that is killed after any entry of its journal comes to the same end when it is
// opened again: the same files, merged once, and no branch is left. The conversation: killed-branch.ts.
import { describe, expect, test } from 'vitest';
import { toSessionRootId } from '../../../../src/core/session-path.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import { createMemoryMedium } from '../../../../src/workspace/drivers/memory.ts';
import type { LogMedium } from '../../../../src/workspace/log/log-medium.ts';
import { openFreezing } from '../../../support/freezing-workspace.ts';
import {
  branchSessionId,
  findBranchFaults,
  finishBranch,
  readReport,
} from '../../../support/killed-branch.ts';
import type { BranchEnding } from '../../../support/killed-branch.ts';
import { createRandom } from '../../../support/random.ts';

/** When a page is killed. */
interface Kill {
  readonly after: number;
  readonly isAtOnce: boolean;
}

/** One page. Without an ending: it was killed. */
async function play(
  medium: LogMedium,
  isBackground: boolean,
  { after, isAtOnce }: Kill = { after: Infinity, isAtOnce: false },
): Promise<{
  readonly ending?: BranchEnding;
  readonly asked: readonly string[];
  readonly boundaries: readonly number[];
}> {
  const stream = toSessionRootId(branchSessionId);
  const { workspace, frozen, boundaries } = await openFreezing(medium, stream, after, isAtOnce);
  const host = await createInlineHost({ workspace });
  const asked: string[] = [];
  const playing = finishBranch(host, isBackground, { ask: (requestId) => asked.push(requestId) });
  playing.catch(() => undefined);
  const ending = await Promise.race([playing, frozen]);
  return { boundaries, asked, ...(ending && { ending }) };
}

/** One page after the other, each killed, and one that finishes. */
async function kill(
  isBackground: boolean,
  kills: readonly Kill[],
  report?: string,
): Promise<object | undefined> {
  const medium = createMemoryMedium();
  for (const one of kills) await play(medium, isBackground, one);
  const { ending, asked } = await play(medium, isBackground);
  if (!ending) return { kills };
  const told = readReport(ending);
  const differing = report === undefined || told === report ? undefined : { told };
  return findBranchFaults(ending, { asked }) ?? differing;
}

describe.each([
  ['that is waited for', false],
  ['in the background', true],
] as const)('a session with an isolated agent %s', (_, isBackground) => {
  test('comes to the same end, whichever entry was the last one', async () => {
    const { ending, asked, boundaries } = await play(createMemoryMedium(), isBackground);
    expect(ending).toBeDefined();
    expect(ending && findBranchFaults(ending, { asked })).toBeUndefined();
    const report = isBackground || !ending ? undefined : readReport(ending);
    const points = [...new Set(boundaries)].toSorted((a, b) => a - b).slice(0, -1);
    const faults: unknown[] = [];
    for (const after of points) {
      // What one of the two conversations has at once, the other has not.
      const isAtOnce = (after % 2 === 0) === isBackground;
      const fault = await kill(isBackground, [{ after, isAtOnce }], report);
      if (fault) faults.push({ after, isAtOnce, ...fault });
    }
    expect(faults).toEqual([]);
    expect(points.length).toBeGreaterThan(40);
  }, 60_000);

  test('comes to the same end when it is killed again while it is taken up', async () => {
    const random = createRandom(isBackground ? 20 : 19);
    const faults: unknown[] = [];
    for (let times = 0; times < 10; times += 1) {
      const first = 3 + random.below(60);
      const kills = [first, first + 1 + random.below(6), first + 8 + random.below(6)].map(
        (after) => ({ after, isAtOnce: random.below(2) === 0 }),
      );
      const fault = await kill(isBackground, kills);
      if (fault) faults.push({ kills, ...fault });
    }
    expect(faults).toEqual([]);
  }, 60_000);
});
