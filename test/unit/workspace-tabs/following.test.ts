import { beforeEach, describe, expect, it } from 'vitest';
import { FeedPacker } from '../../../src/workspace/feed/feed-packer.ts';
import type { ContentSource } from '../../../src/workspace/state/content-source.ts';
import { toPlainState } from '../../../src/workspace/state/plain-state.ts';
import { EraContents } from '../../../src/workspace/tabs/era-contents.ts';
import { Following } from '../../../src/workspace/tabs/follower.ts';
import { readTabMessage } from '../../../src/workspace/tabs/tab-message.ts';
import { createStoredMedium } from '../../support/storage/stored-medium.ts';
import { TabWorld, type Packet, type Tab } from './tab-world.ts';

let world: TabWorld;

beforeEach(() => {
  world = new TabWorld();
  world.maxRecordBytes = 100;
});

async function write(tab: Tab, path: string, text: string): Promise<void> {
  const writing = tab.workspace.fs.writeFile(path, text);
  await world.settle();
  return writing;
}

/** Of the first `count` contents, the numbers of those that the tab still holds. */
async function heldBy(contents: ContentSource, count: number): Promise<number[]> {
  const held: number[] = [];
  for (let contentId = 1; contentId <= count; contentId += 1) {
    const isHeld = contents.readMany([contentId]).then(
      () => true,
      () => false,
    );
    if (await isHeld) held.push(contentId);
  }
  return held;
}

/** Keeps back messages of one type until they are asked for. */
function keepBack(type: string): () => void {
  const kept: Packet[] = [];
  world.onPacket = (packet) => {
    if (packet.message.type !== type) return [packet];
    kept.push(packet);
    return [];
  };
  return () => {
    world.onPacket = (packet) => [packet];
    for (const packet of kept) world.deliver(packet);
  };
}

describe('a tab that follows for long', () => {
  it('gives up what was overwritten, once records have brought too much', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    await world.pass(6000);
    const before = second.shared.contents;
    let jumps = 0;
    second.shared.onJump(() => (jumps += 1));
    for (const text of 'abc') await write(first, '/file', text.repeat(40));
    expect(await heldBy(second.shared.contents, 3)).toEqual([3]);
    expect(await second.workspace.fs.readFile('/file', 'utf8')).toBe('c'.repeat(40));
    // Who began to read before reads on, and nobody is told of a change that was none.
    expect(await heldBy(before, 3)).toEqual([1, 2, 3]);
    expect(jumps).toBe(0);
  });

  it('keeps what came while the snapshot was on its way', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    await world.pass(6000);
    const deliver = keepBack('snapshot');
    for (const text of 'abc') await write(first, '/file', text.repeat(40));
    await write(first, '/late', 'late');
    deliver();
    expect(await heldBy(second.shared.contents, 4)).toEqual([3, 4]);
    await write(first, '/later', 'later');
    const { fs } = second.workspace;
    const read = ['/file', '/late', '/later'].map((path) => fs.readFile(path, 'utf8'));
    expect(await Promise.all(read)).toEqual(['c'.repeat(40), 'late', 'later']);
  });

  it('asks again for a snapshot that was lost on the way, and then no more', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    await world.pass(6000);
    keepBack('snapshot');
    for (const text of 'abc') await write(first, '/file', text.repeat(40));
    expect(await heldBy(second.shared.contents, 3)).toEqual([1, 2, 3]);
    const sent: string[] = [];
    world.onPacket = (packet) => (sent.push(packet.message.type), [packet]);
    await world.pass(60_000);
    expect(await heldBy(second.shared.contents, 3)).toEqual([3]);
    expect(sent.filter((type) => type === 'snapshot')).toEqual(['snapshot']);
  });
});

describe('a tab that reads in the files of the leader', () => {
  it('is given others before compaction removes them, and tells whom it feeds itself', async () => {
    world = new TabWorld(createStoredMedium());
    world.limits = { segmentBytes: 10_000, imageBytes: 3000, deadBytes: 20_000, pieceBytes: 2000 };
    const first = await world.join('first');
    for (let at = 0; at < 10; at += 1) await write(first, `/keep-${at}`, `${at}`.repeat(1000));
    const second = await world.join('second');
    let moves = 0;
    second.shared.onMoved(() => (moves += 1));
    const before = second.shared.contents;
    for (let at = 0; at < 60; at += 1) {
      await write(first, `/keep-${at % 8}`, `${at}`.repeat(1000));
    }
    expect(moves).toBeGreaterThan(0);
    expect(second.shared.contents).not.toBe(before);
    for (const at of [8, 9]) {
      expect(await second.workspace.fs.readFile(`/keep-${at}`, 'utf8')).toBe(`${at}`.repeat(1000));
    }
    expect(second.errors).toEqual([]);
  });
});

describe('the saved search index', () => {
  const indexOf = async ({ shared }: Tab) => {
    const index = await shared.contents.savedIndex?.();
    return index && [...new Uint8Array(await index.arrayBuffer())];
  };

  it("is the leader's to save and every tab's to use, whoever leads", async () => {
    world = new TabWorld({ ...createStoredMedium(), isPersistent: true });
    const first = await world.join('first');
    await write(first, '/file', 'abc');
    first.shared.contents.saveIndex?.({ bytes: Uint8Array.of(1, 2, 3), contents: 10 });
    await world.settle();
    const second = await world.join('second');
    second.shared.contents.saveIndex?.({ bytes: Uint8Array.of(9), contents: 1000 });
    await world.settle();
    expect(await Promise.all([first, second].map(indexOf))).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    world.kill(first);
    await world.pass(6000);
    expect(second.shared.role).toBe('leader');
    expect(await indexOf(second)).toEqual([1, 2, 3]);
    second.shared.contents.saveIndex?.({ bytes: Uint8Array.of(4), contents: 10 });
    await world.settle();
    expect(await indexOf(second)).toEqual([4]);
  });
});

describe('a snapshot of what the medium has lost in part', () => {
  const node = { version: 1, mtimeMs: 0 };

  it('leaves the lost file unreadable, with EIO, and the others readable', async () => {
    const first = await world.join('first');
    await write(first, '/file', 'abc');
    const state = toPlainState(first.shared.state);
    const data = new Uint8Array([1, 2]);
    const segments = [{ data, contents: [1, 0, 2] }];
    const { contents } = new Following().start({ type: 'snapshot', state, segments, lost: [2] });
    expect(contents.readSync(1)).toEqual(data);
    await expect(contents.readMany([2])).rejects.toMatchObject({
      code: 'EIO',
      data: { contentId: 2 },
    });
  });

  it('is refused where what it calls lost is no list of numbers', () => {
    const read = (lost: unknown) =>
      readTabMessage({
        protocol: 'rockpool-tabs-2',
        from: 'other',
        type: 'snapshot',
        epoch: 1,
        snapshot: { type: 'snapshot', state: { seq: 1, main: node }, segments: [], lost },
      });
    expect([[1], undefined, 5, ['1']].map((lost) => read(lost) !== undefined)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('contents that came packed', () => {
  it('are passed on by a tab without being read, also where it led before', async () => {
    const first = await world.join('first');
    await write(first, '/file', 'abc');
    const data = new Blob(['abc']);
    const snapshot = {
      type: 'snapshot',
      state: toPlainState(first.shared.state),
      segments: [{ data, contents: [1, 0, 3] }],
    } as const;
    const { state, contents: packed } = new Following().start(snapshot);
    const unreadable: ContentSource = {
      packed: (wanted) => packed.packed(wanted),
      readSync: () => expect.fail('It was read.'),
      readMany: () => expect.fail('It was read.'),
    };
    const era = new EraContents(first.shared.contents);
    era.end();
    expect(await era.packed(new Set([1]))).toEqual([]);
    era.succeed(unreadable);
    for (const contents of [new EraContents(unreadable), era]) {
      const packer = new FeedPacker({ state, contents }, (bytes) => bytes);
      const { segments, lost } = await packer.snapshot();
      expect(segments.map((segment) => segment.data === data)).toEqual([true]);
      expect(lost).toEqual([]);
    }
  });
});
