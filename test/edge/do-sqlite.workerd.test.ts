// The log in a real Durable Object's SQLite: the media's contract, and what only this driver can
// meet. That is an evicted object, a full database, and tables of a newer version.
import { env } from 'cloudflare:workers';
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import {
  deleteDoSqliteLog,
  openDoSqliteLog,
  type DurableStorage,
} from '../../src/workspace/drivers/do-sqlite.ts';
import type { AppendFile, LogMedium } from '../../src/workspace/log/log-medium.ts';
import { counting } from '../support/edge/counted-storage.ts';
import {
  areSame,
  describeLogMedium,
  patternOf,
  refusalOf,
} from '../contract/log-medium.contract.ts';

let names = 0;

function freshObject() {
  names += 1;
  return env.STORE.getByName(`do-sqlite test ${names}`);
}

/** Runs in an object, with its storage; a fresh one where none is given. */
function inObject<Value>(
  run: (storage: DurableObjectStorage) => Promise<Value>,
  object = freshObject(),
): Promise<Value> {
  return runInDurableObject(object, (_instance, { storage }) => run(storage));
}

describeLogMedium(
  {
    driver: 'do-sqlite',
    isPersistent: true,
    formerOwner: 'refused',
    replaces: true,
    readsAtOnce: true,
  },
  (body) =>
    inObject((storage) => {
      const open = async () => openDoSqliteLog(storage);
      return body({ open, takeOver: open });
    }),
);

describe('do-sqlite', () => {
  it('keeps everything when the object is evicted, and takes over from the former instance', async () => {
    const object = freshObject();
    const whole = patternOf(300_000);
    await inObject(async (storage) => {
      const file = await openDoSqliteLog(storage).create('a');
      await file.append(whole.slice(), 'process');
    }, object);
    await evictDurableObject(object);
    const result = await inObject(async (storage) => {
      const medium = openDoSqliteLog(storage);
      const file = await medium.open('a');
      await medium.checkFence();
      return [await medium.list(), areSame(await file.read(0, 300_000), whole)];
    }, object);
    expect(result).toEqual([[{ name: 'a', length: 300_000 }], true]);
  });

  it('writes no row that is larger than a database takes', async () => {
    const largest = await inObject(async (storage) => {
      const file = await openDoSqliteLog(storage).create('a');
      await file.append(patternOf(10), 'power');
      await file.append(patternOf(3_000_000), 'power');
      const rows = storage.sql.exec('SELECT max(length(bytes)) AS most FROM rockpool_row');
      return Number(rows.one()['most']);
    });
    expect(largest).toBe(64 * 1024);
  });

  it('keeps several workspaces apart, and deletes one without the other', async () => {
    await inObject(async (storage) => {
      const one = openDoSqliteLog(storage, 'one');
      const two = openDoSqliteLog(storage, 'two');
      await (await one.create('a')).append(patternOf(1), 'power');
      const kept = await two.create('a');
      await kept.append(patternOf(2), 'power');
      expect([await one.list(), await two.list()]).toEqual([
        [{ name: 'a', length: 1 }],
        [{ name: 'a', length: 2 }],
      ]);
      deleteDoSqliteLog(storage, 'one');
      deleteDoSqliteLog(storage, 'one');
      expect(await refusalOf(() => one.create('b'))).toBe('EFENCED');
      expect(await openDoSqliteLog(storage, 'one').list()).toEqual([]);
      expect(areSame(await kept.read(0, 2), patternOf(2))).toBe(true);
    });
  });

  it('rejects an append that does not fit with ENOSPC, changes nothing, and goes on', async () => {
    await inObject(async (storage) => {
      let rowsLeft = Infinity;
      const full: DurableStorage = {
        sql: {
          exec(query, ...bindings) {
            if (/^INSERT .* rockpool_row/.test(query)) rowsLeft -= 1;
            else return storage.sql.exec(query, ...bindings);
            if (rowsLeft < 0) throw new Error('database or disk is full: SQLITE_FULL');
            return storage.sql.exec(query, ...bindings);
          },
        },
        transactionSync: (closure) => storage.transactionSync(closure),
      };
      const medium = openDoSqliteLog(full);
      const file = await medium.create('a');
      const whole = patternOf(500_000);
      await file.append(whole.slice(0, 1000), 'power');
      rowsLeft = 3;
      expect(await refusalOf(() => file.append(whole.slice(1000), 'power'))).toBe('ENOSPC');
      expect([file.length(), await medium.list()]).toEqual([1000, [{ name: 'a', length: 1000 }]]);
      await file.truncate(1000);
      rowsLeft = Infinity;
      await file.append(whole.slice(1000), 'power');
      expect(areSame(await file.read(0, 500_000), whole)).toBe(true);
    });
  });

  it('writes one row for a small append, and reads neighbours with the row that brought the first', async () => {
    await inObject(async (storage) => {
      const sums = { read: 0, written: 0 };
      const medium = openDoSqliteLog(counting(storage, sums));
      const file = await medium.create('a');
      await file.append(patternOf(100_000), 'power');
      const written = sums.written;
      await file.append(patternOf(10), 'power');
      expect(sums.written - written).toBe(1);
      const again = await medium.open('a');
      const read = sums.read;
      for (let at = 0; at < 65_536; at += 4096) await again.read(at, 4096);
      expect(sums.read - read).toBe(1);
    });
  });

  it('writes nothing where it is only read', async () => {
    const object = freshObject();
    const whole = patternOf(100_000);
    await inObject(async (storage) => {
      await (await openDoSqliteLog(storage).create('a')).append(whole.slice(), 'power');
    }, object);
    await evictDurableObject(object);
    await inObject(async (storage) => {
      const asked: string[] = [];
      const medium = openDoSqliteLog({
        sql: {
          exec(query, ...bindings) {
            asked.push(query);
            return storage.sql.exec(query, ...bindings);
          },
        },
        transactionSync: (closure) => storage.transactionSync(closure),
      });
      const [file] = await medium.list();
      const read = await (await medium.open('a')).read(0, file?.length ?? 0);
      expect(areSame(read, whole)).toBe(true);
      await medium.close();
      expect(asked.filter((query) => !query.startsWith('SELECT'))).toEqual([]);
    }, object);
  });

  describe('over another wrapper of the same storage', () => {
    const wrapped = (storage: DurableStorage) => counting(storage, { read: 0, written: 0 });

    it('fences the former one by its first write', async () => {
      await inObject(async (storage) => {
        const former = openDoSqliteLog(wrapped(storage));
        const file = await former.create('a');
        const next = openDoSqliteLog(wrapped(storage));
        await file.append(patternOf(1), 'power');
        expect(await next.list()).toEqual([{ name: 'a', length: 1 }]);
        await next.create('b');
        expect(await refusalOf(() => file.append(patternOf(1), 'power'))).toBe('EFENCED');
        expect(await refusalOf(() => former.checkFence())).toBe('EFENCED');
        expect(await next.list()).toHaveLength(2);
      });
    });

    it.each([
      ['appended', (file: AppendFile) => file.append(patternOf(1), 'power')],
      ['replaced', (_file: AppendFile, former: LogMedium) => former.create('a')],
      ['removed', (_file: AppendFile, former: LogMedium) => former.remove('a')],
    ] as const)('writes nothing where the former one has %s since', async (_name, change) => {
      await inObject(async (storage) => {
        const former = openDoSqliteLog(wrapped(storage));
        const file = await former.create('a');
        const next = openDoSqliteLog(wrapped(storage));
        await next.list();
        await change(file, former);
        expect(await refusalOf(() => next.create('b'))).toBe('EFENCED');
        await former.checkFence();
        expect((await former.list()).map(({ name }) => name)).not.toContain('b');
      });
    });
  });

  it('holds what was appended, whatever sizes, refusals and cuts came in between', async () => {
    await inObject(async (storage) => {
      let isFull = false;
      const filling: DurableStorage = {
        sql: {
          exec(query, ...bindings) {
            if (isFull && query.startsWith('INSERT')) throw new Error('SQLITE_FULL');
            return storage.sql.exec(query, ...bindings);
          },
        },
        transactionSync: (closure) => storage.transactionSync(closure),
      };
      const file = await openDoSqliteLog(filling).create('a');
      const draws = patternOf(300);
      let whole = new Uint8Array(0);
      for (let step = 0; step < 80; step += 1) {
        const [kind = 0, high = 0, low = 0] = draws.subarray(step * 3, step * 3 + 3);
        // Mostly as small commits are, some of several rows.
        const length = kind < 240 ? high * 20 + low : high * 500 + low;
        const bytes = new Uint8Array(patternOf(length, step));
        isFull = kind % 5 === 0 && length > 0;
        const outcome = await refusalOf(() => file.append(bytes.slice(), 'process'));
        expect(outcome).toBe(isFull ? 'ENOSPC' : 'none');
        if (!isFull) whole = new Uint8Array(await new Blob([whole, bytes]).arrayBuffer());
        isFull = false;
        if (kind % 16 === 1) {
          whole = whole.slice(0, whole.length - Math.min(high * 10, whole.length));
          await file.truncate(whole.length);
        }
        const from = Math.floor((whole.length * low) / 256);
        const until = Math.min(from + 30_000, whole.length);
        const read = await file.read(from, until - from);
        expect(areSame(read, whole.subarray(from, until))).toBe(true);
      }
      const again = await openDoSqliteLog(storage).open('a');
      expect(areSame(await again.read(0, whole.length), whole)).toBe(true);
    });
  });

  it('asks the database once for a small append, which tells a former owner apart', async () => {
    await inObject(async (storage) => {
      const asked: string[] = [];
      const listed: DurableStorage = {
        sql: {
          exec(query, ...bindings) {
            asked.push(query);
            return storage.sql.exec(query, ...bindings);
          },
        },
        transactionSync(closure) {
          asked.push('a transaction');
          return storage.transactionSync(closure);
        },
      };
      const file = await openDoSqliteLog(listed).create('a');
      await file.append(patternOf(10), 'power');
      asked.length = 0;
      await file.append(patternOf(20), 'power');
      expect([asked.length, file.length()]).toEqual([1, 30]);
      const next = openDoSqliteLog(storage);
      await next.create('b');
      for (const bytes of [20, 200_000]) {
        expect(await refusalOf(() => file.append(patternOf(bytes), 'power'))).toBe('EFENCED');
      }
      expect((await next.list())[0]).toEqual({ name: 'a', length: 30 });
    });
  });

  it('takes over the tables of the first version', async () => {
    await inObject(async (storage) => {
      for (const statement of [
        'CREATE TABLE rockpool_schema (version INTEGER NOT NULL)',
        'INSERT INTO rockpool_schema VALUES (1)',
        'CREATE TABLE rockpool_owner (workspace TEXT PRIMARY KEY, token TEXT NOT NULL)',
        `CREATE TABLE rockpool_file (id INTEGER PRIMARY KEY AUTOINCREMENT, workspace TEXT NOT NULL,
          name TEXT NOT NULL, UNIQUE (workspace, name))`,
        "INSERT INTO rockpool_file VALUES (7, 'workspace', 'a'), (8, 'workspace', 'b')",
        `CREATE TABLE rockpool_chunk (file INTEGER NOT NULL, start INTEGER NOT NULL,
          bytes BLOB NOT NULL, PRIMARY KEY (file, start))`,
        "INSERT INTO rockpool_chunk VALUES (7, 0, x'0102'), (7, 2, x'03'), (8, 0, x'04')",
      ]) {
        storage.sql.exec(statement);
      }
      const medium = openDoSqliteLog(storage);
      expect(await medium.list()).toEqual([
        { name: 'a', length: 3 },
        { name: 'b', length: 1 },
      ]);
      expect(await (await medium.open('a')).read(0, 3)).toEqual(new Uint8Array([1, 2, 3]));
      await (await medium.create('c')).append(new Uint8Array([5]), 'power');
      expect(await (await openDoSqliteLog(storage).open('b')).read(0, 1)).toEqual(
        new Uint8Array([4]),
      );
    });
  });

  it('leaves tables of a newer version as they are', async () => {
    await inObject(async (storage) => {
      await (await openDoSqliteLog(storage).create('a')).append(patternOf(1), 'power');
      storage.sql.exec('UPDATE rockpool_schema SET version = 9');
      storage.sql.exec("UPDATE rockpool_owner SET token = 'of the newer version'");
      for (const call of [openDoSqliteLog, deleteDoSqliteLog]) {
        expect(await refusalOf(() => call(storage))).toBe('EIO');
      }
      expect(storage.sql.exec('SELECT token FROM rockpool_owner').one()).toEqual({
        token: 'of the newer version',
      });
    });
  });

  it('says EIO for rows that are gone, and for whatever else the database refuses', async () => {
    await inObject(async (storage) => {
      const medium = openDoSqliteLog(storage);
      const file = await medium.create('a');
      await file.append(patternOf(200_000), 'power');
      storage.sql.exec('DELETE FROM rockpool_row WHERE key % 4294967296 = 65536');
      expect(await refusalOf(() => file.read(0, 65_536))).toBe('none');
      for (const [offset, length] of [
        [65_535, 2],
        [0, 200_000],
        [65_536, 65_536],
        [70_000, 5],
      ] as const) {
        expect(await refusalOf(() => file.read(offset, length))).toBe('EIO');
      }
      storage.sql.exec('DROP TABLE rockpool_row');
      expect(await refusalOf(() => medium.list())).toBe('EIO');
    });
  });

  it.each(['', '.', 'x'.repeat(81)])('refuses %j as a name', async (name) => {
    const refusal = await inObject((storage) => refusalOf(() => openDoSqliteLog(storage, name)));
    expect(refusal).toBe('invalid-input');
  });
});
