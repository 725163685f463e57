// A Durable Object loses its instance while its session is archived, restored or deleted: by SIGKILL, by ctx.abort(),
// by new code. KILLS=60 (or any number) makes it a slow lane.
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { buildKillableWorkerd } from '../../support/edge/killable-workerd.ts';
import type { KillableWorkerd } from '../../support/edge/killable-workerd.ts';
import { waysToLose } from '../../support/edge/lost-instances.ts';
import { createRandom } from '../../support/random.ts';

const losses = inject('bucketRounds');

let workerd: KillableWorkerd;
/** The id of the object that is played now. */
let played = '';
/** Called with what that object tells. */
let onTold = (_what: string) => {};

beforeAll(async () => {
  workerd = await buildKillableWorkerd({
    main: 'test/support/kills/archived-session-main.ts',
    hear(path) {
      const [, id, ...what] = path.split('/');
      if (id === played) onTold(what.join('/'));
    },
  });
  await workerd.start({ VERSION: '1' });
});

afterAll(() => workerd.close());

/** Resolves when so many of these were told. */
function whenTold(isWanted: (what: string) => boolean, count = 1): Promise<void> {
  let left = count;
  return new Promise((resolve) => {
    onTold = (what) => {
      if (isWanted(what)) left -= 1;
      if (left > 0) return;
      onTold = () => {};
      resolve();
    };
  });
}

/** The archives that were told. */
const archives = new Set<string>();

/** It tells of a further archive. */
function isArchived(what: string): boolean {
  if (!what.startsWith('archived/') || archives.has(what)) return false;
  archives.add(what);
  return true;
}

const isAsked = (what: string) => what.startsWith('asked/');

const ways = waysToLose(() => workerd);
type Way = keyof typeof ways;

const request = async (path: string): Promise<unknown> => JSON.parse(await workerd.fetch(path));

/** What is done to the object, in this order. */
const phases = {
  async archiving(name: string) {
    await workerd.fetch(`${name}/fill`);
    await workerd.fetch(`${name}/send/1`);
  },
  // It is archived again afterwards.
  restoring: (name: string) => workerd.fetch(`${name}/send/2`),
  deleting: (name: string) => workerd.fetch(`${name}/delete`),
} as const;
type Phase = keyof typeof phases;

/** How often its archive is asked in a phase, counted before and after each request. */
const askedIn = { archiving: 8, restoring: 18, deleting: 2 } as const;

async function play(name: string, phase: Phase): Promise<void> {
  const archived = whenTold(isArchived);
  await phases[phase](name);
  if (phase !== 'deleting') await archived;
}

/** Plays a phase and loses the instance in it. Repeats only a request that has failed. */
async function lose(name: string, phase: Phase, at: number, way: Way): Promise<void> {
  const lost = whenTold(isAsked, at);
  const done = phases[phase](name).then(
    () => true,
    () => false,
  );
  await lost;
  const archived = whenTold(isArchived);
  await ways[way](name);
  const isDone = await done;
  // It ends by its alarm.
  if (phase !== 'deleting') await archived;
  if (!isDone) await play(name, phase);
}

it(
  'a session that is lost while it is archived, restored or deleted is whole, and archived once',
  { timeout: 600_000 + losses * 60_000 },
  async () => {
    const random = createRandom(27);
    const faults: unknown[] = [];
    for (let round = 0; round < losses; round += 1) {
      const name = `round-${round}`;
      const phase = (['restoring', 'archiving', 'deleting'] as const)[round % 3] ?? 'deleting';
      const way = random.pick(Object.keys(ways) as Way[]);
      const at = 1 + random.below(askedIn[phase]);
      played = await workerd.fetch(`${name}/id`);
      const playAny = (one: Phase) => (one === phase ? lose(name, one, at, way) : play(name, one));
      const found: unknown[] = [];
      for (const one of ['archiving', 'restoring'] as const) {
        await playAny(one);
        found.push(await request(`${name}/keys`));
      }
      // Reading the ending restores it.
      const ending = phase === 'deleting' ? undefined : await request(`${name}/ending/2`);
      await playAny('deleting');
      found.push(await request(`${name}/keys`));
      try {
        expect(found).toEqual([
          { sessions: 1, contents: 1 },
          { sessions: 1, contents: 1 },
          { sessions: 0, contents: 0 },
        ]);
        const said = ['Prompt 1', 'Heard Prompt 1.', 'Prompt 2', 'Heard Prompt 2.'];
        if (ending) expect(ending).toEqual({ said, wrong: [] });
      } catch (error) {
        faults.push({ round, phase, way, at, error });
      }
    }
    expect(faults).toEqual([]);
  },
);
