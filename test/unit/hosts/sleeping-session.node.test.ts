// A reader of a session that is let go and opened again beneath it.
import { expect, it } from 'vitest';
import { createSleepingSession } from '../../../src/hosts/edge/object/sleeping-session.ts';
import type { Opening } from '../../../src/hosts/edge/object/sleeping-session.ts';

const last = 6;

/** Openings of a session with six messages: each but the last is let go after two, and then ends or fails. */
function createOpenings(end: 'ends' | 'fails') {
  const begun: number[] = [];
  let newest: Opening | undefined;
  let openings = 0;
  const open = (): Opening => {
    const controller = new AbortController();
    async function* messages({ after = 0 } = {}) {
      begun.push(after);
      yield { type: 'system', subtype: 'init' };
      for (let n = after + 1; n <= last; n += 1) {
        yield { type: 'user', n };
        if (n !== after + 2 || n === last) continue;
        controller.abort();
        // Another one was opened while this one's reader looked away.
        if (end === 'ends') newest = open();
        else throw new Error('The files are closed.');
        return;
      }
    }
    openings += 1;
    newest = { session: { messages } as never, letGo: controller.signal, ordinal: openings };
    return newest;
  };
  const session = createSleepingSession({
    open: async () => open(),
    openingAfter: async (ordinal: number) => (ordinal === openings ? open() : (newest as Opening)),
  } as never);
  return { session, begun };
}

it.each(['ends', 'fails'] as const)(
  'tells everything once where an opening %s in the midst of it',
  async (end) => {
    const { session, begun } = createOpenings(end);
    const told: (number | string)[] = [];
    for await (const message of session.messages()) told.push(message.n ?? message.type);
    expect(told).toEqual(['system', 1, 2, 3, 4, 5, 6]);
    expect(begun).toEqual([0, 2, 4]);
  },
);

it('tells all of the session that another one was left for by /clear, from its beginning', async () => {
  const toOpening = (id: string, kept: readonly (readonly [string, number])[], ordinal: number) => {
    const controller = new AbortController();
    async function* messages({ after = 0 } = {}) {
      yield { type: 'system', subtype: 'init', session_id: id };
      for (const [type, n] of kept) if (n > after) yield { type, n, session_id: id };
      if (ordinal === 1) controller.abort();
    }
    return { session: { id, messages }, letGo: controller.signal, ordinal };
  };
  const left = toOpening(
    'left',
    [
      ['conversation_reset', 8],
      ['result', 9],
    ],
    1,
  );
  const other = toOpening(
    'other',
    [
      ['user', 1],
      ['assistant', 2],
    ],
    2,
  );
  const session = createSleepingSession({
    open: async () => left,
    openingAfter: async () => other,
  } as never);
  const told: string[] = [];
  for await (const message of session.messages())
    told.push(`${message.session_id} ${message.type} ${message.n ?? ''}`.trim());
  expect(told).toEqual([
    'left system',
    'left conversation_reset 8',
    'left result 9',
    'other system',
    'other user 1',
    'other assistant 2',
  ]);
});

it('fails where an opening fails that nobody has let go', async () => {
  const failing = { messages: () => Promise.reject(new Error('It is broken.')) };
  const session = createSleepingSession({
    open: async () => ({
      session: { messages: () => ({ [Symbol.asyncIterator]: () => ({ next: failing.messages }) }) },
      letGo: new AbortController().signal,
      ordinal: 1,
    }),
  } as never);
  await expect(session.messages()[Symbol.asyncIterator]().next()).rejects.toThrow('It is broken.');
});

it.each([
  ['is carried out', async () => undefined, 'asked, opened, compacted, ended'],
  ['fails', () => Promise.reject(new Error('No.')), 'asked, opened, compacted, ended'],
  ['is refused', undefined, 'asked'],
])('asks before a compaction, and says when it has ended: one that %s', async (_, work, order) => {
  const heard: string[] = [];
  const compact = () => {
    heard.push('compacted');
    return work?.();
  };
  const session = createSleepingSession({
    hold: () => ({ [Symbol.dispose]: () => undefined }),
    async open() {
      heard.push('opened');
      return { session: { compact } };
    },
    async admit() {
      heard.push('asked');
      if (!work) throw new Error('Your budget is used up.');
      return { [Symbol.dispose]: () => void heard.push('ended') };
    },
  } as never);
  await session.compact().catch(() => undefined);
  expect(heard.join(', ')).toBe(order);
});

it.each([
  ['that is new', { uuid: 'p', n: 1 }, 'idle', false],
  ['that was sent before', { uuid: 'p', n: 1, isRepeated: true }, 'idle', true],
  [
    'that was sent before, while its turn runs',
    { uuid: 'p', n: 1, isRepeated: true },
    'running',
    false,
  ],
  ['that is refused', undefined, 'idle', true],
])(
  'gives back the turn that it was let in for by a prompt %s: %j in state %s',
  async (_, sent, state, isBack) => {
    let isGivenBack = false;
    const opening = {
      session: {
        state: () => state,
        send: () => (sent ? Promise.resolve(sent) : Promise.reject(new Error('It has left.'))),
      },
    };
    const session = createSleepingSession({
      hold: () => ({ [Symbol.dispose]: () => undefined }),
      ring: async () => undefined,
      open: async () => opening,
      current: () => opening,
      parked: () => [],
      admit: async () => ({ [Symbol.dispose]: () => void (isGivenBack = true) }),
    } as never);
    await session.send('Go.').catch(() => undefined);
    expect(isGivenBack).toBe(isBack);
  },
);
