import { describe, expect, it } from 'vitest';
import { SdkError } from '../../../src/core/errors.ts';
import type { ContentSource } from '../../../src/workspace/state/content-source.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import { FeedPacker } from '../../../src/workspace/feed/feed-packer.ts';
import type { PackedSegment } from '../../../src/workspace/feed/feed.ts';
import { PackedContents } from '../../../src/workspace/feed/packed-contents.ts';
import { createReplica } from '../../../src/workspace/feed/replica.ts';
import { packForTab, serveFeed, type FeedSource } from '../../../src/workspace/feed/serve-feed.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import type { WorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import { codeOf } from '../../contract/file-system.contract.ts';
import { openAccess, openTestWriter, withFiles } from '../../support/files/workspaces.ts';

const kilobytes = (count: number, value = 1) => new Uint8Array(count * 1024).fill(value);

/** Files of 100 KB, by their names. */
async function openFilled(names: readonly string[]): Promise<WorkspaceWriter> {
  const writer = await openTestWriter();
  const { fs } = createWriterWorkspace(writer);
  for (const [at, name] of names.entries()) await fs.writeFile(`/${name}`, kilobytes(100, at));
  return writer;
}

/** The writer as a source whose reading is counted, and which can jump. */
function createSource(writer: WorkspaceWriter, changes: Partial<ContentSource> = {}) {
  const jumps = new Set<() => void>();
  let reads = 0;
  const source: FeedSource = {
    get state() {
      return writer.state;
    },
    contents: {
      readSync: (contentId) => writer.contents.readSync(contentId),
      readMany(contentIds) {
        reads += contentIds.length;
        return writer.contents.readMany(contentIds);
      },
      ...changes,
    },
    onRecord: (listener) => writer.onRecord(listener),
    onJump(listener) {
      const entry = () => listener([]);
      jumps.add(entry);
      return { [Symbol.dispose]: () => void jumps.delete(entry) };
    },
  };
  return {
    source,
    reads: () => reads,
    listeners: () => jumps.size,
    jump: () => jumps.forEach((tell) => tell()),
  };
}

const packAsBlob = (bytes: Uint8Array<ArrayBuffer>) => new Blob([bytes]);
const dataOf = (segments: readonly PackedSegment[]) => segments.map(({ data }) => data);

/** What a replica would read of all files. */
async function readAll(writer: WorkspaceWriter, segments: readonly PackedSegment[]) {
  const contents = new PackedContents();
  for (const segment of segments) contents.add(segment);
  const files: Record<string, string> = {};
  for (const name of writer.root.entries.keys().sort()) {
    const node = writer.root.entries.get(name);
    if (node?.kind !== 'file') continue;
    const [bytes] = await contents.readMany([node.content as number]);
    files[name] = `${bytes?.length} of ${bytes?.[0]}`;
  }
  return files;
}

describe('FeedPacker', () => {
  it('names an era for as long as its source does not jump', async () => {
    const { source, jump } = createSource(await openFilled(['a']));
    const packer = new FeedPacker(source, packAsBlob);
    const [first, second] = [await packer.snapshot(), await packer.snapshot()];
    expect(second.era).toBe(first.era);
    jump();
    const third = await packer.snapshot();
    expect(third.era).not.toBe(first.era);
    const other = await new FeedPacker(source, packAsBlob).snapshot();
    expect(new Set([first.era, third.era, other.era, undefined]).size).toBe(4);
  });

  it('packs a content once, however many snapshots hold it', async () => {
    const writer = await openFilled(['a', 'b']);
    const { source, reads } = createSource(writer);
    const packer = new FeedPacker(source, packAsBlob);
    const [first, second] = await Promise.all([packer.snapshot(), packer.snapshot()]);
    expect(dataOf(second.segments)).toEqual(dataOf(first.segments));
    expect(second.segments[0]?.data).toBe(first.segments[0]?.data);
    expect(reads()).toBe(2);
    expect(await readAll(writer, second.segments)).toEqual({
      a: '102400 of 0',
      b: '102400 of 1',
    });
  });

  it('takes up what records brought, and what was packed by somebody else', async () => {
    const writer = await openFilled(['a']);
    const [elsewhere] = (await new FeedPacker(writer, packAsBlob).snapshot()).segments;
    if (!elsewhere) throw new TypeError('Nothing was packed.');
    const { source, reads } = createSource(writer, { packed: async () => [elsewhere] });
    const packer = new FeedPacker(source, packAsBlob);
    const listening = source.onRecord((fed) => {
      expect(packer.record(fed)).toBe(packer.record(fed));
    });
    await createWriterWorkspace(writer).fs.writeFile('/b', kilobytes(100, 7));
    listening[Symbol.dispose]();
    const { segments } = await packer.snapshot();
    expect([reads(), segments.length]).toEqual([0, 2]);
    expect(await readAll(writer, segments)).toEqual({ a: '102400 of 0', b: '102400 of 7' });
  });

  it('drops a segment of which less than half is needed, and packs the rest anew', async () => {
    const writer = await openFilled(['a', 'b', 'c', 'd']);
    const { source, reads } = createSource(writer);
    const packer = new FeedPacker(source, packAsBlob);
    const [old] = (await packer.snapshot()).segments;
    const { fs } = createWriterWorkspace(writer);
    await fs.rm('/a');
    expect(dataOf((await packer.snapshot()).segments)).toEqual([old?.data]);
    await fs.rm('/b');
    await fs.rm('/c');
    const { segments } = await packer.snapshot();
    expect([reads(), ...dataOf(segments).map((data) => (data as Blob).size)]).toEqual([5, 102_400]);
    expect(await readAll(writer, segments)).toEqual({ d: '102400 of 3' });
  });

  it('packs many small segments together', async () => {
    const writer = await openFilled([]);
    const { source } = createSource(writer);
    const packer = new FeedPacker(source, packAsBlob);
    const { fs } = createWriterWorkspace(writer);
    const counts: number[] = [];
    for (let count = 0; count < 20; count += 1) {
      await fs.writeFile(`/${count}`, kilobytes(1));
      counts.push((await packer.snapshot()).segments.length);
    }
    expect(Math.max(...counts)).toBe(17);
    expect(counts.at(-1)).toBeLessThan(5);
  });

  it('forgets everything where the source jumps: its numbers may mean other contents', async () => {
    const writer = await openFilled(['a', 'b']);
    let reads = 0;
    const { source, jump, listeners } = createSource(writer, {
      readMany(contentIds) {
        reads += 1;
        // What is being packed just now belongs to the time before it.
        if (reads === 1) jump();
        return writer.contents.readMany(contentIds);
      },
    });
    const packer = new FeedPacker(source, packAsBlob);
    await packer.snapshot();
    await packer.snapshot();
    await packer.snapshot();
    expect(reads).toBe(2);
    jump();
    await packer.snapshot();
    expect(reads).toBe(3);
    packer[Symbol.dispose]();
    expect(listeners()).toBe(0);
  });

  it.each([
    ['bytes', 1],
    ['a Blob', 40],
  ])(
    'sends what a record brought as %s, as it was written and nothing else',
    async (_what, size) => {
      const given = [kilobytes(size, 1), new Uint8Array(0), kilobytes(size, 2)];
      const medium = withFiles(createMemoryMedium(), (file) => ({
        async append(bytes, durability) {
          await file.append(bytes, durability);
          // Whoever committed it may do so as soon as it is on its way.
          given[0]?.fill(9);
        },
      }));
      const writer = await openTestWriter(medium);
      // Opening appends too.
      given[0]?.fill(1);
      const packer = new FeedPacker(writer, packForTab);
      const packed: PackedSegment[] = [];
      writer.onRecord((fed) => {
        const { segment } = packer.record(fed);
        if (segment) packed.push(segment);
      });
      const changes = given.map((content, at) => ({
        type: 'write' as const,
        path: `/${at}`,
        baseVersion: 0,
        content,
        mode: 0o644,
        mtimeMs: 0,
      }));
      await writer.commit({ baseSeq: 0, changes }, { author: { kind: 'user' } });
      expect(await readAll(writer, packed)).toEqual({
        '0': `${size * 1024} of 1`,
        '1': '0 of undefined',
        '2': `${size * 1024} of 2`,
      });
      // All of the buffer: a view would take along what is beside it.
      const [data = new Blob()] = dataOf(packed);
      const sent = data instanceof Uint8Array ? data.buffer : await data.arrayBuffer();
      expect(new Uint8Array(sent)).toEqual(
        new Uint8Array([...kilobytes(size, 1), ...kilobytes(size, 2)]),
      );
    },
  );

  it('keeps a lost content from no reader of the others', async () => {
    const writer = await openFilled(['a', 'b', 'c']);
    const lost = writer.root.entries.get('b');
    if (lost?.kind !== 'file') throw new TypeError('There is no file.');
    const { source } = createSource(writer, {
      async readMany(contentIds) {
        if (contentIds.includes(lost.content as number)) throw new SdkError('EIO', 'EIO: lost');
        return writer.contents.readMany(contentIds);
      },
    });
    const replica = createReplica({
      clock: { now: () => 0, after: () => ({ [Symbol.dispose]: () => {} }) },
      subscribe() {
        serveFeed(source, {
          send: (message) => replica.receive(structuredClone(message)),
          onError(error) {
            throw error;
          },
        });
      },
    });
    const { fs } = await replica.openView({ root: 'main', minSeq: 0 }, openAccess('/'));
    expect((await fs.readFile('/c')).length).toBe(102_400);
    expect(await codeOf(fs.readFile('/b'))).toBe('EIO');
  });

  it('takes the state of now where contents were compacted away while it read them', async () => {
    const writer = await openFilled(['a']);
    const { fs } = createWriterWorkspace(writer);
    let isFirst = true;
    const { source } = createSource(writer, {
      async readMany(contentIds) {
        if (!isFirst) return writer.contents.readMany(contentIds);
        isFirst = false;
        await fs.writeFile('/a', kilobytes(100, 9));
        throw new SdkError('ECONFLICT', 'ECONFLICT: gone by now');
      },
    });
    const { state, segments } = await new FeedPacker(source, packAsBlob).snapshot();
    expect(state.seq).toBe(writer.seq);
    expect(await readAll(writer, segments)).toEqual({ a: '102400 of 9' });
  });
});
