// Which permission mode a session has in the place that it moves to, and when it is back.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PermissionMode } from '../../../src/core/permissions/permission.ts';
import { bringBack } from '../../../src/wire/handover/bring-back.ts';
import { moveSession } from '../../../src/wire/handover/move-session.ts';
import { atOnce, movingId, movingUrl, openMovingPlaces } from '../../support/wire/moving-places.ts';
import type { MovingPlaces } from '../../support/wire/moving-places.ts';
import { isResult, readUntil } from '../../support/sessions/open-sessions.ts';

let places: MovingPlaces;

beforeEach(async () => {
  places = await openMovingPlaces();
});

afterEach(() => places.close());

const options = () => ({ fetch: places.fetch, ticket: () => 'a ticket', clock: atOnce });
const move = () => moveSession(movingId, movingUrl, { host: places.tab, ...options() });
const back = () => bringBack(movingUrl, { host: places.tab, ...options() });

let turn = 0;

/** The mode in which a session of that place is, which is open until the work has ended. */
async function modeIn(
  place: 'tab' | 'cloud',
  permissionMode: PermissionMode,
  work: () => Promise<unknown> = async () => undefined,
): Promise<PermissionMode | undefined> {
  const session = await places.openIn(place, {
    permissionMode,
    canUseTool: async (_tool, input) => ({ behavior: 'allow', updatedInput: input }),
  });
  const { n } = await session.send(`Turn ${turn}`);
  turn += 1;
  const told = await readUntil(session, isResult, n);
  await work();
  await session.close();
  const begun = told.find((message) => message.type === 'system' && message.subtype === 'init');
  return begun?.type === 'system' && begun.subtype === 'init' ? begun.permissionMode : undefined;
}

it('is the tab’s where that asks more, and at home again the one that the tab opens it with', async () => {
  expect(await modeIn('tab', 'default', move)).toBe('default');
  expect(await modeIn('cloud', 'acceptEdits')).toBe('default');
  await back();
  expect(await modeIn('tab', 'acceptEdits')).toBe('acceptEdits');
});

it('is the place’s where the tab’s would allow more', async () => {
  expect(await modeIn('tab', 'bypassPermissions', move)).toBe('bypassPermissions');
  expect(await modeIn('cloud', 'default')).toBe('default');
});

it('is the tab’s own still after a move that has come to nothing', async () => {
  const lost = { ...options(), host: places.tab, signal: new AbortController().signal };
  const failing = async () => {
    const fetching: typeof fetch = async (url, init) => {
      if (places.count > 6) throw new TypeError('The network is gone.');
      return places.fetch(url, init);
    };
    await moveSession(movingId, movingUrl, { ...lost, fetch: fetching }).catch(() => undefined);
  };
  expect(await modeIn('tab', 'default', failing)).toBe('default');
  expect(await places.owners()).toEqual(['tab']);
  expect(await modeIn('tab', 'acceptEdits')).toBe('acceptEdits');
});
