import { describe, expect, it } from 'vitest';
import { findApplied } from '../../../src/hosts/browser/fs-worker/find-applied.ts';
import { TabWorld } from '../workspace-tabs/tab-world.ts';

const author = { kind: 'user' } as const;

function write(path: string) {
  const content = new TextEncoder().encode(path);
  const change = { type: 'write', path, content, mode: 0o644, mtimeMs: 0, baseVersion: 0 } as const;
  return { baseSeq: 0, changes: [change] };
}

describe('findApplied', () => {
  it('knows what a leader that is slow had in its queue when the worker died', async () => {
    const world = new TabWorld();
    const leader = await world.join('leader');
    const dying = await world.join('dying');
    const appends: (() => void)[] = [];
    leader.heldAppends = appends;
    const origin = dying.shared.nextOrigin;
    void dying.shared.commit(write('/one'), { author });
    // A merge is written apart from what came before it: the snapshot for the successor comes between.
    void dying.shared.commit(write('/two'), { author, merge: 'text' });
    await world.settle();
    world.kill(dying);
    const { joined } = world.open('successor');
    await world.settle();
    appends.shift()?.();
    await world.settle();
    const { shared } = await joined;
    expect(shared.seq).toBe(1);

    const finding = findApplied(shared, [
      { id: 11, origin },
      { id: 12, origin: { ...origin, number: origin.number + 1 } },
      { id: 13, origin: { ...origin, number: origin.number + 2 } },
    ]);
    await world.settle();
    appends.shift()?.();
    await world.settle();
    expect(await finding).toEqual([
      [11, 2],
      [12, 2],
    ]);
    expect(shared.seq).toBe(2);
  });
});
