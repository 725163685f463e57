// The search index beside the log: it is there after an opening, or it isn't, and it is never one of
// another history.
import { describe, expect, it } from 'vitest';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import type { LogLimits } from '../../../src/workspace/log/log-limits.ts';
import type { LogMedium } from '../../../src/workspace/log/log-medium.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { openWorkspaceWriter, type WorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import { createStoredMedium } from '../../support/storage/stored-medium.ts';
import { TornDisk } from '../../support/storage/torn-medium.ts';

/** Pieces so small that an index takes several; nothing else is due unless a test says so. */
const limits: Partial<LogLimits> = { pieceBytes: 100 };

async function open(medium: LogMedium, more: Partial<LogLimits> = {}) {
  const writer = await openWorkspaceWriter(medium, {
    name: 'test',
    limits: { ...limits, ...more },
  });
  return { writer, fs: createWriterWorkspace(writer).fs };
}

/** An index by its first byte, of so many contents that it is worth more than all before it. */
function save({ contents }: WorkspaceWriter, byte: number): void {
  const bytes = new Uint8Array(350).fill(byte, 0, 1);
  contents.saveIndex?.({ bytes, contents: 10 ** byte });
}

/** The first byte of the saved index, which is whole. */
async function savedIn({ contents }: WorkspaceWriter): Promise<number | undefined> {
  const index = await contents.savedIndex?.();
  if (!index) return undefined;
  expect(index.size).toBe(350);
  return new Uint8Array(await index.arrayBuffer())[0];
}

async function indexesOf(medium: LogMedium): Promise<string[]> {
  const names = (await medium.list()).map(({ name }) => name);
  return names.filter((name) => name.startsWith('index')).sort();
}

/** A disk with a log that ends with an index. */
async function createSaved(byte = 1): Promise<TornDisk> {
  const disk = new TornDisk();
  const { fs, writer } = await open(disk.open());
  await fs.writeFile('/a', 'A');
  save(writer, byte);
  await writer.close();
  return disk;
}

describe('the saved index', () => {
  it('is there when the log is opened again, and again', async () => {
    const disk = await createSaved();
    for (let times = 0; times < 2; times += 1) {
      const { fs, writer } = await open(disk.open());
      expect(await savedIn(writer)).toBe(1);
      await fs.writeFile('/a', `${times}`);
      await writer.close();
    }
  });

  it('is a part of its file where other realms can read that', async () => {
    const medium = { ...createStoredMedium(), isPersistent: true };
    const { writer } = await open(medium);
    save(writer, 1);
    await writer.close();
    const before = medium.bytesRead();
    const next = await open(medium);
    expect(await savedIn(next.writer)).toBe(1);
    expect(medium.bytesRead() - before).toBeGreaterThan(0);
  });

  it('is not kept by a medium that keeps nothing', async () => {
    const medium = createMemoryMedium();
    const { writer } = await open(medium);
    save(writer, 1);
    await writer.close();
    expect(await indexesOf(medium)).toEqual([]);
  });

  it('is written beside commits, between its pieces', async () => {
    const disk = new TornDisk();
    const { fs, writer } = await open(disk.open());
    save(writer, 1);
    for (let at = 0; at < 10; at += 1) await fs.writeFile(`/f${at}`, 'F');
    await writer.close();
    expect(await savedIn((await open(disk.open())).writer)).toBe(1);
  });

  it('gives way to one that tells more, and its file to the one after', async () => {
    const disk = new TornDisk();
    const medium = disk.open();
    const { writer } = await open(medium);
    const counts: number[] = [];
    for (const byte of [1, 2, 3, 4]) {
      save(writer, byte);
      await settled();
      expect(await savedIn(writer)).toBe(byte);
      counts.push((await indexesOf(medium)).length);
    }
    expect(counts).toEqual([1, 2, 2, 2]);
    // As another worker would have it that has read the same.
    save(writer, 4);
    await writer.close();
    expect((await indexesOf(disk.open())).at(-1)).toMatch(/-000004$/);
  });
});

describe('a saved index that is of no use', () => {
  it('is not taken when the log has lost what it was made behind', async () => {
    const disk = new TornDisk();
    const first = await open(disk.open());
    await first.fs.writeFile('/a', 'A');
    await first.fs.writeFile('/b', 'B');
    save(first.writer, 1);
    await settled();
    disk.kill();
    // The medium breaks its word: what was flushed isn't there.
    const [name, segment] = [...disk.files].find(([each]) => each.startsWith('segment')) ?? [];
    if (!name || !segment) throw new TypeError('There is a segment.');
    disk.files.set(name, { ...segment, bytes: segment.bytes.slice(0, -1) });
    const second = await open(disk.open());
    await expect(second.fs.readFile('/b')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await savedIn(second.writer)).toBeUndefined();
    // Now the same number is of another content, and the log as long as it was.
    await second.fs.writeFile('/b', 'another');
    await second.fs.writeFile('/c', 'C');
    await second.writer.close();
    expect(await savedIn((await open(disk.open())).writer)).toBeUndefined();
  });

  it('is not taken when a whole segment is gone, whose name no other ever gets', async () => {
    const disk = await createSaved();
    const epochs = () => [...disk.files.keys()].map((name) => Number(name.split('-')[1]));
    const before = Math.max(...epochs());
    for (const name of disk.files.keys()) if (!name.startsWith('index')) disk.files.delete(name);
    const { fs, writer } = await open(disk.open());
    expect(await savedIn(writer)).toBeUndefined();
    await fs.writeFile('/a', 'another');
    await writer.close();
    expect(Math.max(...epochs())).toBeGreaterThan(before);
    expect(await savedIn((await open(disk.open())).writer)).toBeUndefined();
  });

  it('is not taken when an image alone is left of its segment, from before the index', async () => {
    const disk = new TornDisk();
    const more = { imageBytes: 2000 };
    const first = await open(disk.open(), more);
    const names = () => [...disk.files.keys()];
    const [segment = ''] = names();
    for (let at = 0; !names().some((name) => name.startsWith('image')); at += 1) {
      await first.fs.writeFile(`/f${at}`, 'F');
      await settled();
    }
    const { seq } = first.writer;
    await first.fs.writeFile('/b', 'B');
    save(first.writer, 1);
    await settled();
    disk.kill();
    // A later segment, by whose header all of the first one counts.
    await open(disk.open(), more);
    disk.kill();
    disk.files.delete(segment);
    const second = await open(disk.open(), more);
    expect(second.writer.seq).toBe(seq);
    expect(await savedIn(second.writer)).toBeUndefined();
    // Now the same number is of another content.
    await second.fs.writeFile('/b', 'another');
    await second.writer.close();
    expect(await savedIn((await open(disk.open(), more)).writer)).toBeUndefined();
  });

  it.each([
    ['whose first bytes are others', 0],
    ['of a version that is newer', 8],
    ['whose header is damaged', 60],
  ])('is passed over: one %s', async (_what, offset) => {
    const disk = await createSaved();
    const [name, file] = [...disk.files].find(([each]) => each.startsWith('index')) ?? [];
    if (!name || !file) throw new TypeError('There is an index.');
    const bytes = file.bytes.slice();
    bytes[offset] = (bytes[offset] ?? 0) ^ 1;
    disk.files.set(name, { ...file, bytes });
    const { writer } = await open(disk.open());
    expect(await savedIn(writer)).toBeUndefined();
    // And makes room for the next.
    save(writer, 2);
    await writer.close();
    expect(await savedIn((await open(disk.open())).writer)).toBe(2);
    expect(await indexesOf(disk.open())).toHaveLength(1);
  });

  it('is written anew when compaction has removed what it was made behind', async () => {
    const disk = new TornDisk();
    const { fs, writer } = await open(disk.open(), {
      segmentBytes: 1000,
      imageBytes: 500,
      deadBytes: 2000,
      smallSegments: 1000,
    });
    await fs.writeFile('/a', 'A');
    save(writer, 1);
    await settled();
    const segments = () => [...disk.files.keys()].filter((name) => name.startsWith('segment'));
    const [first = ''] = segments();
    for (let at = 0; at < 20; at += 1) await fs.writeFile('/b', `${at} `.repeat(150));
    await settled();
    expect(segments()).not.toContain(first);
    await writer.close();
    expect(await savedIn((await open(disk.open())).writer)).toBe(1);
  });
});

describe('an owner that ends while it saves an index', () => {
  /** Saves a second index, in the midst of which the process ends, or the power. */
  async function cut(steps: number, isPower: boolean): Promise<number | undefined> {
    const disk = await createSaved(1);
    const { fs, writer } = await open(disk.open());
    await fs.writeFile('/b', 'B');
    save(writer, 2);
    disk.stepsLeft = steps;
    await writer.close().catch(() => {});
    if (isPower) disk.losePower();
    else disk.kill();
    const next = await open(disk.open());
    expect(await next.fs.readFile('/b', 'utf8')).toBe('B');
    return savedIn(next.writer);
  }

  it.each(['its process', 'its power'])(
    'leaves the one before or the new one: %s',
    async (what) => {
      const found: (number | undefined)[] = [];
      for (let steps = 0; steps < 20; steps += 1) {
        found.push(await cut(steps, what === 'its power'));
      }
      expect(new Set(found)).toEqual(new Set([1, 2]));
      expect(found).toEqual(found.toSorted());
    },
  );

  it('tells why one could not be written, and commits go on', async () => {
    const disk = new TornDisk();
    const { fs, writer } = await open(disk.open());
    await fs.writeFile('/a', 'A');
    disk.capacity = disk.used + 200;
    save(writer, 1);
    await settled();
    expect(writer.info().upkeepError).toContain('ENOSPC');
    disk.capacity = Number.POSITIVE_INFINITY;
    await fs.writeFile('/a', 'B');
    await writer.close();
    const next = await open(disk.open());
    expect(await savedIn(next.writer)).toBeUndefined();
    expect(await next.fs.readFile('/a', 'utf8')).toBe('B');
  });

  it('takes no room from commits with one that did not fit', async () => {
    const disk = new TornDisk();
    const { fs, writer } = await open(disk.open());
    await fs.writeFile('/a', 'A');
    // Enough for some of its pieces, or for a commit.
    disk.capacity = disk.used + 400;
    save(writer, 1);
    await settled();
    expect(writer.info().upkeepError).toContain('ENOSPC');
    await fs.writeFile('/b', 'B');
    expect(await indexesOf(disk.open())).toEqual([]);
  });
});

/** Lets all come to an end that waits for nothing outside. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
