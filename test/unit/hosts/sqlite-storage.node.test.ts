// The storage of a Durable Object in a file of SQLite's. KILLS=100 (or any number) kills its process more often.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqliteStorage } from '../../../src/hosts/server/open-sqlite-storage.ts';
import { openDoSqliteLog } from '../../../src/workspace/drivers/do-sqlite.ts';
import { describeLogMedium } from '../../contract/log-medium.contract.ts';
import { createRandom } from '../../support/random.ts';

let folder: string;
let files = 0;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'rockpool-sqlite-'))));
afterAll(() => rmSync(folder, { recursive: true }));

const freshFile = () => join(folder, `${(files += 1)}.sqlite`);

describeLogMedium(
  {
    driver: 'do-sqlite',
    isPersistent: true,
    formerOwner: 'refused',
    replaces: true,
    readsAtOnce: true,
  },
  async (body) => {
    // In memory: what the disk does is another test's.
    using storage = await openSqliteStorage(':memory:');
    const open = async () => openDoSqliteLog(storage);
    await body({ open, takeOver: open });
  },
);

describe('openSqliteStorage', () => {
  it('gives values as a Durable Object does, and rolls back what throws, also inside of another', async () => {
    using storage = await openSqliteStorage(freshFile());
    const { sql } = storage;
    sql.exec('CREATE TABLE a (key INTEGER PRIMARY KEY, bytes BLOB)');
    storage.transactionSync(() => {
      sql.exec('INSERT INTO a VALUES (?, ?)', 2 ** 40, new Uint8Array([1, 2]).buffer);
      const fails = () =>
        storage.transactionSync(() => {
          sql.exec('INSERT INTO a VALUES (1, NULL)');
          throw new Error('no');
        });
      expect(fails).toThrow('no');
    });
    const bytes = new Uint8Array([1, 2]).buffer;
    expect(sql.exec('SELECT * FROM a').toArray()).toEqual([{ key: 2 ** 40, bytes }]);
    expect(sql.databaseSize).toBeGreaterThan(4_000);
  });

  it('keeps its file to itself, and refuses what is no database, with a sentence', async () => {
    const path = freshFile();
    const first = await openSqliteStorage(path);
    await expect(openSqliteStorage(path)).rejects.toMatchObject({
      code: 'EBUSY',
      message: `EBUSY: ${path} is open in another process. End that one first.`,
    });
    first[Symbol.dispose]();
    expect(() => first.sql.exec('SELECT 1')).toThrow(`EIO: ${path} was closed.`);
    (await openSqliteStorage(path))[Symbol.dispose]();
    const text = freshFile();
    writeFileSync(text, 'This is no database, but a text that is long enough to be taken for one.');
    await expect(openSqliteStorage(text)).rejects.toMatchObject({ code: 'EIO' });
    await expect(openSqliteStorage(join(folder, 'none', 'a'))).rejects.toMatchObject({
      code: 'EIO',
    });
  });

  it('loses nothing that was acknowledged when its process is killed', async () => {
    const main = fileURLToPath(
      new URL('../../support/storage/sqlite-writer-main.ts', import.meta.url),
    );
    const path = freshFile();
    const random = createRandom(13);
    /** By round, how many were said to be there. */
    const said: number[] = [];
    for (let round = 0; round < Number(process.env['KILLS'] ?? 2); round += 1) {
      const flags = ['--conditions=rockpool-source', '--no-warnings'];
      const child = spawn(process.execPath, [...flags, main, path, `round-${round}`]);
      const until = 1 + random.below(40);
      createInterface(child.stdout).on('line', (line) => {
        said[round] = Number(line);
        if (Number(line) >= until) child.kill('SIGKILL');
      });
      await once(child, 'close');
      expect(said[round]).toBeGreaterThanOrEqual(until);
    }
    using storage = await openSqliteStorage(path);
    const medium = openDoSqliteLog(storage);
    const lengths = new Map((await medium.list()).map(({ name, length }) => [name, length]));
    for (const [round, least] of said.entries()) {
      const name = `round-${round}`;
      const bytes = await (await medium.open(name)).read(0, lengths.get(name) ?? 0);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const kept = Array.from({ length: bytes.length / 4 }, (_, at) => view.getUint32(at * 4));
      expect(kept).toEqual(Array.from({ length: kept.length }, (_, at) => at + 1));
      expect(kept.length).toBeGreaterThanOrEqual(least);
    }
  });
});
