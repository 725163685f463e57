// A session in a real Durable Object that is put into a real bucket of workerd's, and comes back.
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { expect, it } from 'vitest';
import { createEdgeHost, createSessionObject } from '../../src/edge.ts';
import type { ArchiveBucket, DurableContext, SessionObject } from '../../src/edge.ts';
import { openDoSqliteLog } from '../../src/workspace/drivers/do-sqlite.ts';
import { openWorkspace } from '../../src/workspace/open-workspace.ts';
import { areSame, patternOf } from '../contract/log-medium.contract.ts';
import { isResult, readUntil, texts } from '../support/sessions/open-sessions.ts';
import { listModel, says } from '../support/turns/play-turns.ts';

interface Archived {
  readonly object: SessionObject;
  readonly storage: DurableObjectStorage;
  /** The keys of its objects in the bucket. */
  keys(): Promise<string[]>;
  /** Rings until no alarm is set. */
  ringAll(): Promise<void>;
  countRows(): number;
}

/** A session that is put away as soon as it rests. */
async function inArchived(
  name: string,
  work: (archived: Archived) => Promise<void>,
  {
    bucket = env.ARCHIVE,
    after = 0,
  }: { readonly bucket?: ArchiveBucket; readonly after?: number } = {},
): Promise<void> {
  await runInDurableObject(
    env.STORE.getByName(`session archive, ${name}`),
    async (_instance, state) => {
      const { storage } = state as unknown as DurableObjectState;
      let at: number | null = null;
      const ctx: DurableContext = {
        id: state.id,
        storage: {
          sql: storage.sql,
          transactionSync: (closure) => storage.transactionSync(closure),
          sync: () => storage.sync(),
          getAlarm: async () => at,
          setAlarm: async (time) => void (at = time),
          deleteAlarm: async () => void (at = null),
        },
      };
      const object = createSessionObject(ctx, {
        wasm,
        model: listModel('claude-test', [says('One.')]),
        archive: { bucket, after },
      });
      await work({
        object,
        storage,
        async keys() {
          const prefix = `rockpool/sessions/${state.id.toString()}/`;
          return (await env.ARCHIVE.list({ prefix })).objects.map(({ key }) => key);
        },
        async ringAll() {
          while (at !== null && at <= Date.now()) await object.alarm();
        },
        countRows: () =>
          Number(storage.sql.exec('SELECT count(*) AS count FROM rockpool_row').one()['count']),
      });
    },
  );
}

it('puts a session away as one object, empties its database, and brings it back when it is used', async () => {
  await inArchived('put away', async ({ object, storage, keys, ringAll, countRows }) => {
    const [one, two] = [patternOf(5_000_000), patternOf(5_000_000, 1)] as const;
    const host = await createEdgeHost({ wasm, storage });
    await host.workspace.fs.writeFile('/workspace/one.bin', one);
    await host.workspace.fs.writeFile('/workspace/two.bin', two);
    await host[Symbol.asyncDispose]();
    await (await object.session()).send('First.');
    await ringAll();
    expect(countRows()).toBe(0);
    const [key = ''] = await keys();
    expect((await env.ARCHIVE.head(key))?.size).toBeGreaterThan(10_000_000);

    const told = await readUntil(await object.session(), isResult);
    expect(texts(told)).toEqual(['user: First.', 'assistant: One.']);
    expect(await keys()).toEqual([]);
    await object.release();
    const again = await createEdgeHost({ wasm, storage });
    const same = [
      areSame(await again.workspace.fs.readFile('/workspace/one.bin'), one),
      areSame(await again.workspace.fs.readFile('/workspace/two.bin'), two),
    ];
    expect(same).toEqual([true, true]);
    await again[Symbol.asyncDispose]();
  });
});

it('leaves what else its class keeps in the database, there and in the bucket', async () => {
  await inArchived('beside', async ({ object, storage, ringAll, countRows }) => {
    const open = async () => {
      const medium = openDoSqliteLog(storage, 'of the class');
      return openWorkspace(medium, { name: 'of the class' });
    };
    const before = await open();
    await before.fs.writeFile('/workspace-of-the-class.txt', 'mine');
    await before[Symbol.asyncDispose]();
    await (await object.session()).send('First.');
    await ringAll();
    expect(countRows()).toBeGreaterThan(0);
    const between = await open();
    await between.fs.writeFile('/later.txt', 'since');
    await between[Symbol.asyncDispose]();
    expect(texts(await readUntil(await object.session(), isResult))).toEqual([
      'user: First.',
      'assistant: One.',
    ]);
    await object.release();
    const after = await open();
    expect(await after.fs.readFile('/workspace-of-the-class.txt', 'utf8')).toBe('mine');
    expect(await after.fs.readFile('/later.txt', 'utf8')).toBe('since');
    await after[Symbol.asyncDispose]();
  });
});

it('loses nothing where the bucket is down, and says so', async () => {
  let isDown = false;
  const asked = <Value>(value: () => Promise<Value>): Promise<Value> =>
    isDown ? Promise.reject(new Error('internal error; 10001')) : value();
  const bucket: ArchiveBucket = {
    createMultipartUpload: (key) => asked(() => env.ARCHIVE.createMultipartUpload(key)),
    get: (key) => asked(() => env.ARCHIVE.get(key)),
    delete: (key) => asked(() => env.ARCHIVE.delete(key)),
  };
  await inArchived(
    'bucket down',
    async ({ object, ringAll, countRows }) => {
      await (await object.session()).send('First.');
      isDown = true;
      const failed =
        "EIO: the archive's bucket failed to take a session (Error: internal error; 10001).";
      await expect(ringAll()).rejects.toThrow(failed);
      expect(countRows()).toBeGreaterThan(0);
      const waits: number[] = [];
      for (let times = 0; times < 12; times += 1) {
        const before = Date.now();
        await object.alarms.set('rockpool.archive', 0);
        await expect(object.alarm()).rejects.toThrow("EIO: the archive's bucket failed to");
        waits.push(Math.floor(((object.alarms.get('rockpool.archive') ?? 0) - before) / 60_000));
      }
      // The second one, in minutes, and the last two.
      expect([waits[0], ...waits.slice(-2)]).toEqual([2, 1_440, 1_440]);
      isDown = false;
      await object.alarms.set('rockpool.archive', 0);
      await ringAll();
      expect(countRows()).toBe(0);
      isDown = true;
      await expect(object.session()).rejects.toThrow(
        "EIO: the archive's bucket failed to give a session back (Error: internal error; 10001). Nothing is lost: try again later.",
      );
      isDown = false;
      expect(texts(await readUntil(await object.session(), isResult))).toEqual([
        'user: First.',
        'assistant: One.',
      ]);
    },
    { bucket },
  );
});

it('is not touched by a request for the archive before, which was given up and lands late', async () => {
  let late = async () => {};
  const bucket: ArchiveBucket = {
    createMultipartUpload: (key) => env.ARCHIVE.createMultipartUpload(key),
    get: (key) => env.ARCHIVE.get(key),
    async delete(key) {
      late = () => env.ARCHIVE.delete(key);
      throw new Error('internal error; 10001');
    },
  };
  await inArchived(
    'late',
    async ({ object, keys, ringAll, countRows }) => {
      await (await object.session()).send('First.');
      await ringAll();
      await (await object.session()).close();
      bucket.delete = (key) => env.ARCHIVE.delete(key);
      await object.alarms.set('rockpool.archive', 0);
      await ringAll();
      expect([countRows(), (await keys()).length]).toEqual([0, 1]);
      await late();
      const told = await readUntil(await object.session(), isResult);
      expect(texts(told).at(-1)).toBe('assistant: One.');
      await object.release();
      expect(await keys()).toEqual([]);
    },
    { bucket },
  );
});

it('is given up at the next part where the session is used, and leaves nothing where it is deleted', async () => {
  let inPart = async (): Promise<void> => {};
  let atEnd = async (): Promise<void> => {};
  const asked: string[] = [];
  const bucket: ArchiveBucket = {
    async createMultipartUpload(key) {
      const to = await env.ARCHIVE.createMultipartUpload(key);
      return {
        async uploadPart(number, bytes) {
          await inPart();
          return to.uploadPart(number, bytes);
        },
        async complete(parts) {
          asked.push('complete');
          await atEnd();
          return to.complete(parts as R2UploadedPart[]);
        },
        async abort() {
          asked.push('abort');
          await to.abort();
        },
      };
    },
    get: (key) => env.ARCHIVE.get(key),
    delete: (key) => env.ARCHIVE.delete(key),
  };
  await inArchived(
    'beside an upload',
    async ({ object, keys, ringAll, countRows }) => {
      await (await object.session()).send('First.');
      inPart = async () => {
        inPart = async () => {};
        await object.session();
      };
      await ringAll();
      expect(asked.slice(0, 1)).toEqual(['abort']);
      expect(countRows()).toBeGreaterThan(0);
      await (await object.session()).close();
      let deleting: Promise<void> | undefined;
      atEnd = async () => void (deleting = object.deleteArchive());
      await object.alarms.set('rockpool.archive', 0);
      await object.alarm();
      await deleting;
      expect(asked.at(-1)).toBe('complete');
      expect(await keys()).toEqual([]);
    },
    { bucket, after: 0 },
  );
});

it('refuses an archive that has other bytes, is cut, or is gone, and takes it when it is whole', async () => {
  await inArchived('wrong bytes', async ({ object, storage, keys, ringAll, countRows }) => {
    await (await object.session()).send('First.');
    await ringAll();
    const [key = ''] = await keys();
    const bytes = new Uint8Array((await (await env.ARCHIVE.get(key))?.arrayBuffer()) ?? []);
    const flipped = bytes.slice();
    flipped[flipped.length >> 1] = (flipped[flipped.length >> 1] ?? 0) ^ 1;
    // The kind of the first frame, of which no checksum is kept.
    const kinds = [0, 3].map((at) => bytes.with(at, (bytes[at] ?? 0) ^ 2));
    for (const wrong of [
      flipped,
      ...kinds,
      bytes.slice(0, -40),
      bytes.slice(0, 5),
      new Uint8Array(100),
    ]) {
      await env.ARCHIVE.put(key, wrong);
      await expect(object.session()).rejects.toThrow("EIO: the session's archive is damaged");
      expect(countRows()).toBe(0);
    }
    // As in an empty bucket, or in another one.
    await env.ARCHIVE.delete(key);
    const missing = `EIO: the session is archived, and the bucket has no object ${key}.`;
    await expect(object.session()).rejects.toThrow(missing);
    // Its alarm tries once more, and no more than that.
    storage.sql.exec('UPDATE rockpool_alarm SET at = 0');
    await expect(object.alarm()).rejects.toThrow(missing);
    expect(storage.sql.exec('SELECT name FROM rockpool_alarm').toArray()).toEqual([]);
    await env.ARCHIVE.put(key, bytes);
    expect(texts(await readUntil(await object.session(), isResult))).toEqual([
      'user: First.',
      'assistant: One.',
    ]);
  });
});

it('is put away as soon as it rests where somebody asks for it, also while it is used', async () => {
  const month = 30 * 24 * 60 * 60 * 1_000;
  await inArchived(
    'asked for',
    async ({ object, ringAll, countRows }) => {
      await (await object.session()).send('First.');
      await ringAll();
      expect(countRows()).toBeGreaterThan(0);
      await object.archive();
      await ringAll();
      expect(countRows()).toBe(0);
      // Said again nothing happens; used again it is there, for a month.
      await object.archive();
      const session = await object.session();
      expect(texts(await readUntil(session, isResult)).at(-1)).toBe('assistant: One.');
      await session.close();
      await ringAll();
      expect(countRows()).toBeGreaterThan(0);
      const used = await object.session();
      await object.archive();
      await ringAll();
      await used.close();
      await ringAll();
      expect(countRows()).toBe(0);
    },
    { after: month },
  );
});

it('names the lines of wrangler.jsonc where no bucket is bound', async () => {
  await expect(inArchived('none', async () => undefined, { bucket: {} as never })).rejects.toThrow(
    'bind one in wrangler.jsonc, "r2_buckets": [{ "binding": "ARCHIVE", "bucket_name": "your-bucket" }]',
  );
});
