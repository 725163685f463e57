// workerd is killed while a session runs in a Durable Object. Another workerd over the same disk resumes the
// session from the object's storage, and it comes to the same end. So does one with sub-agents. KILLS=40 (or any number) makes it a slow lane.
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { buildKillableWorkerd } from '../../support/edge/killable-workerd.ts';
import type { KillableWorkerd } from '../../support/edge/killable-workerd.ts';
import { killedConversations } from '../../support/kills/killed-conversations.ts';
import type { ConversationName, KilledEnding } from '../../support/kills/killed-conversations.ts';
import { createRandom } from '../../support/random.ts';

const conversations = Object.entries(inject('sessionKills')) as [ConversationName, number][];
let workerd: KillableWorkerd;
/** By call, how often the counter has moved in this round. */
const moved = new Map<string, number>();
/** What a person was shown by the server of now. */
let asked: string[] = [];
/** Called with the journal's length as it grows. */
let onLanded = (_length: number) => {};

beforeAll(async () => {
  workerd = await buildKillableWorkerd({ main: 'test/support/kills/killed-session-main.ts', hear });
});

afterAll(() => workerd.close());

function hear(path: string): void {
  const [, what = '', which = ''] = path.split('/');
  if (what === 'moved') moved.set(which, (moved.get(which) ?? 0) + 1);
  if (what === 'asked') asked.push(which);
  if (what === 'landed') onLanded(Number(which));
}

/** Runs the object's session to its end. Rejects where workerd is killed meanwhile. */
async function finish(name: string): Promise<KilledEnding> {
  asked = [];
  return JSON.parse(await workerd.fetch(name)) as KilledEnding;
}

/** Kills workerd in the moment in which the journal is heard to have so many entries. */
function killAt(wanted: number): Promise<'killed'> {
  return new Promise((resolve) => {
    onLanded = (length) => {
      if (length < wanted) return;
      onLanded = () => {};
      workerd.kill();
      resolve('killed');
    };
  });
}

describe.each(conversations)('a killed workerd: %s, %i times', (conversation, kills) => {
  it(
    'comes to the end of one that nobody killed',
    { timeout: 600_000 + kills * 60_000 },
    async () => {
      const random = createRandom(18);
      await workerd.start();
      expect(workerd.isRunning).toBe(true);
      const reference = await finish(`${conversation}/reference`);
      const faults: unknown[] = [];
      const lengths: number[] = [];
      for (let round = 0; round < kills; round += 1) {
        moved.clear();
        const name = `${conversation}/round-${round}`;
        const wanted = 1 + random.below(reference.entries.length - 1);
        // It fails when its workerd goes; one that fails or ends before that is a failure.
        const first = finish(name).then(() => 'finished');
        expect(await Promise.race([killAt(wanted), first])).toBe('killed');
        await workerd.start();
        const ending = await finish(name);
        const again = ending.entries.find((entry) => entry.type === 'opened' && entry.n > 2);
        lengths.push((again?.n ?? 0) - 1);
        const seen = { moved, asked };
        const fault = killedConversations[conversation].findFaults(ending, reference, seen);
        if (fault) faults.push({ round, wanted, ...fault });
      }
      console.log(`killed with so many entries kept: ${lengths.join(', ')}`);
      expect(faults).toEqual([]);
      expect(lengths.filter((length) => length > 1).length).toBeGreaterThan(kills / 2);
    },
  );
});
