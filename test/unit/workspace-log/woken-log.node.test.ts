// The log of an instance that ends at any moment and wakes again, over SQLite. What was
// acknowledged is there, whoever only read before, wrote an image, or freed the bytes of what was
// overwritten.
import { describe, expect, it } from 'vitest';
import { openSqliteStorage } from '../../../src/hosts/server/open-sqlite-storage.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { openWorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import { openDoSqliteLog, type DurableStorage } from '../../../src/workspace/drivers/do-sqlite.ts';
import type { LogLimits } from '../../../src/workspace/log/log-limits.ts';
import { createRandom } from '../../support/random.ts';

const limits = {
  segmentBytes: 6000,
  imageBytes: 400,
  deadBytes: 3000,
  pieceBytes: 1000,
  smallSegments: 3,
  packBytes: 200,
};

async function wake(storage: DurableStorage, more: Partial<LogLimits> = {}) {
  const writer = await openWorkspaceWriter(openDoSqliteLog(storage), {
    name: 'test',
    limits: { ...limits, ...more },
  });
  return createWriterWorkspace(writer);
}

/** Ten; `SEEDS` sets how many. */
const seeds = Array.from({ length: Number(process.env['SEEDS'] ?? 10) }, (_, at) => at + 1);

describe('a log that wakes', () => {
  it.each(seeds)('has all that was acknowledged (seed %i)', async (seed) => {
    const random = createRandom(seed);
    using storage = await openSqliteStorage(':memory:');
    const files = new Map<string, string>();
    for (let life = 0; life < 25; life += 1) {
      const workspace = await wake(storage);
      for (const [path, text] of files)
        expect(await workspace.fs.readFile(path, 'utf8')).toBe(text);
      expect((await workspace.fs.readdir('/')).sort()).toEqual(
        [...files.keys()].map((path) => path.slice(1)).sort(),
      );
      expect(await workspace.info()).toMatchObject({ lostFiles: [], droppedBytes: 0 });
      // A third of the lives only read.
      for (let left = random.chance(1 / 3) ? 0 : random.below(12); left > 0; left -= 1) {
        const path = `/file${random.below(8)}`;
        if (files.has(path) && random.chance(0.2)) {
          await workspace.fs.unlink(path);
          files.delete(path);
        } else {
          const text = `${life} ${left} `.repeat(random.below(300));
          await workspace.fs.writeFile(path, text);
          files.set(path, text);
        }
        const at = (await workspace.streams.list())[0]?.length ?? 0;
        if (random.chance(0.2)) await workspace.streams.append('s', [{ value: at }], { at });
      }
      // Most end without a word.
      if (random.chance(0.2)) await workspace[Symbol.asyncDispose]();
    }
  });

  it('keeps the segment where its images end, though its owner has appended nothing yet', async () => {
    using storage = await openSqliteStorage(':memory:');
    const hasRested = () => new Promise<void>((resolve) => void setImmediate(resolve));
    const small = { segmentBytes: 64_000, imageBytes: 100_000, packBytes: 2000 };
    for (let at = 0; at < 12; at += 1) {
      const { streams } = await wake(storage, small);
      const read: unknown[] = [];
      // What is packed is read by the writer, which then has time for upkeep.
      if (at > 0) for await (const { value } of streams.read('s')) read.push(value);
      expect(read).toHaveLength(at);
      await hasRested();
      // Only the first segment is large, and has contents. Each life ends without a word.
      await streams.append('s', [{ value: 'x'.repeat(at === 0 ? 5000 : 10) }], { at });
    }
  });

  it('compacts once for many lives that wrote a little, and no more in those that only read', async () => {
    using storage = await openSqliteStorage(':memory:');
    const quiet = { segmentBytes: 1_000_000, imageBytes: 1_000_000, deadBytes: 1_000_000 };
    const names = async () => (await openDoSqliteLog(storage).list()).map(({ name }) => name);
    for (let life = 0; life < 12; life += 1) {
      const workspace = await wake(storage, quiet);
      await workspace.fs.writeFile('/f', `${life}`);
      await idle();
    }
    const found: string[][] = [];
    for (let life = 0; life < 4; life += 1) {
      await wake(storage, quiet);
      await idle();
      found.push(await names());
    }
    // What was due, the first of them has done.
    expect(found.slice(1)).toEqual(found.slice(0, 3));
  });
});

/** Upkeep is done between two turns of the event loop. */
async function idle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
