// A session's own files in tabs that follow, over a jump, a kill and a compaction.
import { describe, expect, it } from 'vitest';
import type { ChangeEvent, Workspace } from '../../../src/workspace/workspace.ts';
import { createStoredMedium } from '../../support/storage/stored-medium.ts';
import { TabWorld } from './tab-world.ts';

const agent = { author: { kind: 'agent' } } as const;

async function write(world: TabWorld, workspace: Workspace, text: string, session = 'one') {
  const writing = (async () => {
    const { id } = await workspace.roots.session(session, agent);
    await workspace.at(id).fs.writeFile('/file', text);
  })();
  await world.settle();
  return writing;
}

const read = ({ fs }: Workspace, session = 'one') =>
  fs.readFile(`/session/${session}/file`, 'utf8');

describe("a session's own files", () => {
  it('are seen by every tab, whichever writes them', async () => {
    const world = new TabWorld();
    const [first, second] = [await world.join('first'), await world.join('second')];
    await write(world, first.workspace, 'by the leader');
    expect(await read(second.workspace)).toBe('by the leader');
    await write(world, second.workspace, 'by the follower');
    expect(await read(first.workspace)).toBe('by the follower');
    const third = await world.join('third');
    expect(await read(third.workspace)).toBe('by the follower');
  });

  it('are there when the leader was killed, and in what the next one opens', async () => {
    const world = new TabWorld();
    const [first, second] = [await world.join('first'), await world.join('second')];
    await write(world, first.workspace, 'kept');
    world.kill(first);
    await world.settle();
    expect(second.shared.role).toBe('leader');
    expect(await read(second.workspace)).toBe('kept');
    await write(world, second.workspace, 'more', 'two');
    world.kill(second);
    const third = await world.join('third');
    expect(await Promise.all(['one', 'two'].map((id) => read(third.workspace, id)))).toEqual([
      'kept',
      'more',
    ]);
  });

  it('come and go in the events of a jump', async () => {
    const world = new TabWorld();
    const [first, second] = [await world.join('first'), await world.join('second')];
    await write(world, first.workspace, 'x', 'gone');
    const events: ChangeEvent[] = [];
    second.workspace.onChange((event) => events.push(event));
    // No record arrives, but a snapshot of what they made.
    world.onPacket = (packet) => (packet.message.type === 'records' ? [] : [packet]);
    await write(world, first.workspace, 'x', 'new');
    const dropping = first.workspace.roots.drop('session/gone', agent);
    await world.settle();
    await dropping;
    world.kill(first);
    await world.pass(60_000);
    const changes = events.flatMap((event) => event.changes.map(({ type, path }) => [type, path]));
    expect(changes).toEqual([
      ['create', '/session/new'],
      ['delete', '/session/gone'],
    ]);
  });

  it('survive a compaction, which keeps what they hold', async () => {
    const world = new TabWorld(createStoredMedium());
    world.limits = { segmentBytes: 10_000, imageBytes: 3000, deadBytes: 20_000, pieceBytes: 2000 };
    const first = await world.join('first');
    await write(world, first.workspace, 'kept'.repeat(500));
    const fill = async (at: number) => {
      const writing = first.workspace.fs.writeFile('/other', `${at}`.repeat(1000));
      await world.settle();
      return writing;
    };
    const before = (await first.workspace.info()).logBytes;
    for (let at = 0; at < 80; at += 1) await fill(at);
    expect((await first.workspace.info()).logBytes).toBeLessThan(before + 80_000);
    world.kill(first);
    const second = await world.join('second');
    expect(await read(second.workspace)).toBe('kept'.repeat(500));
  });
});
