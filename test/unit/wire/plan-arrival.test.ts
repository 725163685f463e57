// What a tree is changed by when a session arrives whose files were changed on both sides.
import { describe, expect, it } from 'vitest';
import { planArrival } from '../../../src/wire/handover/file-list.ts';
import type { ListedNode, LocalNode } from '../../../src/wire/handover/file-list.ts';

const directory: ListedNode = ['d', 0o755, 0];
const file = (hash: string): ListedNode => ['f', hash, 1, 0o644, 0];

function plan(
  base: Readonly<Record<string, ListedNode>>,
  incoming: Readonly<Record<string, ListedNode>>,
  local: Readonly<Record<string, ListedNode>>,
) {
  const here = Object.entries(local).map(([path, node], at): [string, LocalNode] => [
    path,
    { node, version: at + 1 },
  ]);
  const { changes, conflicts } = planArrival(
    Object.entries(base),
    Object.entries(incoming),
    new Map(here),
    () => 1,
  );
  return [changes.map(({ type, path }) => `${type} ${path}`), conflicts];
}

const before = { '/a': directory, '/a/one': file('1') };

describe('files of a session that arrives', () => {
  it('go, with the directory that they were in', () => {
    expect(plan(before, {}, before)).toEqual([['remove /a/one', 'remove /a'], []]);
  });

  it('go, and the directory stays where somebody here has made something in it', () => {
    const here = { ...before, '/a/mine': file('2') };
    expect(plan(before, {}, here)).toEqual([['remove /a/one'], []]);
  });

  it('conflict with what somebody here has made in a directory that became a file', () => {
    const here = { ...before, '/a/mine': file('2') };
    expect(plan(before, { '/a': file('3') }, here)).toEqual([['remove /a/one'], ['/a']]);
  });

  it('conflict with a directory that was removed here, all the way up', () => {
    const both = { ...before, '/a/b': directory };
    const there = { ...both, '/a/b/new': file('2') };
    expect(plan(both, there, {})).toEqual([[], ['/a', '/a/b']]);
    // Whose it is already: the directories are made anew.
    expect(plan({ '/a/one': file('1') }, there, {})).toEqual([
      ['mkdir /a', 'mkdir /a/b', 'write /a/b/new'],
      [],
    ]);
  });
});
