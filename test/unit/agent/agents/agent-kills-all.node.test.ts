// A session with agents is killed after any write of its log, thus after any entry of its journal.
// It comes to the same end when it is opened again, with the same files, plan, tasks and results.
// Each agent is begun once, and each report and message given once. Each question is asked until it
// is answered. No branch is left. The task: killed-agents.ts. The ordinary run kills after each
// 32nd of the writes, and in a row in some; KILLS=20 (or any number) after all.
import { describe, expect, inject, test } from 'vitest';
import { killAgents, playAgents } from '../../../support/kills/kill-agents.ts';
import { createRandom } from '../../../support/random.ts';

describe('a session with agents that is killed', () => {
  test('comes to the same end, whichever write was the last one', async () => {
    const played = await playAgents();
    expect(played.fault).toBeUndefined();
    const faults: unknown[] = [];
    const stride = inject('cutStride');
    for (let last = 1 + (inject('seed') % stride); last < played.disk.count(); last += stride) {
      const fault = await killAgents(played, [last]);
      if (fault) faults.push({ last, ...fault });
    }
    expect(faults).toEqual([]);
    expect(played.disk.count()).toBeGreaterThan(200);
    expect(played.ending.entries.length).toBeGreaterThan(300);
  }, 900_000);

  test('comes to the same end when it is killed again while it is taken up', async () => {
    const played = await playAgents();
    const random = createRandom(19);
    const faults: unknown[] = [];
    for (let times = 0; times < inject('cutsInARow'); times += 1) {
      const first = 1 + random.below(played.disk.count() - 20);
      const kills = [first, 1 + random.below(6), 1 + random.below(6)] as const;
      const fault = await killAgents(played, kills);
      if (fault) faults.push({ kills, ...fault });
    }
    expect(faults).toEqual([]);
  }, 900_000);
});
