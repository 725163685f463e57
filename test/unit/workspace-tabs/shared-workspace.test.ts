import { beforeEach, describe, expect, it } from 'vitest';
import { hashTree } from '../../../src/workspace/tree/tree-hash.ts';
import type { ChangeEvent } from '../../../src/workspace/workspace.ts';
import { TabWorld, type Tab } from './tab-world.ts';

let world: TabWorld;

beforeEach(() => {
  world = new TabWorld();
});

/** All that the tab sees, by path. */
async function filesOf(tab: Tab): Promise<Record<string, string>> {
  const { fs } = tab.workspace;
  const files: Record<string, string> = {};
  for (const name of await fs.readdir('/')) files[name] = await fs.readFile(`/${name}`, 'utf8');
  return files;
}

/** Writes, lets all come to rest, and tells what it came to. */
async function write(tab: Tab, path: string, text: string): Promise<void> {
  const writing = tab.workspace.fs.writeFile(path, text);
  await world.settle();
  return writing;
}

function rolesOf(...tabs: Tab[]): string[] {
  return tabs.map((tab) => `${tab.id} ${tab.shared.role}`);
}

/** Whether it has settled by now. */
async function isOpen(promise: Promise<unknown>): Promise<boolean> {
  const open = {};
  return (await Promise.race([promise.catch(() => {}), world.turn().then(() => open)])) === open;
}

describe('a workspace in two tabs', () => {
  it('is led by the first, and both see what either writes', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    expect(rolesOf(first, second)).toEqual(['first leader', 'second follower']);
    expect(second.shared.info()).toEqual({ ...first.shared.info(), role: 'follower' });
    await write(first, '/a', 'A');
    await write(second, '/b', 'B');
    await write(first, '/b', 'B2');
    expect(await filesOf(first)).toEqual({ a: 'A', b: 'B2' });
    expect(await filesOf(second)).toEqual({ a: 'A', b: 'B2' });
    expect(second.shared.state).toEqual(first.shared.state);
  });

  it('gives what was there before to who joins later', async () => {
    const first = await world.join('first');
    await write(first, '/a', 'A');
    expect(await filesOf(await world.join('second'))).toEqual({ a: 'A' });
  });

  it('shows a follower its own write once the write has resolved, though answers overtake records', async () => {
    const [, second] = [await world.join('first'), await world.join('second')];
    const records: typeof world.packets = [];
    world.onPacket = (packet) => {
      if (packet.message.type !== 'records') return [packet];
      records.push(packet);
      return [];
    };
    const writing = second.workspace.fs.writeFile('/a', 'A');
    await world.settle();
    expect(await isOpen(writing)).toBe(true);
    for (const packet of records) world.deliver(packet);
    await writing;
    expect(await filesOf(second)).toEqual({ a: 'A' });
  });

  it('tells each tab of all changes in the same order, with their authors', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    const heard = [first, second].map((tab) => {
      const events: ChangeEvent[] = [];
      tab.workspace.onChange((event) => events.push(event));
      return events;
    });
    await write(first, '/a', 'A');
    await write(second, '/b', 'B');
    expect(heard[0]).toMatchObject([{ seq: 1 }, { seq: 2, author: { kind: 'user' } }]);
    expect(heard[1]).toEqual(heard[0]);
  });

  it('refuses a follower what the writer refuses, with its code and data', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    await write(first, '/a', 'A');
    const change = { type: 'remove', path: '/a', baseVersion: 0 } as const;
    const author = { kind: 'agent', callId: 'call' } as const;
    const commits = [[change], [{}]].map((changes) =>
      second.shared.commit({ baseSeq: 0, changes } as never, { author }),
    );
    const outcomes = Promise.allSettled(commits);
    await world.settle();
    expect(await outcomes).toMatchObject([
      { reason: { code: 'ECONFLICT', data: { paths: ['/a'] } } },
      { reason: { code: 'invalid-input' } },
    ]);
  });

  it('makes checkpoints and branches for either tab', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    const change = { type: 'make', id: 'one', kind: 'branch', label: '', createdMs: 1 } as const;
    const author = { kind: 'user' } as const;
    const made = second.shared.changeRoots({ ...change, from: 'main' }, { author });
    await world.settle();
    expect(await made).toEqual({ seq: 1 });
    expect([...first.shared.state.roots.keys()]).toEqual(['one']);
    expect([...second.shared.state.roots.keys()]).toEqual(['one']);
  });

  it('ignores what is no message of its own, and goes on', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    const base = { protocol: 'rockpool-tabs-2', from: 'stranger', epoch: 99 };
    const garbage = [
      null,
      'hello',
      { type: 'hello', from: 'second', revision: 0, oldest: 1 },
      { ...base, type: 'records', records: [{ record: {} }] },
      { ...base, type: 'records', records: [{ revision: 1, record: { revision: 1 } }] },
      { ...base, type: 'snapshot', snapshot: { type: 'snapshot', state: {}, segments: [] } },
      { ...base, type: 'leading', info: { seq: -1 }, revision: 1, isVisible: true },
      { ...base, type: 'leading', info: { seq: 1 }, isVisible: true },
      { ...base, type: 'commit', number: 1, oldest: 1, request: { type: 'fetch' } },
      { ...base, type: 'constructor' },
    ];
    for (const tab of [first, second]) for (const data of garbage) tab.receive?.(data);
    await write(second, '/a', 'A');
    expect(await filesOf(first)).toEqual({ a: 'A' });
    expect(await filesOf(second)).toEqual({ a: 'A' });
  });

  it('asks for a record that was lost on the way', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    world.onPacket = () => [];
    await write(first, '/a', 'A');
    world.onPacket = (packet) => [packet];
    await write(first, '/b', 'B');
    expect(await filesOf(second)).toEqual({ a: 'A', b: 'B' });
  });

  it('misses a record that was lost, though it asks for nothing and nothing follows', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    await world.pass(6000);
    world.onPacket = () => [];
    await write(first, '/a', 'A');
    world.onPacket = (packet) => [packet];
    expect(await filesOf(second)).toEqual({});
    await world.pass(2000);
    expect(await filesOf(second)).toEqual({ a: 'A' });
  });

  it('sends a commit again that was lost on the way, or whose answer was', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    for (const lost of ['commit', 'answers', 'records']) {
      world.onPacket = (packet) => (packet.message.type === lost ? [] : [packet]);
      const writing = second.workspace.fs.appendFile('/a', lost[0] ?? '');
      await world.settle();
      world.onPacket = (packet) => [packet];
      await world.pass(1000);
      await writing;
    }
    expect(await filesOf(first)).toEqual({ a: 'car' });
    expect(second.shared.seq).toBe(3);
  });
});

describe('a leader that goes', () => {
  it('leaves the lead to the other tab when it is closed, with all that it acknowledged', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    await write(first, '/a', 'A');
    const closing = first.shared.close();
    const late = second.workspace.fs.writeFile('/b', 'B');
    await world.settle();
    await closing;
    await late;
    expect(second.shared.role).toBe('leader');
    expect(await filesOf(second)).toEqual({ a: 'A', b: 'B' });
    await expect(first.workspace.fs.writeFile('/c', '')).rejects.toMatchObject({ code: 'EBADF' });
  });

  it('is followed by the next when it dies, and unanswered commits are applied once', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    await write(second, '/a', '1');
    // Written, and nobody was told: neither record nor answer leaves the leader.
    world.onPacket = (packet) => (packet.to === second ? [] : [packet]);
    const writing = second.workspace.fs.appendFile('/a', '2');
    await world.settle();
    expect(first.shared.seq).toBe(2);
    world.kill(first);
    world.onPacket = (packet) => [packet];
    await world.settle();
    await writing;
    expect(await filesOf(second)).toEqual({ a: '12' });
    expect(second.shared.seq).toBe(2);
  });

  it('lets the next leader apply what it never got', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    const third = await world.join('third');
    world.onPacket = (packet) => (packet.to === first ? [] : [packet]);
    const writing = third.workspace.fs.writeFile('/a', 'A');
    await world.settle();
    world.kill(first);
    world.onPacket = (packet) => [packet];
    await world.settle();
    await writing;
    expect(rolesOf(second, third)).toEqual(['second leader', 'third follower']);
    expect(await filesOf(second)).toEqual({ a: 'A' });
  });

  it('tells listeners what changed while there was no leader', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    await write(first, '/kept', 'K');
    await write(first, '/gone', 'G');
    const events: ChangeEvent[] = [];
    second.workspace.onChange((event) => events.push(event));
    world.onPacket = () => [];
    await write(first, '/new', 'N');
    const removing = first.workspace.fs.unlink('/gone');
    await world.settle();
    await removing;
    world.kill(first);
    world.onPacket = (packet) => [packet];
    await world.settle();
    expect(events).toEqual([
      {
        seq: 4,
        root: 'main',
        author: { kind: 'user' },
        changes: [
          { path: '/gone', type: 'delete', kind: 'file', version: 4 },
          { path: '/new', type: 'create', kind: 'file', version: 3 },
        ],
      },
    ]);
    expect(await filesOf(second)).toEqual({ kept: 'K', new: 'N' });
  });

  it('hands over to a visible tab when it is hidden, and goes on as a follower', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    await write(first, '/a', 'A');
    const reading = first.shared.contents;
    const underWay = first.workspace.fs.writeFile('/b', 'B');
    first.shared.setVisible(false);
    await world.settle();
    await underWay;
    expect(rolesOf(first, second)).toEqual(['first follower', 'second leader']);
    await write(first, '/c', 'C');
    expect(await filesOf(first)).toEqual({ a: 'A', b: 'B', c: 'C' });
    expect(await filesOf(second)).toEqual({ a: 'A', b: 'B', c: 'C' });
    // Who read by the old leader's contents reads on.
    expect(await reading.readMany([1])).toEqual([new TextEncoder().encode('A')]);
  });

  it('keeps the lead while nobody sees any of the tabs, and gives it to the first that is seen', async () => {
    const first = await world.join('first', { isVisible: false });
    const second = await world.join('second', { isVisible: false });
    const third = await world.join('third', { isVisible: false });
    await write(second, '/a', 'A');
    expect(first.shared.role).toBe('leader');
    third.shared.setVisible(true);
    await world.settle();
    expect(rolesOf(first, second, third)).toEqual([
      'first follower',
      'second follower',
      'third leader',
    ]);
    await write(second, '/b', 'B');
    expect(await filesOf(first)).toEqual({ a: 'A', b: 'B' });
  });

  it('leads again when the tab that wanted the lead has died', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    world.onPacket = (packet) => (packet.message.type === 'resigned' ? [] : [packet]);
    first.shared.setVisible(false);
    await world.settle();
    world.kill(second);
    await world.pass(3000);
    expect(first.shared.role).toBe('leader');
    await write(first, '/a', 'A');
    expect(await filesOf(first)).toEqual({ a: 'A' });
  });
});

describe('a leader that is frozen', () => {
  it('loses the lead after three seconds of silence to a tab that has something to send', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    first.isFrozen = true;
    await world.pass(60_000);
    expect(second.shared.role).toBe('follower');
    const writing = second.workspace.fs.writeFile('/a', 'A');
    await world.pass(2900);
    expect(await isOpen(writing)).toBe(true);
    await world.pass(1000);
    await writing;
    expect(second.shared.role).toBe('leader');
  });

  it('has its late commit fenced, and sends it to the new leader', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    for (const step of ['append', 'checkFence'] as const) {
      first.freezeBefore = step;
      const late = first.workspace.fs.appendFile('/a', `1 ${step} `);
      await world.settle();
      expect(first.isFrozen).toBe(true);
      const writing = second.workspace.fs.appendFile('/b', `2 ${step} `);
      await world.pass(4000);
      await writing;
      expect(await isOpen(late)).toBe(true);
      first.thaw();
      await world.pass(1000);
      await late;
      expect(rolesOf(first, second)).toEqual(['first follower', 'second leader']);
      expect(await filesOf(first)).toEqual(await filesOf(second));
      // So that it is the leader again.
      second.shared.setVisible(false);
      await world.settle();
      second.shared.setVisible(true);
    }
    expect(await filesOf(second)).toEqual({
      a: '1 append 1 checkFence ',
      b: '2 append 2 checkFence ',
    });
  });

  it('is not believed when it still calls itself the leader', async () => {
    const [first, second] = [await world.join('first'), await world.join('second')];
    const third = await world.join('third');
    first.isFrozen = true;
    const writing = second.workspace.fs.writeFile('/a', 'A');
    await world.pass(4000);
    await writing;
    world.onPacket = (packet) => (packet.to === first ? [] : [packet]);
    first.shared.setVisible(true);
    await write(third, '/b', 'B');
    expect(await filesOf(third)).toEqual({ a: 'A', b: 'B' });
    expect(await filesOf(second)).toEqual({ a: 'A', b: 'B' });
  });

  it('holds up a tab that joins no longer than three seconds', async () => {
    const first = await world.join('first');
    await write(first, '/a', 'A');
    first.isFrozen = true;
    const { joined } = world.open('second');
    await world.pass(4000);
    const second = await joined;
    expect(await filesOf(second)).toEqual({ a: 'A' });
    expect(await hashTree(second.shared.root, second.shared.contents)).toBeTruthy();
  });
});
