// Contents that other realms read in the log's own files: what is given away, and what becomes of it
// when compaction removes the file.
import { describe, expect, it } from 'vitest';
import type { LogLimits } from '../../../src/workspace/log/log-limits.ts';
import type { ReadStored } from '../../../src/workspace/feed/block-reader.ts';
import { createReplica, type Replica } from '../../../src/workspace/feed/replica.ts';
import { serveFeed } from '../../../src/workspace/feed/serve-feed.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { openWorkspaceWriter, type WorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import { codeOf } from '../../contract/file-system.contract.ts';
import { createStoredMedium, type StoredMedium } from '../../support/storage/stored-medium.ts';
import { openAccess } from '../../support/files/workspaces.ts';

/** Segments of 10 KB; what is smaller than 156 bytes isn't worth one. Compaction from 20 KB on. */
const limits: Partial<LogLimits> = {
  segmentBytes: 10_000,
  imageBytes: 3000,
  deadBytes: 20_000,
  pieceBytes: 2000,
  smallSegments: 1000,
};

const textOf = (at: number) => `${at} `.repeat(300);

async function open(medium: StoredMedium) {
  const writer = await openWorkspaceWriter(medium, { name: 'test', limits });
  const { fs } = createWriterWorkspace(writer);
  return { writer, fs };
}

/** A replica as in another realm: it has what it was sent, and reads that, or asks for it. */
async function follow(writer: WorkspaceWriter, readStored?: ReadStored) {
  let snapshots = 0;
  let feed: Disposable | undefined;
  const replica: Replica = createReplica({
    clock: { now: () => 0, after: () => ({ [Symbol.dispose]: () => {} }) },
    ...(readStored && { readStored }),
    subscribe() {
      feed?.[Symbol.dispose]();
      feed = serveFeed(writer, {
        send(message) {
          if (message.type === 'snapshot') snapshots += 1;
          replica.receive(message);
        },
        onError(error) {
          throw error;
        },
      });
    },
  });
  await replica.waitFor(0);
  const view = () => replica.openView({ root: 'main', minSeq: writer.seq }, openAccess('/'));
  const read = async (path: string) => (await view()).fs.readFile(path, 'utf8');
  return { view, read, snapshots: () => snapshots };
}

async function segmentNames(medium: StoredMedium): Promise<string[]> {
  const names = (await medium.list()).map(({ name }) => name);
  return names.filter((name) => name.startsWith('segment')).sort();
}

describe('stored segments', () => {
  it('give a replica all that is sealed without being read, and the rest packed', async () => {
    const medium = createStoredMedium();
    const first = await open(medium);
    for (let at = 0; at < 30; at += 1) await first.fs.writeFile(`/f${at}`, textOf(at));
    await first.writer.close();
    const { writer, fs } = await open(medium);
    await fs.writeFile('/small', 'small');
    const before = [medium.bytesRead(), (await segmentNames(medium)).length];

    const { read } = await follow(writer);
    expect([medium.bytesRead(), (await segmentNames(medium)).length]).toEqual([
      (before[0] ?? 0) + 'small'.length,
      before[1],
    ]);
    for (let at = 0; at < 30; at += 1) expect(await read(`/f${at}`)).toBe(textOf(at));
    expect(await read('/small')).toBe('small');
  });

  it('are read for others too, until they have been let go of', async () => {
    const medium = createStoredMedium();
    const first = await open(medium);
    for (let at = 0; at < 20; at += 1) await first.fs.writeFile(`/keep-${at}`, textOf(at));
    await first.writer.close();
    const { writer, fs } = await open(medium);
    const answers: boolean[] = [];
    const readStored: ReadStored = async (part) => {
      const bytes = await writer.contents.readStored?.(part);
      answers.push(bytes !== undefined);
      return bytes;
    };
    const { read } = await follow(writer, readStored);
    const old = await (await follow(writer, readStored)).view();
    const before = medium.bytesRead();
    expect(await read('/keep-0')).toBe(textOf(0));
    expect(answers).toEqual([true]);
    expect(medium.bytesRead()).toBeGreaterThan(before);

    // Compacted away: the Blob that the other replica has can be read until the next compaction.
    let moves = 0;
    writer.onMoved(() => (moves += 1));
    for (let at = 0; moves === 0; at += 1) await fs.writeFile(`/keep-${at % 5}`, textOf(100 + at));
    expect(await old.fs.readFile('/keep-0', 'utf8')).toBe(textOf(0));
    expect(answers).toEqual([true, false]);
  });

  it('are read for nobody who wasn’t given them', async () => {
    const medium = createStoredMedium();
    const first = await open(medium);
    await first.fs.writeFile('/a', textOf(1));
    await first.writer.close();
    const { writer } = await open(medium);
    const [file = ''] = await segmentNames(medium);
    expect(await writer.contents.readStored?.({ file, from: 0, to: 10 })).toBeUndefined();
  });

  it('are begun where that spares packing much', async () => {
    const medium = createStoredMedium();
    const { writer, fs } = await open(medium);
    await fs.writeFile('/f', textOf(7));
    const before = medium.bytesRead();
    const { read } = await follow(writer);
    expect(medium.bytesRead()).toBe(before);
    expect(await segmentNames(medium)).toHaveLength(2);
    expect(await read('/f')).toBe(textOf(7));
  });

  it('stay readable after compaction until the next, and by then the replica has others', async () => {
    const medium = createStoredMedium();
    const first = await open(medium);
    for (let at = 0; at < 20; at += 1) await first.fs.writeFile(`/keep-${at}`, textOf(at));
    await first.writer.close();
    const { writer, fs } = await open(medium);
    const [shared = ''] = await segmentNames(medium);
    const { view, read, snapshots } = await follow(writer);
    const old = await view();
    const older = await (await follow(writer)).view();
    const isThere = async () => (await segmentNames(medium)).includes(shared);

    // Overwritten until the first compaction: this replica is told, and what it had is still there.
    let moves = 0;
    writer.onMoved(() => (moves += 1));
    for (let at = 0; moves === 0; at += 1) await fs.writeFile(`/keep-${at % 5}`, textOf(100 + at));
    expect([await isThere(), snapshots()]).toEqual([true, 1]);
    expect(await old.fs.readFile('/keep-0', 'utf8')).toBe(textOf(0));
    expect(await read('/keep-19')).toBe(textOf(19));
    expect(snapshots()).toBe(2);

    for (let at = 0; await isThere(); at += 1) await fs.writeFile('/more', textOf(at));
    for (let at = 5; at < 20; at += 1) expect(await read(`/keep-${at}`)).toBe(textOf(at));
    // Who reads on in what was overwritten two compactions ago is told so.
    expect(await codeOf(older.fs.readFile('/keep-1', 'utf8'))).toBe('ECONFLICT');
  });

  it('are removed at once where nobody was given them', async () => {
    const medium = createStoredMedium();
    const { writer, fs } = await open(medium);
    writer.onMoved(() => expect.fail('Nothing was given away.'));
    for (let at = 0; at < 200; at += 1) await fs.writeFile(`/keep-${at % 5}`, textOf(at));
    const bytes = (await medium.list()).reduce((sum, { length }) => sum + length, 0);
    expect(bytes).toBeLessThan(80_000);
  });

  it('that are damaged lose the one file, with EIO', async () => {
    const medium = createStoredMedium();
    const first = await open(medium);
    await first.fs.writeFile('/a', textOf(1));
    await first.fs.writeFile('/b', textOf(2));
    await first.writer.close();
    const { writer } = await open(medium);
    const [name = ''] = await segmentNames(medium);
    // Within the text of the first file.
    await medium.damage(name, 400);
    const { read } = await follow(writer);
    expect(await codeOf(read('/a'))).toBe('EIO');
    expect(await read('/b')).toBe(textOf(2));
  });

  it('can be packed no more once the writer is closed', async () => {
    const { writer } = await open(createStoredMedium());
    await writer.close();
    expect(await writer.contents.packed?.(new Set([1]))).toEqual([]);
  });
});
