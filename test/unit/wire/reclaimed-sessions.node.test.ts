// A session whose fetcher is lost for good: its place goes on, and no session has two owners.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadJournal } from '../../../src/agent/journal/stored-journal.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import { bringBack } from '../../../src/wire/handover/bring-back.ts';
import { moveSession } from '../../../src/wire/handover/move-session.ts';
import { reclaimSession } from '../../../src/wire/handover/reclaim-session.ts';
import { settleMove } from '../../../src/wire/handover/settle-move.ts';
import { atOnce, movingId, movingUrl, openMovingPlaces } from '../../support/wire/moving-places.ts';
import type { MovingPlaces } from '../../support/wire/moving-places.ts';
import { isResult, readUntil, silentModel, texts } from '../../support/sessions/open-sessions.ts';
import { listModel, says } from '../../support/turns/play-turns.ts';

let places: MovingPlaces;

beforeEach(async () => {
  places = await openMovingPlaces();
  const session = await places.openIn('tab');
  const { n } = await session.send('Turn 0');
  await readUntil(session, isResult, n);
  await session.close();
  await moveSession(movingId, movingUrl, { host: places.tab, ...options() });
});

afterEach(() => places.close());

const options = () => ({ fetch: places.fetch, ticket: () => 'a ticket', clock: atOnce });
const back = () => bringBack(movingUrl, { host: places.tab, ...options() });
const reclaim = () => reclaimSession(movingUrl, options());

/** Fetches it, and is lost at the answer to that request. */
async function loseFetcher(at: string): Promise<void> {
  places.fate = (_count, type) => (type === at ? 'tab' : undefined);
  back().catch(() => undefined);
  await places.whenTabDies;
  places.fate = () => undefined;
}

it('goes on there under its own id where it was not given away yet; who fetches it comes too late', async () => {
  await loseFetcher('leave');
  expect(await reclaim()).toEqual({ sessionId: movingId, isCopy: false });
  expect(await places.owners()).toEqual(['cloud']);
  // The fetcher, which was only slow.
  await places.reopenTab();
  expect(await settleMove(movingId, { host: places.tab, ...options() })).toMatchObject({
    isHere: false,
  });
  await expect(places.openIn('tab')).rejects.toMatchObject({ code: 'bad-usage' });
  expect(await reclaim()).toEqual({ sessionId: movingId, isCopy: false });
  await back();
  expect(await places.owners()).toEqual(['tab']);
});

it('goes on there as a session of its own where it was given away, and stays the fetcher’s if that comes back', async () => {
  await loseFetcher('release');
  const { sessionId, isCopy } = await reclaim();
  expect([isCopy, sessionId === movingId]).toEqual([true, false]);
  expect(await places.owners()).toEqual([]);
  const { workspace } = places.cloud;
  const copy = await openSession({
    host: places.cloud,
    model: listModel('claude-test', [says('Still here.')]),
    resume: sessionId,
  });
  const { n } = await copy.send('Are you?');
  expect(texts(await readUntil(copy, isResult, n))).toEqual([
    'user: Are you?',
    'assistant: Still here.',
  ]);
  await copy.close();
  expect((await loadJournal(workspace, sessionId)).messages.length).toBeGreaterThan(4);
  expect(await workspace.fs.readFile('/workspace/0.txt', 'utf8')).toBe('0');
  await expect(
    openSession({ host: places.cloud, model: silentModel, resume: movingId }),
  ).rejects.toThrow(`The session ${movingId} runs elsewhere now.`);
  // One copy, however often it is asked for.
  expect(await reclaim()).toEqual({ sessionId, isCopy: true });
  await places.reopenTab();
  expect(await settleMove(movingId, { host: places.tab, ...options() })).toEqual({ isHere: true });
  expect(await places.owners()).toEqual(['tab']);
  expect((await loadJournal(places.tab.workspace, movingId)).length).toBeGreaterThan(0);
});
