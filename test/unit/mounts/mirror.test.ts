// What is asked of a mirror with many files mustn't cost each time as much as all of them.
import { expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/core/async/system-clock.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import { isInAny } from '../../../src/workspace/mounts/is-in-any.ts';
import { Mirror } from '../../../src/workspace/mounts/mirror.ts';
import { openMount } from '../../../src/workspace/mounts/mount.ts';
import type { RootTree } from '../../../src/workspace/workspace.ts';
import { createMemoryHostFs } from '../../support/files/memory-host-fs.ts';

async function openMirror(paths: readonly string[]) {
  const workspace = await createMemoryWorkspace();
  const mirror = await Mirror.open(workspace, '/disk', { name: 'disk' }, () => false);
  const file = { kind: 'file', content: new Uint8Array(), mtimeMs: 1, mode: 0o644 } as const;
  const directory = { kind: 'directory' } as const;
  await mirror.apply(
    paths.map((path) =>
      path.endsWith('/') ? { path: path.slice(0, -1), node: directory } : { path, node: file },
    ),
  );
  return mirror;
}

it('finds what is among paths and below them, and takes no name for another’s directory', async () => {
  const mirror = await openMirror(['d/', 'd/e/', 'd/e/x', 'd.txt', 'de', 'f']);
  const below = (...tops: readonly string[]) => mirror.below(new Set(tops)).sort();
  expect(below('d')).toEqual(['d', 'd/e', 'd/e/x']);
  expect(below('d/e/x', 'f', 'new')).toEqual(['d/e/x', 'f']);
  expect(below('d/e', 'f')).toEqual(['d/e', 'd/e/x', 'f']);
  expect(below('')).toEqual(['d', 'd.txt', 'd/e', 'd/e/x', 'de', 'f']);
});

it('looks through all of its paths for no file, and once for all directories', async () => {
  const mirror = await openMirror(['d/', 'd/x', 'e/', 'e/x', 'f', 'g']);
  const looking = vi.spyOn(mirror.entries, 'keys');
  mirror.below(new Set(['f', 'g', 'd/x', 'new']));
  expect(looking).not.toHaveBeenCalled();
  mirror.below(new Set(['d', 'e', 'f']));
  expect(looking).toHaveBeenCalledTimes(1);
});

it('knows the paths of a whole mount by its own', () => {
  expect([isInAny(new Set(['']), 'a/b'), isInAny(new Set(['']), '')]).toEqual([true, true]);
  expect([isInAny(new Set(['a/b']), 'a'), isInAny(new Set(), 'a')]).toEqual([false, false]);
});

it('asks the workspace about many paths at once, not about each', async () => {
  const workspace = await createMemoryWorkspace();
  const asked: string[] = [];
  const counted = <Tree extends RootTree>(tree: Tree): Tree => ({
    ...tree,
    fs: {
      ...tree.fs,
      lstat(path: string) {
        asked.push('lstat');
        return tree.fs.lstat(path);
      },
    } as Tree['fs'],
    versions(paths) {
      asked.push('versions');
      return tree.versions(paths);
    },
    lookUp(paths) {
      asked.push('lookUp');
      return tree.lookUp(paths);
    },
  });
  const files = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`f${n}`, `${n}`]));
  const mount = await openMount({
    workspace: { ...counted(workspace), at: (root) => counted(workspace.at(root)) },
    clock: systemClock,
    path: '/disk',
    source: createMemoryHostFs({ files }),
  });
  await mount.sync();
  await mount.close();
  expect(asked.length).toBeLessThan(40);
});
