// A place that answers a move with what isn't so: the session stays where it is, whole, and moves when the place tells
// the truth.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bringBack } from '../../../src/wire/handover/bring-back.ts';
import { moveSession } from '../../../src/wire/handover/move-session.ts';
import { atOnce, movingId, movingUrl, openMovingPlaces } from '../../support/wire/moving-places.ts';
import type { MovingPlaces } from '../../support/wire/moving-places.ts';
import { isResult, readUntil } from '../../support/sessions/open-sessions.ts';

type Fields = Record<string, unknown>;
type Lie = (told: Fields) => Fields;

let places: MovingPlaces;

const options = () => ({ host: places.tab, fetch: places.fetch, ticket: () => 'x', clock: atOnce });

async function play(place: 'tab' | 'cloud', turn: number): Promise<void> {
  const session = await places.openIn(place);
  const { n } = await session.send(`Turn ${turn}`);
  await readUntil(session, isResult, n);
  await session.close();
}

/** Answers to requests of that type are changed so. */
function tell(type: string, lie: Lie): void {
  let count = 0;
  places.lie = (asked, told) => {
    if (asked !== type) return told;
    count += 1;
    // Whoever believes it must not ask for ever.
    if (count > 20) throw new Error(`It was asked for ${type} 20 times.`);
    return lie(told);
  };
}

const nothing = 'The place has answered with what is no part of a move. Nothing was moved';
const noJournal = 'This is no whole journal of a session';

/** Of an answer to `read-journal`, with the entries so. */
const withEntries =
  (change: (entry: Fields, at: number) => unknown): Lie =>
  (told) => ({ ...told, entries: (told['entries'] as { value: Fields }[]).map(change) });

beforeEach(async () => {
  places = await openMovingPlaces();
  await play('tab', 0);
});

afterEach(() => places.close());

describe('a session that is moved to a place', () => {
  it.each<[string, string, Lie, string]>([
    [
      'refuses without a word',
      'offer',
      () => ({ error: {} }),
      'has answered with an error that says nothing',
    ],
    ['lacks no list of contents', 'lacks', () => ({ lacks: 5 }), nothing],
    ['has fewer entries than none', 'look', (told) => ({ ...told, entries: -1e15 }), nothing],
    ['has a text of entries', 'look', (told) => ({ ...told, entries: 'all' }), nothing],
  ])('stays where the place %s', async (_what, type, lie, sentence) => {
    tell(type, lie);
    await expect(moveSession(movingId, movingUrl, options())).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining(sentence) as string,
    });
    expect(await places.owners()).toEqual(['tab']);
    places.lie = (_type, told) => told;
    await moveSession(movingId, movingUrl, options());
    expect(await places.owners()).toEqual(['cloud']);
  });
});

describe('a session that is brought back', () => {
  it.each<[string, Lie, string]>([
    ['no entry', withEntries((entry) => ({ ...entry, value: { a: 1 } })), noJournal],
    [
      'entries in another order',
      (told) => ({ ...told, entries: (told['entries'] as unknown[]).toReversed() }),
      noJournal,
    ],
    [
      'an entry without what its kind has',
      withEntries((entry, at) =>
        at === 0
          ? { value: { n: (entry['value'] as Fields)['n'], time: 1, type: 'prompt' }, contents: 0 }
          : entry,
      ),
      noJournal,
    ],
    [
      'more contents than there are',
      withEntries((entry) => ({ ...entry, contents: 1e9 })),
      'has not the contents that its entries name',
    ],
    [
      'a text that is not there',
      withEntries((entry, at) =>
        at === 0 ? { ...entry, value: { ...(entry['value'] as Fields), x: { $text: 7 } } } : entry,
      ),
      'has not the contents that its entries name',
    ],
  ])(
    'stays there where the place sends %s, and what is here of it is as it was',
    async (_what, lie, sentence) => {
      await moveSession(movingId, movingUrl, options());
      await play('cloud', 1);
      tell('read-journal', lie);
      await expect(bringBack(movingUrl, options())).rejects.toMatchObject({
        code: 'invalid-input',
        message: expect.stringContaining(sentence) as string,
      });
      expect(await places.owners()).toEqual(['cloud']);
      places.lie = (_type, told) => told;
      await bringBack(movingUrl, options());
      expect(await places.owners()).toEqual(['tab']);
      await play('tab', 2);
    },
  );

  it.each<[string, string, Lie]>([
    ['a number for the session', 'look', (told) => ({ ...told, session: 7 })],
    ['a path for the session', 'look', (told) => ({ ...told, session: '../x' })],
    ['no list of contents', 'read-contents', (told) => ({ ...told, hashes: 5 })],
    ['other contents than were asked for', 'read-contents', (told) => ({ ...told, hashes: [] })],
  ])('stays there where the place answers with %s', async (_what, type, lie) => {
    await moveSession(movingId, movingUrl, options());
    await play('cloud', 1);
    await places.cloud.workspace.fs.writeFile('/workspace/new.txt', 'new');
    tell(type, lie);
    await expect(bringBack(movingUrl, options())).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining('what is no part of a session') as string,
    });
    expect(await places.owners()).toEqual(['cloud']);
    places.lie = (_type, told) => told;
    await bringBack(movingUrl, options());
    expect(await places.owners()).toEqual(['tab']);
  });
});
