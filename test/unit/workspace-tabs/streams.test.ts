// Streams in several tabs: whichever tab leads, each writes, reads and is told of what is appended.
import { beforeEach, describe, expect, it } from 'vitest';
import type { StreamAppended } from '../../../src/workspace/streams.ts';
import { TabWorld, type Tab } from './tab-world.ts';
import { readAll } from '../../support/read-all.ts';

let world: TabWorld;

beforeEach(() => {
  world = new TabWorld();
});

const author = { kind: 'agent' } as const;

/** Lets all come to rest, and tells what it came to. */
async function settled<Value>(work: Promise<Value>): Promise<Value> {
  work.catch(() => {});
  await world.settle();
  return work;
}

function append(tab: Tab, at: number, ...values: readonly unknown[]) {
  const entries = values.map((value) => ({ value }));
  return settled(tab.workspace.streams.append('s', entries, { at }));
}

async function valuesOf(tab: Tab, id = 's'): Promise<unknown[]> {
  const entries = await readAll(tab.workspace.streams.read(id));
  return entries.map(({ value }) => value);
}

/** What the tab is told of, as it comes. */
function listen({ workspace }: Tab): unknown[] {
  const told: unknown[] = [];
  workspace.streams.onAppend(({ stream, entries }: StreamAppended) => {
    told.push(...entries.map(({ n, value }) => [stream, n, value]));
  });
  return told;
}

const long = (name: string) => name + 'x'.repeat(20_000);

describe('the streams of a workspace in two tabs', () => {
  it('are appended to and read by either, with contents, packs and forks', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    expect(await append(second, 0, 'a', long('b'))).toEqual({ length: 2 });
    await append(first, 2, long('c'), 'd');
    const contents = [new Uint8Array([1, 2])];
    const entries = [{ value: 'e', contents }];
    await settled(second.workspace.streams.append('s', entries, { at: 4 }));
    expect(await settled(second.workspace.streams.fork('s', 'fork', { length: 1 }))).toEqual({
      length: 1,
    });
    const late = await world.join('third');
    for (const tab of [first, second, late]) {
      expect(await valuesOf(tab)).toEqual(['a', long('b'), long('c'), 'd', 'e']);
      expect(await valuesOf(tab, 'fork')).toEqual(['a']);
      const [last] = await readAll(tab.workspace.streams.read('s', 5));
      expect(await tab.workspace.streams.readContent(last?.contents?.[0] ?? 0)).toEqual(
        contents[0],
      );
      expect(await tab.workspace.streams.list()).toEqual(await first.workspace.streams.list());
    }
    let changes = 0;
    for (const tab of [first, second]) tab.workspace.streams.onChange(() => (changes += 1));
    await settled(late.workspace.streams.drop('s'));
    expect(changes).toBe(2);
    for (const tab of [first, second, late]) {
      expect((await tab.workspace.streams.list()).map(({ id }) => id)).toEqual(['fork']);
    }
  });

  it('land with the files of a commit, in each tab', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    const content = new TextEncoder().encode('text');
    const change = { type: 'write', path: '/f', baseVersion: 0, content } as const;
    const changeSet = { baseSeq: 0, changes: [{ ...change, mode: 0o644, mtimeMs: 1 }] };
    const noted = (at: number) => ({
      author,
      append: { stream: 's', at, entries: [{ value: at, contents: [new Uint8Array(3)] }] },
    });
    const fenced = second.workspace.commit(changeSet, noted(1));
    await expect(settled(fenced)).rejects.toMatchObject({ code: 'EFENCED' });
    await settled(second.workspace.commit(changeSet, noted(0)));
    for (const tab of [first, second]) {
      expect(await tab.workspace.fs.readFile('/f', 'utf8')).toBe('text');
      expect(await valuesOf(tab)).toEqual([0]);
    }
    expect(second.shared.state).toEqual(first.shared.state);
  });

  it('refuse a tab that was slower with their length, and nobody loses the lead by it', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    await append(first, 0, 'first');
    for (const tab of [first, second]) {
      await expect(append(tab, 0, 'slow')).rejects.toMatchObject({
        code: 'EFENCED',
        data: { stream: 's', length: 1, at: 0 },
      });
    }
    expect([first.shared.role, second.shared.role]).toEqual(['leader', 'follower']);
    await append(second, 1, 'second');
    expect(await valuesOf(first)).toEqual(['first', 'second']);
    expect([first.errors, second.errors]).toEqual([[], []]);
  });

  it('have an append once that was written when the leader died, and told to nobody', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    await append(second, 0, 1);
    const told = listen(second);
    world.onPacket = (packet) => (packet.to === second ? [] : [packet]);
    const appending = second.workspace.streams.append('s', [{ value: 2 }], { at: 1 });
    await world.settle();
    expect(await valuesOf(first)).toEqual([1, 2]);
    world.kill(first);
    world.onPacket = (packet) => [packet];
    await world.settle();
    expect(await appending).toEqual({ length: 2 });
    expect(await valuesOf(second)).toEqual([1, 2]);
    expect(told).toEqual([['s', 2, 2]]);
  });

  it('have an append that the dead leader never got', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    world.onPacket = (packet) => (packet.to === first ? [] : [packet]);
    const appending = second.workspace.streams.append('s', [{ value: 1 }], { at: 0 });
    await world.settle();
    world.kill(first);
    world.onPacket = (packet) => [packet];
    await world.settle();
    expect(await appending).toEqual({ length: 1 });
    expect(await valuesOf(second)).toEqual([1]);
  });

  it('tell each tab of every append in order, also of what it missed', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    const told = [listen(first), listen(second)];
    await append(first, 0, 'a');
    await append(second, 1, 'b');
    // Nothing comes through, and a pack is filled meanwhile.
    world.onPacket = () => [];
    await append(first, 2, long('c'), long('d'));
    await append(first, 4, 'e');
    await settled(first.workspace.streams.fork('s', 'fork'));
    world.onPacket = (packet) => [packet];
    await append(first, 5, 'f');
    await world.pass(2000);
    const all = ['a', 'b', long('c'), long('d'), 'e', 'f'];
    expect(told[0]).toEqual(all.map((value, at) => ['s', at + 1, value]));
    expect(told[1]).toEqual(told[0]);
  });

  it('are told of though the tab had to be given the state as a whole', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    await append(first, 0, 'a');
    const told = listen(second);
    world.onPacket = () => [];
    await append(first, 1, long('b'), long('c'));
    await settled(first.workspace.streams.fork('s', 'fork', { length: 2 }));
    const forked = [{ value: 'own' }];
    await settled(first.workspace.streams.append('fork', forked, { at: 2 }));
    world.kill(first);
    world.onPacket = (packet) => [packet];
    await world.settle();
    expect(second.shared.role).toBe('leader');
    await world.settle();
    expect(told.toSorted()).toEqual([
      ['fork', 3, 'own'],
      ['s', 2, long('b')],
      ['s', 3, long('c')],
    ]);
  });
});
