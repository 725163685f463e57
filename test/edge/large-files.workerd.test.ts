// Large files of a session in a bucket: cells that read them synchronously, git, an archive, a move, and what the owner is
// told.
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { describe, expect, it } from 'vitest';
import { createEdgeHost, createSessionObject } from '../../src/edge.ts';
import type {
  DurableContext,
  EdgeHost,
  SessionObject,
  SessionObjectOptions,
  TurnReport,
} from '../../src/edge.ts';
import { openSession } from '../../src/agent/open-session.ts';
import { createInlineHost } from '../../src/hosts/inline/create-inline-host.ts';
import { bringBack } from '../../src/wire/handover/bring-back.ts';
import { moveSession } from '../../src/wire/handover/move-session.ts';
import { serveMoves } from '../../src/wire/handover/serve-moves.ts';
import { deleteDoSqliteLog } from '../../src/workspace/drivers/do-sqlite.ts';
import { areSame, patternOf } from '../contract/log-medium.contract.ts';
import { isResult, readUntil, texts } from '../support/sessions/open-sessions.ts';
import { asks, listModel, says } from '../support/turns/play-turns.ts';
import { watchBucket, type WatchedBucket } from '../support/edge/watched-bucket.ts';
import { requestOf } from '../support/stages/work-request.ts';

const user = { kind: 'user' } as const;

const limits = {
  timeoutMs: 60_000,
  maxFileBytes: 8 * 1024 * 1024,
  maxOutputChars: 20_000,
  maxMemoryBytes: 64 * 1024 * 1024,
};

interface Cells {
  readonly host: EdgeHost;
  readonly bucket: WatchedBucket;
  /** How many calls of a tool the cells have made. */
  readonly calls: number;
  run(code: string, tools?: readonly string[]): Promise<Record<string, unknown>>;
}

/** A host whose SQLite has nothing of the bucket's, so that each synchronous read has to be brought. */
async function inCells(name: string, work: (cells: Cells) => Promise<void>): Promise<void> {
  const bucket = watchBucket(env.CONTENTS);
  await runInDurableObject(env.STORE.getByName(`cells, ${name}`), async (_instance, state) => {
    const { storage } = state as unknown as DurableObjectState;
    const prefix = `cells/${name.replaceAll(' ', '-')}/`;
    const contents = { bucket, prefix, cacheBytes: 0 };
    const git = { author: { name: 'Ann', email: 'ann@example.org' } };
    const host = await createEdgeHost({ wasm, storage, contents, git });
    let calls = 0;
    await work({
      host,
      bucket,
      get calls() {
        return calls;
      },
      async run(code, tools = []) {
        const request = { ...requestOf('Repl', { code }, `cell-${calls}-${code.length}`), limits };
        const address = { root: 'main', minSeq: host.workspace.seq() };
        const { reply } = host.executor.start(
          {
            ...request,
            cwd: '/workspace',
            access: { ...request.access, cwd: '/workspace' },
            address,
            tools,
          },
          () => {},
          {
            onNestedCall: async () => {
              calls += 1;
              return { type: 'done', callId: `nested-${calls}`, output: 'told' } as never;
            },
          },
        );
        const settled = await reply;
        if (settled.type !== 'done') throw new Error(JSON.stringify(settled));
        const { output, changeSet } = settled;
        if (changeSet) await host.workspace.commit(changeSet, { author: user });
        return output as Record<string, unknown>;
      },
    });
    await host[Symbol.asyncDispose]();
  });
}

const text = (size: number, word: string) => word.repeat(Math.ceil(size / word.length));

describe('a cell that reads a file in a bucket', () => {
  it('runs again when the file is there, with nothing of its first tries left', async () => {
    await inCells('runs again', async ({ host, bucket, run }) => {
      const { fs } = host.workspace;
      await fs.writeFile('/workspace/one.txt', text(1_500_000, 'one '));
      await fs.writeFile('/workspace/two.txt', text(2_000_000, 'two '));
      await run('let count = 40');
      const ended = await run(`
        const fs = require('node:fs');
        count += 1;
        console.log('tried', count);
        fs.appendFileSync('log.txt', 'once');
        let sizes = [];
        for (const name of ['one.txt', 'two.txt']) {
          try { sizes.push(fs.readFileSync(name).length); } catch { sizes.push('swallowed'); }
        }
        count + ': ' + sizes.join()`);
      expect(ended).toMatchObject({
        display: "'41: 1500000,2000000'",
        stdout: 'tried 41\n',
        rolledBack: false,
      });
      expect(await fs.readFile('/workspace/log.txt', 'utf8')).toBe('once');
      expect(await run('count')).toMatchObject({ value: 41 });
      expect(bucket.asked.filter((asked) => asked.startsWith('get'))).toHaveLength(2);
    });
  });

  it('is told what to do where it had called a tool before, which is called once', async () => {
    await inCells('reached out', async (cells) => {
      const { host, run } = cells;
      await host.workspace.fs.writeFile('/workspace/one.txt', text(1_500_000, 'one '));
      const ended = await run(
        `await tools.Tell({}); require('node:fs').readFileSync('one.txt').length`,
        ['Tell'],
      );
      expect(ended).toMatchObject({
        rolledBack: true,
        error: {
          name: 'AbsentFileError',
          message: expect.stringContaining('read the file first, in a cell of its own'),
        },
      });
      expect(cells.calls).toBe(1);
    });
  });

  it('fails with a sentence where the bucket is down, and goes on where it was', async () => {
    await inCells('fails', async ({ host, bucket, run }) => {
      await host.workspace.fs.writeFile('/workspace/one.txt', text(1_500_000, 'one '));
      await run('let count = 1');
      bucket.mood = 'down';
      const read = "count += 1; require('node:fs').readFileSync('one.txt').length + count";
      const message = expect.stringContaining("EIO: the large files' bucket failed to give");
      expect(await run(read)).toMatchObject({ rolledBack: true, error: { message } });
      bucket.mood = 'well';
      expect(await run(read)).toMatchObject({ value: 1_500_002 });
    });
  });
});

it('git reads and writes a repository whose objects and files are in a bucket', async () => {
  await inCells('git', async ({ host, bucket }) => {
    const { git, workspace } = host;
    // What deflates to nothing would be no large object.
    const bytes = crypto.getRandomValues(new Uint8Array(65_536));
    const large = new Uint8Array(1_500_000);
    for (let at = 0; at < large.length; at += 1) large[at] = (bytes[at % 65_536] ?? 0) ^ (at >> 16);
    await git.init();
    await workspace.fs.writeFile('/workspace/large.bin', large);
    await git.add('large.bin');
    await git.commit({ message: 'A large file.' });
    await workspace.fs.rm('/workspace/large.bin');
    bucket.asked.length = 0;
    await git.restore('large.bin');
    expect(areSame(await workspace.fs.readFile('/workspace/large.bin'), large)).toBe(true);
    // The object of git's, which is read at once and so was brought; then the file.
    expect(bucket.asked).toEqual([expect.stringMatching(/^get 0\+15/), 'get 0+1500000']);
  });
});

it('a workspace that is deleted leaves what is in a bucket to the next opening, and none of it in SQLite', async () => {
  await runInDurableObject(env.STORE.getByName('deleted log'), async (_instance, state) => {
    const { storage } = state as unknown as DurableObjectState;
    const prefix = 'deleted/';
    const open = (keepMs?: number) => {
      const kept = keepMs === undefined ? {} : { keepMs };
      const contents = { bucket: env.CONTENTS, prefix, minBytes: 65_536, ...kept };
      return createEdgeHost({ wasm, storage, contents });
    };
    const count = async () => {
      const text = 'SELECT count(*) AS count FROM rockpool_content_part';
      const { objects } = await env.CONTENTS.list({ prefix });
      return [Number(storage.sql.exec(text).one()['count']), objects.length];
    };
    const host = await open();
    await host.workspace.fs.writeFile('/workspace/large.bin', patternOf(100_000));
    expect(await count()).toEqual([1, 1]);
    deleteDoSqliteLog(storage);
    expect(await count()).toEqual([0, 1]);
    await Promise.resolve(host[Symbol.asyncDispose]()).catch(() => undefined);
    await (await open())[Symbol.asyncDispose]();
    expect(await count()).toEqual([0, 1]);
    await (await open(0))[Symbol.asyncDispose]();
    expect(await count()).toEqual([0, 0]);
  });
});

interface Kept {
  readonly object: SessionObject;
  /** What the owner was told that it stores. */
  readonly told: readonly (number | undefined)[];
  readonly storage: DurableObjectStorage;
  /** The object as code makes it that has no archive. */
  withoutArchive(): SessionObject;
  /** Rings what is due by then, until nothing is. */
  ringAll(): Promise<void>;
  keys(): Promise<string[]>;
}

/** Writes a file of 3 MB in its first turn, and removes it in the second. */
const model = () =>
  listModel('claude-test', [
    asks({
      type: 'tool_use',
      id: 'call-1',
      name: 'Write',
      input: { file_path: 'large.txt', content: text(3_000_000, 'large ') },
    }),
    says('One.'),
    says('Two.'),
  ]);

async function inKept(
  name: string,
  work: (kept: Kept) => Promise<void>,
  options: { readonly archiveAfter?: number; readonly cacheBytes?: number } = {},
): Promise<void> {
  await runInDurableObject(env.STORE.getByName(`kept, ${name}`), async (_instance, state) => {
    const { storage } = state as unknown as DurableObjectState;
    let at: number | null = null;
    const stored: (number | undefined)[] = [];
    const admitted = async () => ({ allowed: true }) as const;
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
    const { archiveAfter, ...cache } = options;
    const made = {
      wasm,
      model: model(),
      options: { permissionMode: 'bypassPermissions' as const },
      contents: { bucket: env.CONTENTS, keepMs: 0, ...cache },
      directory: {
        register: admitted,
        beginTurn: admitted,
        endTurn: async ({ bytes }: TurnReport) => void stored.push(bytes),
      },
    } satisfies SessionObjectOptions;
    const object = createSessionObject(ctx, {
      ...made,
      ...(archiveAfter !== undefined && {
        archive: { bucket: env.ARCHIVE, after: archiveAfter },
      }),
    });
    const prefix = `rockpool/contents/${state.id.toString()}/`;
    await work({
      object,
      told: stored,
      storage,
      withoutArchive: () => createSessionObject(ctx, made),
      async ringAll() {
        while (at !== null && at <= Date.now()) await object.alarm();
      },
      async keys() {
        const { objects } = await env.CONTENTS.list({ prefix });
        return objects.map(({ key }) => key.slice(prefix.length));
      },
    });
  });
}

describe('a session with large files in a bucket', () => {
  it('is put away without them, finds them when it comes back, and removes them with itself', async () => {
    await inKept(
      'archived',
      async ({ object, storage, ringAll, keys }) => {
        await (await object.session()).send('First.');
        await ringAll();
        const count = (table: string) =>
          Number(storage.sql.exec(`SELECT count(*) AS count FROM ${table}`).one()['count']);
        expect([count('rockpool_row'), count('rockpool_content_part')]).toEqual([0, 0]);
        // The file, and the reply that wrote it.
        expect(count('rockpool_content')).toBe(2);
        expect(await keys()).toHaveLength(2);

        const told = await readUntil(await object.session(), isResult);
        expect(texts(told).at(-1)).toBe('assistant: One.');
        await object.release();
        await object.deleteArchive();
        expect(await keys()).toEqual([]);
      },
      { archiveAfter: 0 },
    );
  });

  it("isn't opened, nor swept, where the archive is not bound any more", async () => {
    await inKept(
      'unbound',
      async ({ object, storage, withoutArchive, ringAll, keys }) => {
        await (await object.session()).send('First.');
        await ringAll();
        const other = withoutArchive();
        const unbound = 'the bucket that has it is not bound';
        await expect(other.session()).rejects.toThrow(unbound);
        await expect(createEdgeHost({ wasm, storage })).rejects.toThrow(unbound);
        await other.alarms.set('rockpool.contents', 0);
        await other.alarm();
        expect(other.alarms.get('rockpool.contents')).toBeUndefined();
        expect(await keys()).toHaveLength(2);
        expect(texts(await readUntil(await object.session(), isResult)).at(-1)).toBe(
          'assistant: One.',
        );
        await object.release();
      },
      { archiveAfter: 0 },
    );
  });

  it('is rung once to look for what nothing needs, and deletes none that its history has', async () => {
    await inKept(
      'swept',
      async ({ object, storage, told, ringAll, keys }) => {
        await (await object.session()).send('First.');
        await ringAll();
        expect(await keys()).toHaveLength(2);
        // 3 MB each, beside what is in the database.
        expect(told[0]).toBeGreaterThan(6_000_000 + storage.sql.databaseSize / 2);
        const host = await createEdgeHost({ wasm, storage });
        expect(await host.workspace.fs.readdir('/workspace')).toEqual(['large.txt']);
        await host[Symbol.asyncDispose]();
        expect(storage.sql.exec('SELECT name FROM rockpool_alarm').toArray()).toEqual([]);
      },
      { cacheBytes: 0 },
    );
  });
});

it('a session moves into an object with a bucket, and out of it, with its large files', async () => {
  await inCells('moves', async ({ host: cloud, bucket }) => {
    let full: string | undefined = 'You have 5 sessions, which is the most. Delete one first.';
    const serve = serveMoves({
      refusal: async () => full,
      name: 'an object',
      acceptsRules: false,
      session: () => 'moving',
      withWorkspace: (work) => work(cloud.workspace),
      left: async () => {},
      stillLeaving: async () => {},
      arrived: async () => {},
    });
    const url = 'https://cloud.example/wire';
    const options = {
      ticket: () => 'a ticket',
      fetch: async (_url: unknown, init?: RequestInit) =>
        new Response(await serve(init?.body as Uint8Array<ArrayBuffer>)),
    };
    const large = patternOf(3_000_000);
    const tab = await createInlineHost();
    await tab.workspace.fs.writeFile('/workspace/large.bin', large);
    const session = await openSession({
      host: tab,
      model: listModel('claude-test', [says('One.')]),
      sessionId: 'moving',
    });
    await session.send('First.');
    await readUntil(session, isResult);
    await session.close();
    await expect(moveSession('moving', url, { host: tab, ...options })).rejects.toMatchObject({
      code: 'limit-exceeded',
      message: full,
    });
    expect(await cloud.workspace.roots.list({ kind: 'branch' })).toEqual([]);
    full = undefined;
    await moveSession('moving', url, { host: tab, ...options });
    expect(bucket.asked).toContain('put');
    expect(areSame(await cloud.workspace.fs.readFile('/workspace/large.bin'), large)).toBe(true);

    const other = await createInlineHost();
    await bringBack(url, { host: other, ...options });
    expect(areSame(await other.workspace.fs.readFile('/workspace/large.bin'), large)).toBe(true);
    await tab[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });
});
