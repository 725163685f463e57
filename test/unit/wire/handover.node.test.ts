import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '../../../src/agent/host.ts';
import { getSessionInfo, listSessions } from '../../../src/agent/stored-sessions/session-info.ts';
import { bringBack } from '../../../src/wire/handover/bring-back.ts';
import { moveSession } from '../../../src/wire/handover/move-session.ts';
import { settleMove } from '../../../src/wire/handover/settle-move.ts';
import { createRandom } from '../../support/random.ts';
import { ofTurns, playTurn, readMovedEnding } from '../../support/wire/moved-turns.ts';
import { atOnce, movingId, movingUrl, openMovingPlaces } from '../../support/wire/moving-places.ts';
import type { MessageFate, MovingPlaces } from '../../support/wire/moving-places.ts';

let places: MovingPlaces;

beforeEach(async () => {
  places = await openMovingPlaces();
});

afterEach(() => places.close());

const ticket = () => 'a ticket';

const options = () => ({ fetch: places.fetch, ticket, clock: atOnce });

const move = () => moveSession(movingId, movingUrl, { host: places.tab, ...options() });

const back = () => bringBack(movingUrl, { host: places.tab, ...options() });

async function playIn(place: 'tab' | 'cloud', turn: number): Promise<void> {
  const session = await places.openIn(place);
  await playTurn(session, turn);
  await session.close();
}

/** Each turn in the other place. `turns`: how many. */
async function travel(turns: number, fates: ReadonlyMap<number, MessageFate> = new Map()) {
  places.fate = (count) => fates.get(count);
  for (let turn = 0; turn < turns; turn += 1) {
    const place = turn % 2 === 0 ? 'tab' : 'cloud';
    await playIn(place, turn);
    if (turn < turns - 1) await goTo(place === 'tab' ? 'cloud' : 'tab');
  }
}

/** As a person would: after a tab was killed its page asks how things stand, and moves again if need be. */
async function goTo(target: 'tab' | 'cloud'): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const going = target === 'cloud' ? move() : back();
    going.catch(() => undefined);
    const end = await Promise.race([
      going.then(() => 'done' as const),
      places.whenTabDies.then(() => 'died' as const),
    ]);
    // Who has asked and was not answered may not open it, either.
    expect((await places.owners()).length).toBeLessThan(2);
    if (end === 'died') {
      await places.reopenTab();
      if (target === 'cloud') await settleMove(movingId, { host: places.tab, ...options() });
      else continue;
    }
    const owners = await places.owners();
    expect(owners).toHaveLength(1);
    if (owners[0] === target) return;
  }
  throw new Error(`It never came to the ${target}.`);
}

/** Three times there and back, whole by ALL_KILLS; else once, at a few messages. */
const everyKill = process.env['ALL_KILLS'] !== undefined;
const turnsOfKills = everyKill ? 7 : 3;

describe('moveSession and bringBack', () => {
  it('take files, variables, transcript and usage along, three times there and back', async () => {
    await travel(7);
    expect(await readMovedEnding(places.tab, movingId)).toEqual(ofTurns(7));
    expect(await places.owners()).toEqual(['tab']);
  });

  it('are told of by what lists sessions, until it is back', async () => {
    await playIn('tab', 0);
    const tell = async ({ workspace }: Host) => {
      const [listed] = await listSessions({ host: { workspace } });
      expect(await getSessionInfo(movingId, { host: { workspace } })).toEqual(listed);
      return listed?.movedAway;
    };
    expect(await tell(places.tab)).toBe(undefined);
    await move();
    expect(await tell(places.tab)).toBe(movingUrl);
    expect(await tell(places.cloud)).toBe(undefined);
    await back();
    expect(await tell(places.tab)).toBe(undefined);
    // Nobody who is given a session away to knows its address.
    expect(await tell(places.cloud)).toBe(null);
  });

  // All kills take minutes.
  const patience = { timeout: everyKill ? 900_000 : 60_000 };
  it(
    'come to the same, with one owner at every moment, where either side is killed at any message',
    patience,
    async () => {
      await travel(turnsOfKills);
      const whole = places.count;
      const deaths = ['tab', 'cloud-before', 'cloud-after'] as const;
      const all = Array.from({ length: whole }, (_, at) =>
        deaths.map((fate) => ({ at, fate })),
      ).flat();
      const { pick } = createRandom(22);
      const chosen = everyKill ? all : Array.from({ length: 3 }, () => pick(all));
      for (const { at, fate } of chosen) {
        await places.close();
        places = await openMovingPlaces();
        await travel(turnsOfKills, new Map([[at, fate]]));
        const ending = await readMovedEnding(places.tab, movingId);
        expect({ at, fate, ...ending }).toEqual({ at, fate, ...ofTurns(turnsOfKills) });
        expect(await places.owners()).toEqual(['tab']);
      }
    },
  );
});
