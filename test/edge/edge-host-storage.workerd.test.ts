// createEdgeHost over the storage of a real Durable Object: what it keeps outlives the object's instance.
import { env } from 'cloudflare:workers';
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { describe, expect, it } from 'vitest';
import { createEdgeHost } from '../../src/edge.ts';
import { counting } from '../support/edge/counted-storage.ts';
import { requestOf } from '../support/stages/work-request.ts';
import { readAll } from '../support/read-all.ts';

const author = { kind: 'agent' } as const;

const limits = {
  timeoutMs: 60_000,
  maxFileBytes: 8 * 1024 * 1024,
  maxOutputChars: 20_000,
  maxMemoryBytes: 32 * 1024 * 1024,
};

/** A word that has few trigrams in common with those of other numbers. */
const letters = (at: number) =>
  Array.from({ length: 40 }, (_, place) =>
    String.fromCodePoint(97 + (((at + 3) * (place + 7) ** 2 + place) % 26)),
  ).join('');

/** So long that a few of them fill a pack. */
const long = (at: number) => `${at} ${'x'.repeat(10_000)}`;

describe('createEdgeHost with the storage of a Durable Object', () => {
  it('has its files and streams again after the object was evicted', async () => {
    const object = env.STORE.getByName('edge host');
    await runInDurableObject(object, async (_instance, { storage }) => {
      // Not disposed: an eviction doesn't ask.
      const { workspace } = await createEdgeHost({ wasm, storage });
      expect(await workspace.info()).toMatchObject({ driver: 'do-sqlite', isPersistent: true });
      await workspace.fs.writeFile('/workspace/file', 'kept');
      for (let at = 0; at < 10; at += 1) {
        await workspace.streams.append('journal', [{ value: long(at) }], { at });
      }
      const contents = [new Uint8Array([1, 2, 3])];
      const append = { stream: 'journal', at: 10, entries: [{ value: 'settled', contents }] };
      const content = new TextEncoder().encode('settled');
      const change = { type: 'write', path: '/workspace/other', baseVersion: 0, content } as const;
      const changes = [{ ...change, mode: 0o644, mtimeMs: 1 }];
      await workspace.commit({ baseSeq: 0, changes }, { author, append });
    });
    await evictDurableObject(object);
    await runInDurableObject(object, async (_instance, { storage }) => {
      const host = await createEdgeHost({ wasm, storage });
      const { fs, streams } = host.workspace;
      expect(await fs.readFile('/workspace/file', 'utf8')).toBe('kept');
      expect(await fs.readFile('/workspace/other', 'utf8')).toBe('settled');
      const entries = await readAll(streams.read('journal'));
      expect(entries.map(({ value }) => value)).toEqual([
        ...Array.from({ length: 10 }, (_, at) => long(at)),
        'settled',
      ]);
      const [content = 0] = entries.at(-1)?.contents ?? [];
      expect(await streams.readContent(content)).toEqual(new Uint8Array([1, 2, 3]));
      await streams.append('journal', [{ value: 'on' }], { at: 11 });
      await host[Symbol.asyncDispose]();
      const again = await createEdgeHost({ wasm, storage });
      expect((await again.workspace.streams.list())[0]).toMatchObject({ length: 12 });
      await again[Symbol.asyncDispose]();
    });
  });

  it('is opened to be read with a few rows, writes none, and goes on where something is written', async () => {
    const object = env.STORE.getByName('edge host, asleep');
    const pathOf = (at: number) => `/workspace/part${at % 10}/file${at}`;
    await runInDurableObject(object, async (_instance, { storage }) => {
      const { fs } = (await createEdgeHost({ wasm, storage })).workspace;
      for (let at = 0; at < 10; at += 1) await fs.mkdir(`/workspace/part${at}`);
      for (let at = 0; at < 600; at += 1) await fs.writeFile(pathOf(at), long(at % 7));
    });
    // Twice, as each opening of a reader leaves what it has found.
    for (const round of [1, 2]) {
      await evictDurableObject(object);
      await runInDurableObject(object, async (_instance, { storage }) => {
        const counts = { read: 0, written: 0 };
        const { fs } = (await createEdgeHost({ wasm, storage: counting(storage, counts) }))
          .workspace;
        expect(await fs.readFile(pathOf(round * 101), 'utf8')).toBe(long((round * 101) % 7));
        expect(await fs.readdir('/workspace/part0')).toHaveLength(60);
        // 6 MB of contents are some 600 rows.
        expect(counts.read).toBeLessThan(150);
        expect(counts.written).toBe(0);
        if (round === 2) await fs.writeFile('/workspace/new', 'on');
      });
    }
    await evictDurableObject(object);
    await runInDurableObject(object, async (_instance, { storage }) => {
      const { fs } = (await createEdgeHost({ wasm, storage })).workspace;
      expect(await fs.readFile('/workspace/new', 'utf8')).toBe('on');
      expect(await fs.readFile(pathOf(599), 'utf8')).toBe(long(599 % 7));
    });
  });

  it('finds without reading again what an instance before it has searched', async () => {
    const object = env.STORE.getByName('edge host, search');
    const counts = { read: 0, written: 0 };
    const search = () =>
      runInDurableObject(object, async (_instance, { storage }) => {
        const host = await createEdgeHost({ wasm, storage: counting(storage, counts) });
        const texts = Array.from({ length: 40 }, (_, at) => `${letters(at)}\n`.repeat(1000));
        if (!(await host.workspace.lookUp(['/workspace/39']))[0]) {
          for (const [at, text] of texts.entries()) {
            await host.workspace.fs.writeFile(`/workspace/${at}`, text);
          }
        }
        const { read } = counts;
        const input = { pattern: letters(7), output_mode: 'files_with_matches' };
        const request = { ...requestOf('Grep', input), cwd: '/workspace', limits };
        const reply = await host.executor.start(request, () => {}).reply;
        const rows = counts.read - read;
        const saved = "SELECT count(*) AS files FROM rockpool_file WHERE name LIKE 'index%'";
        await expect.poll(() => storage.sql.exec(saved).one()['files']).toBe(1);
        await host[Symbol.asyncDispose]();
        return { rows, output: reply.type === 'done' ? reply.output : reply };
      });
    const first = await search();
    await evictDurableObject(object);
    const second = await search();
    expect(second.output).toEqual(first.output);
    expect(first.rows).toBeGreaterThan(20);
    expect(second.rows).toBeLessThan(first.rows / 2);
  });

  it('refuses a file that is larger than an isolate takes, also from its host', async () => {
    const object = env.STORE.getByName('edge host, large file');
    await runInDurableObject(object, async (_instance, { storage }) => {
      const { workspace } = await createEdgeHost({ wasm, storage });
      const large = workspace.fs.writeFile('/workspace/large', new Uint8Array(8 * 1024 * 1024 + 1));
      await expect(large).rejects.toMatchObject({ code: 'EFBIG' });
    });
  });

  it('fences the host before it, which writes nothing any more', async () => {
    const object = env.STORE.getByName('edge host, twice');
    await runInDurableObject(object, async (_instance, { storage }) => {
      const former = await createEdgeHost({ wasm, storage });
      const next = await createEdgeHost({ wasm, storage });
      const late = former.workspace.streams.append('s', [{ value: 'late' }], { at: 0 });
      await expect(late).rejects.toMatchObject({ code: 'EFENCED', data: {} });
      expect(await next.workspace.streams.list()).toEqual([]);
      await next[Symbol.asyncDispose]();
    });
  });

  it('leaves the storage to the next one where an option is refused', async () => {
    const object = env.STORE.getByName('edge host, refused');
    await runInDurableObject(object, async (_instance, { storage }) => {
      const refused = createEdgeHost({ wasm, storage, cwd: 'relative' });
      await expect(refused).rejects.toMatchObject({ code: 'bad-usage' });
      const host = await createEdgeHost({ wasm, storage });
      await host.workspace.streams.append('s', [{ value: 1 }], { at: 0 });
      await host[Symbol.asyncDispose]();
    });
  });
});
