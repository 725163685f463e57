// A session with agents that is killed after any entry of its journal comes to the same end when it is opened
// again: each agent begun once, each report and message given once. The conversation: killed-agents.ts.
import { describe, expect, test } from 'vitest';
import { toSessionRootId } from '../../../../src/core/session-path.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import { createMemoryMedium } from '../../../../src/workspace/drivers/memory.ts';
import type { LogMedium } from '../../../../src/workspace/log/log-medium.ts';
import { openFreezing } from '../../../support/freezing-workspace.ts';
import { agentsSessionId, findAgentFaults, finishAgents } from '../../../support/killed-agents.ts';
import type { AgentsEnding } from '../../../support/killed-agents.ts';
import { createRandom } from '../../../support/random.ts';

/** One page. Undefined: it was killed. */
async function play(
  medium: LogMedium,
  after = Infinity,
): Promise<{
  readonly ending?: AgentsEnding;
  readonly asked: readonly string[];
  readonly boundaries: readonly number[];
}> {
  const { workspace, frozen, boundaries } = await openFreezing(
    medium,
    toSessionRootId(agentsSessionId),
    after,
  );
  const host = await createInlineHost({ workspace });
  const asked: string[] = [];
  const playing = finishAgents(host, { ask: (requestId) => asked.push(requestId) });
  playing.catch(() => undefined);
  const ending = await Promise.race([playing, frozen]);
  return { boundaries, asked, ...(ending && { ending }) };
}

/** One page after the other, each killed after its last entry, and one that finishes. */
async function kill(lasts: readonly number[]): Promise<object | undefined> {
  const medium = createMemoryMedium();
  for (const last of lasts) await play(medium, last);
  const { ending, asked } = await play(medium);
  return ending ? findAgentFaults(ending, { asked }) : { killed: lasts };
}

describe('a session with agents that is killed', () => {
  test('comes to the same end, whichever entry was the last one', async () => {
    const { ending, asked, boundaries } = await play(createMemoryMedium());
    expect(ending).toBeDefined();
    expect(ending && findAgentFaults(ending, { asked })).toBeUndefined();
    const faults: unknown[] = [];
    const points = [...new Set(boundaries)].toSorted((a, b) => a - b).slice(0, -1);
    for (const last of points) {
      const fault = await kill([last]);
      if (fault) faults.push({ last, ...fault });
    }
    expect(faults).toEqual([]);
    expect(points.length).toBeGreaterThan(60);
  }, 120_000);

  test('comes to the same end when it is killed again while it is taken up', async () => {
    const random = createRandom(19);
    const faults: unknown[] = [];
    for (let times = 0; times < 10; times += 1) {
      const last = 3 + random.below(80);
      const again = [last, last + 1 + random.below(6), last + 8 + random.below(6)];
      const fault = await kill(again);
      if (fault) faults.push({ again, ...fault });
    }
    expect(faults).toEqual([]);
  }, 120_000);
});
