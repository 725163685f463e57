// A session with agents is killed after a write of its log. It comes to the same end when it is
// opened again, in each runtime. agent-kills-all.node.test.ts has all writes.
import { expect, it } from 'vitest';
import { killAgents, playAgents } from '../../../support/kills/kill-agents.ts';
import { createRandom } from '../../../support/random.ts';

it('a session with agents comes to the same end, whichever write was its last', async () => {
  const played = await playAgents();
  expect(played.fault).toBeUndefined();
  const random = createRandom(played.ending.entries.length);
  for (let times = 0; times < 3; times += 1) {
    const last = 1 + random.below(played.disk.count() - 1);
    expect([last, await killAgents(played, [last])]).toEqual([last, undefined]);
  }
}, 600_000);
