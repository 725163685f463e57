// Jobs whose journal was written elsewhere: by another version, or where other time zones are known.
import { expect, it, vi } from 'vitest';
import { toJournalId } from '../../../../src/agent/journal/stored-journal.ts';
import { fireTriggers } from '../../../../src/agent/triggers/fire-triggers.ts';
import { createVirtualClock } from '../../../../src/hosts/inline/virtual-clock.ts';
import { openByClock, settle, start } from '../../../support/sessions/clocked-session.ts';
import { toolUse } from '../../../support/turns/plan-turns.ts';
import { asks, says } from '../../../support/turns/play-turns.ts';
import {
  allowed,
  hour,
  minute,
  nine,
  openScheduled,
  results,
  toText,
} from '../../../support/sessions/scheduled-turns.ts';

/** A session whose one durable job, due at nine, was recorded with these fields. */
async function reopenWith(fields: Readonly<Record<string, string>>) {
  const first = await openScheduled({ ...nine, durable: true }, [], { sessionId: 's1' });
  await first.session.close();
  const { streams } = first.host.workspace;
  const id = toJournalId('s1');
  const entries: { readonly n: number; readonly value: unknown }[] = [];
  for await (const entry of streams.read(id)) entries.push(entry);
  const job = entries.findLast(({ value }) => JSON.stringify(value).includes('"cron/'))?.value as {
    readonly value: object;
  };
  const n = entries.length + 1;
  const changed = { ...job, n, value: { ...job.value, ...fields } };
  await streams.append(id, [{ value: changed }], { at: n - 1 });
  const replies = [asks(toolUse('list', 'CronList', {})), says('Listed.'), says('Low.')];
  const options = { ...allowed, host: first.host, resume: 's1' };
  return openByClock(replies, options, first.clock);
}

it('go by the session’s own time zone where theirs isn’t known', async () => {
  const { session, clock, messages, model, ended } = await reopenWith({
    timeZone: 'Europe/Nowhere',
  });
  await session.send('What is there?');
  await ended(2);
  await settle(session);
  expect(results(messages).at(-1)).toContain('UTC');
  clock.advance(9 * hour);
  await ended(3);
  expect(toText(model.requests.at(-1)?.messages.at(-1))).toContain('by the clocks of UTC');
});

it('are none where their schedule can’t be read', async () => {
  const { session, messages, ended } = await reopenWith({ cron: '0 9 * * 9' });
  await session.send('What is there?');
  await ended(2);
  expect(results(messages).at(-1)).toContain('Nothing is scheduled.');
});

it('that fail are tried again after 15 minutes, and a person is told', async () => {
  const clock = createVirtualClock(start);
  const emit = vi.fn<(message: unknown) => void>();
  const recordSafely = vi.fn(async () => undefined);
  let tries = 0;
  const ending = new AbortController();
  const session = {
    emit,
    id: 's1',
    ids: { of: () => 'id', next: () => 'id' },
    spending: { isSpent: () => false },
  };
  const fold = { waiting: [], promptIds: new Set() };
  const journal = { fold, recordSafely, onEntry: () => ({ [Symbol.dispose]: () => undefined }) };
  const list = () => {
    if (recordSafely.mock.calls.length > 0) return [];
    const tell = () => {
      tries += 1;
      if (tries <= 2) throw new RangeError('No such clocks.');
      return 'Look at the tides.';
    };
    return [{ dueAt: start, tell, next: () => ({ type: 'state', key: 'cron/1', value: null }) }];
  };
  fireTriggers(
    session as never,
    { clock, journal, list, steps: undefined, timeZone: 'UTC', signal: ending.signal } as never,
  );
  const pass = () => new Promise((resolve) => setTimeout(resolve));
  await pass();
  expect([tries, emit.mock.calls.length]).toEqual([1, 1]);
  expect(emit.mock.calls[0]?.[0]).toMatchObject({
    content:
      'What is scheduled could not begin, and is tried again within 15 minutes: RangeError: No such clocks.',
  });
  clock.advance(15 * minute);
  await pass();
  clock.advance(15 * minute);
  await pass();
  expect([tries, recordSafely.mock.calls.length]).toEqual([3, 1]);
  ending.abort();
});
