// What a session's object does with a directory that is silent, by a clock that is moved by hand. The rest of it is
// test/edge/object-owner.workerd.test.ts.
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { createAlarmTable } from '../../../src/hosts/edge/object/named-alarms.ts';
import {
  createObjectOwner,
  findUnpriced,
  reportAlarm,
} from '../../../src/hosts/edge/object/object-owner.ts';
import { openSqliteStorage } from '../../../src/hosts/server/open-sqlite-storage.ts';
import { ringByHand } from '../../support/edge/hand-rung.ts';
import { listModel } from '../../support/turns/play-turns.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';

afterEach(() => void vi.useRealTimers());

/** Of a directory that lets begin what its quotas allow. What it was asked and told stands in `heard`. */
async function openOwner(refusal?: string, answers: Promise<void> = Promise.resolve()) {
  const file = await openSqliteStorage(':memory:');
  onTestFinished(() => file[Symbol.dispose]());
  const id = { toString: () => 'session' };
  const { storage } = ringByHand({ id, storage: { ...file, sync: async () => undefined } }).ctx;
  const heard: (string | number)[] = [];
  const owner = createObjectOwner(
    {
      register: async () => ({ allowed: true }),
      async beginTurn() {
        heard.push('begins');
        await answers;
        return refusal === undefined ? { allowed: true } : { allowed: false, reason: refusal };
      },
      async endTurn({ usage }) {
        heard.push(usage.input_tokens);
      },
    },
    {
      storage,
      table: createAlarmTable(storage),
      id: () => 'session',
      stored: () => 0,
      isDeleted: () => false,
      unpriced: () => undefined,
    },
  );
  return { owner, heard };
}

const used = (input_tokens: number) => ({
  type: 'usage',
  usage: { input_tokens, output_tokens: 0 },
  usd: 0,
  basis: 'list',
});

it('a compaction is asked for and told as a turn, however it has ended', async () => {
  const { owner, heard } = await openOwner();
  const admitted = await owner.admit();
  owner.heard(1, used(70));
  admitted[Symbol.dispose]();
  await owner.tell();
  // What waits isn't let in by it.
  await owner.admitOwn();
  owner.heard(2, used(5));
  owner.heard(3, { type: 'result' });
  await owner.tell();
  expect(heard).toEqual(['begins', 70, 'begins', 5]);
});

it.each(['sent', 'waiting'] as const)(
  'a compaction is told with the turn of a %s prompt that was let in before its end',
  async (prompt) => {
    const { owner, heard } = await openOwner();
    const admitted = await owner.admit();
    owner.heard(1, used(70));
    await (prompt === 'sent' ? owner.admit() : owner.admitOwn());
    admitted[Symbol.dispose]();
    await owner.tell();
    owner.heard(2, used(5));
    owner.heard(3, { type: 'result' });
    await owner.tell();
    expect(heard.filter((one) => one !== 'begins')).toEqual([75]);
  },
);

it('a turn that was let in and doesn’t begin is told as ended, unless another was let in since', async () => {
  const { owner, heard } = await openOwner();
  const first = await owner.admitOwn();
  if (typeof first === 'string') throw new Error(first);
  first[Symbol.dispose]();
  await owner.tell();
  const second = await owner.admitOwn();
  if (typeof second === 'string') throw new Error(second);
  await owner.admit();
  second[Symbol.dispose]();
  await owner.tell();
  expect(heard).toEqual(['begins', 0, 'begins', 'begins']);
});

it('a turn that is let in when nobody waits for it any more is told as ended', async () => {
  const { promise: answers, resolve: answer } = createDeferred();
  const { owner, heard } = await openOwner(undefined, answers);
  vi.useFakeTimers({ now: 0 });
  const sending = expect(owner.admit()).rejects.toThrow('has not answered for 30 s');
  await vi.advanceTimersByTimeAsync(30_000);
  await sending;
  await owner.tell();
  expect(heard).toEqual(['begins']);
  answer();
  await vi.advanceTimersByTimeAsync(0);
  await owner.tell();
  expect(heard).toEqual(['begins', 0]);
});

it('a compaction over the budget is refused', async () => {
  const { owner } = await openOwner('Your budget is used up.');
  await expect(owner.admit()).rejects.toMatchObject({
    code: 'limit-exceeded',
    message: 'Your budget is used up.',
  });
});

it('a directory that is silent has half a minute, and is out of reach then', async () => {
  using file = await openSqliteStorage(':memory:');
  const id = { toString: () => 'session' };
  const { ctx } = ringByHand({ id, storage: { ...file, sync: async () => undefined } });
  const { storage } = ctx;
  const table = createAlarmTable(storage);
  const silent = () => new Promise<never>(() => {});
  let reports = 0;
  let isSilent = true;
  const owner = createObjectOwner(
    {
      register: silent,
      beginTurn: silent,
      async endTurn() {
        reports += 1;
        if (isSilent) await silent();
      },
    },
    {
      ...{ storage, table, id: () => 'session', stored: () => 0, isDeleted: () => false },
      unpriced: () => undefined,
    },
  );
  owner.heard(1, { type: 'result' });
  vi.useFakeTimers({ now: 0 });
  const telling = owner.tell();
  await vi.advanceTimersByTimeAsync(30_000);
  await telling;
  expect(table.get(reportAlarm)).toBe(90_000);
  const silence = "The owner's directory has not answered for 30 s. Try again in a while.";
  const sending = expect(owner.admit()).rejects.toThrow(silence);
  const beginning = owner.admitOwn();
  const coming = owner.admitBytes(8_000_000);
  await vi.advanceTimersByTimeAsync(30_000);
  await sending;
  expect([await beginning, await coming]).toEqual([expect.stringContaining(silence), undefined]);
  isSilent = false;
  await owner.tell();
  expect(reports).toBe(3);
});

it('a session whose models all lack a price is named by its own model', () => {
  const named = (name: string) => listModel(name, []);
  const prices = { own: { input: 1, output: 1 } };
  expect([
    findUnpriced(named('own')),
    findUnpriced(named('own'), { models: { other: named('another') } }),
    findUnpriced(named('own'), { models: { listed: named('claude-sonnet-5') } }),
    findUnpriced(named('own'), { prices }),
    findUnpriced(named('claude-sonnet-5')),
    findUnpriced(named('claude-sonnet-5'), { prices }),
  ]).toEqual(['own', 'own', undefined, undefined, undefined, 'claude-sonnet-5']);
});
