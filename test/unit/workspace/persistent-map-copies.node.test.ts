// In Node, where a test can load a module twice.
import { describe, expect, it, vi } from 'vitest';
import { PersistentMap } from '../../../src/workspace/tree/persistent-map.ts';

describe('PersistentMap', () => {
  it('is compared with one that another copy of its code has made, as git’s file has one', async () => {
    vi.resetModules();
    const other = await import('../../../src/workspace/tree/persistent-map.ts');
    expect(other.PersistentMap).not.toBe(PersistentMap);
    const ours = PersistentMap.from([
      ['a', 1],
      ['b', 2],
    ]);
    const theirs = other.PersistentMap.from([
      ['b', 2],
      ['c', 3],
    ]);
    const differing: string[] = [];
    ours.diff(theirs as PersistentMap<number>, (key) => differing.push(key));
    expect(differing.sort()).toEqual(['a', 'c']);
  });
});
