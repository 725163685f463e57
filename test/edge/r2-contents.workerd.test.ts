// Large files of a workspace in a real bucket of workerd's, by the host of an isolate. The tests
// show what is where, what it costs, and what happens where the bucket fails.
import { env } from 'cloudflare:workers';
import { unzipSync } from 'fflate';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/async/system-clock.ts';
import { createEdgeHost, type EdgeHost } from '../../src/edge.ts';
import { exportZip } from '../../src/workspace/archives/export-zip.ts';
import { createReplica, type Replica } from '../../src/workspace/feed/replica.ts';
import { serveFeed } from '../../src/workspace/feed/serve-feed.ts';
import { areSame, patternOf } from '../contract/log-medium.contract.ts';
import { inPlace } from './contents-place.ts';
import { requestOf } from '../support/stages/work-request.ts';

const user = { kind: 'user' } as const;

const limits = {
  timeoutMs: 60_000,
  maxFileBytes: 8 * 1024 * 1024,
  maxOutputChars: 20_000,
  maxMemoryBytes: 32 * 1024 * 1024,
};

const path = '/workspace/large.bin';
const five = patternOf(5_000_000);

/** Lines of a length, each with its number. */
const linesOf = (count: number) =>
  Array.from({ length: count }, (_, at) => `line ${at} ${'x'.repeat(80)}`).join('\n');

/** A word that has few trigrams in common with those of other numbers. */
const letters = (at: number) =>
  Array.from({ length: 40 }, (_, place) =>
    String.fromCodePoint(97 + (((at + 3) * (place + 7) ** 2 + place) % 26)),
  ).join('');

async function run(host: EdgeHost, tool: string, input: object): Promise<unknown> {
  const request = { ...requestOf(tool, input), cwd: '/workspace', limits };
  const address = { root: 'main', minSeq: host.workspace.seq() };
  const reply = await host.executor.start({ ...request, address }, () => {}).reply;
  if (reply.type === 'failed') throw new Error(reply.error.message);
  if (reply.type === 'lost') throw new Error(reply.message);
  if (reply.changeSet) await host.workspace.commit(reply.changeSet, { author: user });
  return reply.output;
}

describe('large files in a bucket', () => {
  it('are objects of their bytes, equal ones once; small ones are in the database', async () => {
    await inPlace('stands', async ({ bucket, open, keys, storage }) => {
      const host = await open();
      await host.workspace.fs.writeFile(path, five);
      await host.workspace.fs.writeFile('/workspace/again.bin', five);
      await host.workspace.fs.writeFile('/workspace/small.bin', patternOf(900_000));
      const [key = '', ...others] = await keys();
      expect([others, key]).toEqual([[], expect.stringMatching(/^[0-9a-f]{64}-1$/)]);
      const object = await env.CONTENTS.get(`tests/stands/${key}`);
      expect(areSame(new Uint8Array((await object?.arrayBuffer()) ?? []), five)).toBe(true);
      const log = 'SELECT sum(length(bytes)) AS bytes FROM rockpool_row';
      expect(Number(storage.sql.exec(log).one()['bytes'])).toBeLessThan(1_100_000);
      // Not disposed: an eviction doesn't ask.
      const next = await open();
      expect(areSame(await next.workspace.fs.readFile(path), five)).toBe(true);
      expect((await next.workspace.fs.stat('/workspace/again.bin')).size).toBe(five.length);
      expect(bucket.asked).toEqual(['put']);
      await next[Symbol.asyncDispose]();
    });
  });

  it('are read by ranges, each part once while it is cached, and no more than the cache may have is kept', async () => {
    await inPlace('ranges', async ({ bucket, open, storage }) => {
      const first = await open({ cacheBytes: 0 });
      await first.workspace.fs.writeFile(path, five);
      const read = async (host: EdgeHost, from: number, length: number) => {
        await using file = await host.workspace.fs.open(path);
        const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, from);
        expect(areSame(buffer.subarray(0, bytesRead), five.subarray(from, from + length))).toBe(
          true,
        );
        return bytesRead;
      };
      expect(await read(first, 2_000_000, 10)).toBe(10);
      expect(await read(first, 2_000_000, 10)).toBe(10);
      const part = 'get 1048576+1048576';
      expect(bucket.asked.splice(0)).toEqual(['put', part, part]);
      const next = await open({ cacheBytes: 10_000_000 });
      await read(next, 2_000_000, 200_000);
      await read(next, 1_100_000, 900_000);
      // The last part is shorter.
      expect(await read(next, 4_999_990, 100)).toBe(10);
      expect(bucket.asked.splice(0)).toEqual(['get 1048576+2097152', 'get 4194304+805696']);
      const others = [1, 2].map((at) => patternOf(4_000_000, at));
      for (const [at, bytes] of others.entries()) {
        await next.workspace.fs.writeFile(`/workspace/${at}.bin`, bytes);
      }
      const cached = 'SELECT sum(length(bytes)) AS bytes FROM rockpool_content_part';
      expect(Number(storage.sql.exec(cached).one()['bytes'])).toBe(8_000_000);
      expect(areSame(await next.workspace.fs.readFile(path), five)).toBe(true);
      expect(bucket.asked.splice(0)).toEqual(['put', 'put', 'get 0+5000000']);
      await next[Symbol.asyncDispose]();
    });
  });

  it('are what the tools work on: Write, Read by lines, Edit, Grep', async () => {
    await inPlace('tools', async ({ bucket, open, keys }) => {
      const file = '/workspace/lines.txt';
      await run(await open(), 'Write', { file_path: file, content: linesOf(20_000) });
      expect(await keys()).toHaveLength(1);
      const host = await open({ cacheBytes: 0 });
      const page = await run(host, 'Read', { file_path: file, offset: 15_001, limit: 2 });
      expect(JSON.stringify(page)).toContain('line 15000 ');
      const found = { pattern: 'line 19999 ', output_mode: 'content', '-n': true };
      expect(JSON.stringify(await run(host, 'Grep', found))).toContain('20000:line 19999 x');
      const { version } = await host.workspace.fs.stat(file);
      const edit = { file_path: file, old_string: 'line 777 x', new_string: 'line DCCLXXVII x' };
      const address = { root: 'main', minSeq: host.workspace.seq() };
      const request = { ...requestOf('Edit', edit), cwd: '/workspace', limits, address };
      const knownVersions = [[file, version]] as const;
      const reply = await host.executor.start({ ...request, knownVersions }, () => {}).reply;
      if (reply.type !== 'done' || !reply.changeSet) throw new Error(JSON.stringify(reply));
      await host.workspace.commit(reply.changeSet, { author: user });
      expect(await keys()).toHaveLength(2);
      expect(await host.workspace.fs.readFile(file, 'utf8')).toContain('line DCCLXXVII x');
      expect(bucket.most).toBeLessThanOrEqual(6);
      await host[Symbol.asyncDispose]();
    });
  });

  it('are left where they are by a search that knows from its index that they have nothing', async () => {
    await inPlace('index', async ({ bucket, open, storage }) => {
      await (await open()).workspace.fs.mkdir('/workspace/small', { recursive: true });
      const few = { cacheBytes: 0, minBytes: 65_536 };
      const host = await open(few);
      const words = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta'];
      await Promise.all(
        words.map((word) =>
          host.workspace.fs.writeFile(`/workspace/${word}.txt`, `${word} rarely\n`.repeat(9_000)),
        ),
      );
      // An index of few files isn't kept.
      for (let at = 0; at < 40; at += 1) {
        await host.workspace.fs.writeFile(
          `/workspace/small/${at}.md`,
          `${letters(at)}\n`.repeat(500),
        );
      }
      const find = async (where: EdgeHost, pattern: string) =>
        JSON.stringify(await run(where, 'Grep', { pattern, output_mode: 'files_with_matches' }));
      expect(await find(host, 'theta rare')).toContain('theta.txt');
      const gets = () => bucket.asked.splice(0).filter((asked) => asked.startsWith('get'));
      expect(gets()).toHaveLength(8);
      // Eight at once were asked for.
      expect(bucket.most).toBeLessThanOrEqual(6);
      const saved = "SELECT count(*) AS files FROM rockpool_file WHERE name LIKE 'index%'";
      await expect.poll(() => storage.sql.exec(saved).one()['files']).toBe(1);
      const next = await open(few);
      expect(await find(next, 'quokka')).not.toContain('.txt');
      expect(gets()).toEqual([]);
      expect(await find(next, 'zeta rare')).toContain('zeta.txt');
      expect(gets().length).toBeLessThan(4);
      await next[Symbol.asyncDispose]();
    });
  });

  it('are in a zip, and in what a follower of the files gets', async () => {
    await inPlace('leaves', async ({ open }) => {
      const host = await open();
      const small = patternOf(1_100_000);
      await host.workspace.fs.writeFile(path, small);
      const replica: Replica = createReplica({
        clock: systemClock,
        subscribe() {
          serveFeed(host.files, {
            send: (message) => replica.receive(message),
            onError(error) {
              throw error;
            },
          });
        },
      });
      const view = await replica.openView(
        { root: 'main', minSeq: host.workspace.seq() },
        requestOf('Read').access,
      );
      expect(areSame(await view.fs.readFile(path), small)).toBe(true);
      replica[Symbol.dispose]();
      const zip = exportZip(host.workspace, { directory: '/workspace' });
      const packed = unzipSync(new Uint8Array(await new Response(zip).arrayBuffer()));
      expect(areSame(packed['large.bin'] ?? new Uint8Array(0), small)).toBe(true);
      await host[Symbol.asyncDispose]();
    });
  });
});

describe('a bucket', () => {
  it('that is down, or has other bytes, or lost an object: a sentence each, and nothing else fails', async () => {
    await inPlace('fails', async ({ bucket, open, keys }) => {
      const host = await open({ cacheBytes: 0 });
      const { fs } = host.workspace;
      await fs.writeFile(path, five);
      await fs.writeFile('/workspace/small.txt', 'small');
      bucket.mood = 'down';
      const down = "EIO: the large files' bucket failed to";
      await expect(fs.readFile(path)).rejects.toThrow(
        `${down} give a large file (Error: internal error; 10001). Nothing is lost: try again later.`,
      );
      const seq = host.workspace.seq();
      const writing = fs.writeFile('/workspace/new.bin', patternOf(2_000_000));
      const beside = fs.writeFile('/workspace/beside.txt', 'beside');
      await expect(writing).rejects.toThrow(`${down} take a large file`);
      await beside;
      expect(host.workspace.seq()).toBe(seq + 1);
      expect(await fs.readFile('/workspace/small.txt', 'utf8')).toBe('small');
      for (const mood of ['wrong', 'short'] as const) {
        bucket.mood = mood;
        await expect(fs.readFile(path)).rejects.toThrow('EIO: this file is damaged');
      }
      // An answer may be damaged on its way: the second one decides.
      for (const mood of ['wrong once', 'short once', 'well'] as const) {
        bucket.mood = mood;
        expect(areSame(await fs.readFile(path), five)).toBe(true);
      }
      const [key = ''] = await keys();
      await env.CONTENTS.delete(`tests/fails/${key}`);
      await expect(fs.readFile(path)).rejects.toThrow(`the bucket has no object ${key} any more`);
      // It ends before the part that is read.
      await env.CONTENTS.put(`tests/fails/${key}`, five.subarray(0, 10));
      await using file = await fs.open(path);
      await expect(file.read(new Uint8Array(10), 0, 10, 2_000_000)).rejects.toThrow(
        'EIO: this file is damaged',
      );
      await env.CONTENTS.put(`tests/fails/${key}`, five);
      expect(areSame(await fs.readFile(path), five)).toBe(true);
      await env.CONTENTS.delete(`tests/fails/${key}`);
      await expect(fs.readFile(path)).rejects.toThrow('A file can be written again, too.');
      await fs.writeFile(path, five);
      expect(areSame(await fs.readFile(path), five)).toBe(true);
      expect((await host.workspace.info()).lostFiles).toEqual([]);
      await host[Symbol.asyncDispose]();
    });
  });

  it('that fails now and then is asked once more, and nobody hears of it', async () => {
    await inPlace('fails once', async ({ bucket, open, keys }) => {
      const host = await open({ cacheBytes: 0 });
      const { fs } = host.workspace;
      bucket.mood = 'down once';
      await fs.writeFile(path, five);
      bucket.mood = 'down once';
      expect(areSame(await fs.readFile(path), five)).toBe(true);
      expect(bucket.asked).toEqual(['put', 'put', 'get 0+5000000', 'get 0+5000000']);
      expect(await keys()).toHaveLength(1);
      await host[Symbol.asyncDispose]();
    });
  });

  it('has an object that no commit names where its writer is lost in between, and it is deleted', async () => {
    await inPlace('lost between', async ({ bucket, open, keys }) => {
      const host = await open();
      let release = () => {};
      bucket.held = new Promise((resolve) => (release = resolve));
      const writing = host.workspace.fs.writeFile(path, patternOf(1_200_000));
      const fenced = expect(writing).rejects.toMatchObject({ code: 'EFENCED' });
      await expect.poll(keys).toHaveLength(1);
      const next = await open();
      release();
      await fenced;
      expect(await next.workspace.fs.readdir('/workspace')).toEqual([]);
      await next[Symbol.asyncDispose]();
      await (await open({ keepMs: 0 }))[Symbol.asyncDispose]();
      expect(await keys()).toEqual([]);
    });
  });

  it('that nobody binds any more is named, and one that is none is refused', async () => {
    await inPlace('unbound', async ({ open, storage }) => {
      const host = await open();
      await host.workspace.fs.writeFile(path, five);
      await host.workspace.fs.writeFile('/workspace/small.txt', 'small');
      const without = await createEdgeHost({ wasm, storage });
      await expect(without.workspace.fs.readFile(path)).rejects.toThrow(
        "a bucket that isn't bound",
      );
      expect(await without.workspace.fs.readFile('/workspace/small.txt', 'utf8')).toBe('small');
      await without[Symbol.asyncDispose]();
      const again = await open();
      expect(areSame(await again.workspace.fs.readFile(path), five)).toBe(true);
      await again[Symbol.asyncDispose]();
      storage.sql.exec('DELETE FROM rockpool_content');
      const swept = await open();
      await expect(swept.workspace.fs.readFile(path)).rejects.toThrow('bytes are gone');
      await swept[Symbol.asyncDispose]();
      await expect(open({ bucket: {} as never })).rejects.toThrow('"r2_buckets": [{ "binding"');
      await expect(open({ prefix: '' })).rejects.toThrow('The prefix of the large contents has');
      await expect(open({ minBytes: 10 })).rejects.toThrow('minBytes is at least 65536');
    });
  });
});

describe('an object that nothing refers to', () => {
  it('is deleted when it has been so for long enough, and none that a checkpoint or a branch names', async () => {
    await inPlace('unused', async ({ bucket, open, keys }) => {
      const host = await open();
      const { fs, roots } = host.workspace;
      await fs.writeFile(path, five);
      await roots.checkpoint('Before.', { id: 'before', author: user });
      await fs.writeFile(path, patternOf(2_000_000));
      await fs.writeFile(path, patternOf(3_000_000));
      await fs.rm(path);
      const reopen = async (keepMs: number) => (await open({ keepMs }))[Symbol.asyncDispose]();
      await reopen(1e9);
      expect(await keys()).toHaveLength(3);
      await reopen(0);
      expect((await keys()).map((key) => key.slice(-2))).toEqual(['-1']);
      expect(bucket.asked.at(-1)).toBe('delete 2');
      const next = await open({ keepMs: 0 });
      const before = await next.workspace.at('before').fs.readFile(path);
      expect(areSame(before, five)).toBe(true);
      // What was deleted is put anew, under another name.
      await next.workspace.fs.writeFile(path, patternOf(2_000_000));
      await next.workspace.roots.drop('before', { author: user });
      await next[Symbol.asyncDispose]();
      await reopen(0);
      await reopen(0);
      expect((await keys()).map((key) => key.slice(-2))).toEqual(['-4']);
    });
  });

  it('is used again by who writes the same bytes, and stays then', async () => {
    await inPlace('used again', async ({ bucket, open, keys }) => {
      const host = await open();
      await host.workspace.fs.writeFile(path, five);
      await host.workspace.fs.rm(path);
      await host[Symbol.asyncDispose]();
      const next = await open();
      await next.workspace.fs.writeFile(path, five);
      expect(bucket.asked).toEqual(['put']);
      for (let times = 0; times < 2; times += 1) {
        await (await open({ keepMs: 0 }))[Symbol.asyncDispose]();
      }
      expect(await keys()).toHaveLength(1);
    });
  });

  it('is deleted at the next opening where the bucket failed to, and nobody reads it meanwhile', async () => {
    await inPlace('fails to delete', async ({ bucket, open, keys }) => {
      const host = await open();
      await host.workspace.fs.writeFile(path, five);
      await host.workspace.fs.rm(path);
      await host[Symbol.asyncDispose]();
      await (await open())[Symbol.asyncDispose]();
      bucket.mood = 'down';
      const next = await open({ keepMs: 0 });
      await expect.poll(() => bucket.asked.at(-1)).toBe('delete 1');
      bucket.mood = 'well';
      await next.workspace.fs.writeFile(path, five);
      expect(await keys()).toHaveLength(2);
      await (await open({ keepMs: 0 }))[Symbol.asyncDispose]();
      expect((await keys()).map((key) => key.slice(-2))).toEqual(['-2']);
      const last = await open();
      expect(areSame(await last.workspace.fs.readFile(path), five)).toBe(true);
      await last[Symbol.asyncDispose]();
    });
  });
});
