// What a session's object does with a directory that is silent, by a clock that is moved by hand. The rest of it is
// test/edge/object-owner.workerd.test.ts.
import { afterEach, expect, it, vi } from 'vitest';
import { createAlarmTable } from '../../../src/hosts/edge/object/named-alarms.ts';
import { createObjectOwner, reportAlarm } from '../../../src/hosts/edge/object/object-owner.ts';
import { openSqliteStorage } from '../../../src/hosts/server/open-sqlite-storage.ts';
import { ringByHand } from '../../support/hand-rung.ts';

afterEach(() => void vi.useRealTimers());

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
    { storage, table, id: () => 'session', stored: () => 0 },
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
