import { describe, expect, it } from 'vitest';
import type { FileChange } from '../../../src/core/change-set.ts';
import type { PathAccess } from '../../../src/core/access/path-access.ts';
import type { SyncFileSystem } from '../../../src/workspace/files/file-system.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import { openAccess } from '../../support/files/workspaces.ts';

/** One line a change: what became of which path, and how many lines came and went. */
const shown = (changes: readonly FileChange[]) =>
  changes.map(
    ({ type, path, additions, deletions }) => `${type} ${path} +${additions}-${deletions}`,
  );

async function changesOf(
  files: Readonly<Record<string, string>>,
  work: (fs: SyncFileSystem) => void,
  access: Partial<PathAccess> = {},
): Promise<readonly FileChange[]> {
  const workspace = await createMemoryWorkspace();
  for (const [path, text] of Object.entries(files)) {
    await workspace.fs.mkdir(path.slice(0, path.lastIndexOf('/')) || '/', { recursive: true });
    await workspace.fs.writeFile(path, text);
  }
  const address = { root: 'main', minSeq: workspace.seq() };
  const view = await workspace.openView(address, { ...openAccess('/'), ...access });
  work(view.fs.sync);
  return view.fileChanges();
}

describe('the changes of a view', () => {
  it('are none where nothing is other than it was', async () => {
    const changes = await changesOf({ '/a': 'A', '/d/b': 'B' }, (fs) => {
      fs.writeFileSync('/a', 'other');
      fs.writeFileSync('/a', 'A');
      fs.renameSync('/d', '/e');
      fs.renameSync('/e', '/d');
      fs.writeFileSync('/gone', 'x');
      fs.unlinkSync('/gone');
      fs.utimesSync('/d/b', 1, 1);
    });
    expect(changes).toEqual([]);
  });

  it('have a patch for each file, in the order of the paths', async () => {
    const changes = await changesOf({ '/a': 'one\ntwo\n', '/b': 'b\n', '/d/c': 'c\n' }, (fs) => {
      fs.writeFileSync('/a', 'one\n2\n');
      fs.rmSync('/b');
      fs.renameSync('/d', '/e');
      fs.writeFileSync('/e.txt', 'n\n');
    });
    expect(shown(changes)).toEqual([
      'update /a +1-1',
      'delete /b +0-1',
      'delete /d/c +0-1',
      'create /e.txt +1-0',
      'create /e/c +1-0',
    ]);
    expect(changes[0]?.structuredPatch).toEqual([
      { oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: [' one', '-two', '+2'] },
    ]);
  });

  it('tell of directories that nothing else tells of', async () => {
    const changes = await changesOf({ '/full/a': 'A', '/kept/b': 'B' }, (fs) => {
      fs.mkdirSync('/new/empty', { recursive: true });
      fs.rmSync('/full', { recursive: true });
      fs.chmodSync('/kept', 0o700);
    });
    expect(shown(changes)).toEqual([
      'delete /full/a +0-1',
      'update /kept +0-0',
      'create /new/empty +0-0',
    ]);
  });

  it('tell of modes, links and kinds', async () => {
    const changes = await changesOf(
      { '/run.sh': 'echo\n', '/file': 'F\n', '/d/x': 'X\n' },
      (fs) => {
        fs.chmodSync('/run.sh', 0o755);
        fs.symlinkSync('file', '/link');
        fs.writeFileSync('/link', 'through\n');
        fs.rmSync('/d', { recursive: true });
        fs.writeFileSync('/d', 'now a file\n');
      },
    );
    expect(shown(changes)).toEqual([
      'create /d +1-0',
      'delete /d/x +0-1',
      'update /file +1-1',
      'create /link +1-0',
      'update /run.sh +0-0',
    ]);
  });

  it('are listed without patches once they are too many to be read by people', async () => {
    const line = 'x'.repeat(1023);
    const text = `${line}\n`.repeat(17 * 1024);
    const changes = await changesOf({ '/a': 'A\n', '/big': text, '/late': text }, (fs) => {
      fs.writeFileSync('/a', 'B\n');
      fs.rmSync('/big');
      fs.writeFileSync('/late', 'short\n');
    });
    expect(changes.map(({ path, structuredPatch }) => [path, structuredPatch.length])).toEqual([
      ['/a', 1],
      ['/big', 1],
      ['/late', 0],
    ]);
  });

  it('show nothing that a person would have to be asked about first', async () => {
    const rules = [{ effect: 'ask', operation: 'read', glob: '/secret' } as const];
    const changes = await changesOf(
      { '/secret': 'key\n' },
      (fs) => fs.writeFileSync('/secret', 'overwritten\n'),
      { rules },
    );
    expect(changes).toEqual([
      { path: '/secret', type: 'update', additions: 0, deletions: 0, structuredPatch: [] },
    ]);
  });
});
