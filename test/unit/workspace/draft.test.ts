import { describe, expect, it } from 'vitest';
import type { Change } from '../../../src/core/change-set.ts';
import type { FileSystem } from '../../../src/workspace/files/file-system.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import type { WorkspaceView } from '../../../src/workspace/draft/view.ts';
import { openAccess } from '../../support/files/workspaces.ts';

async function openView(files: Record<string, string>) {
  const workspace = await createMemoryWorkspace();
  for (const [path, text] of Object.entries(files)) {
    await workspace.fs.mkdir(path.slice(0, path.lastIndexOf('/')) || '/', { recursive: true });
    await workspace.fs.writeFile(path, text);
  }
  const address = { root: 'main', minSeq: workspace.seq() };
  return { workspace, view: await workspace.openView(address, openAccess('/')) };
}

/** One line a change: what was done to which path, over which version, with what. */
function shown(view: WorkspaceView): string[] {
  return (view.changeSet()?.changes ?? []).map((change) => {
    const { type, path, baseVersion } = change;
    return `${type} ${path} @${baseVersion}${contentOf(change)}`;
  });
}

function contentOf(change: Change): string {
  if (change.type === 'symlink') return ` -> ${change.target}`;
  if (change.type !== 'write') return '';
  return change.content instanceof Uint8Array
    ? ` '${new TextDecoder().decode(change.content)}'`
    : ` content ${change.content.contentId}`;
}

async function remake(fs: FileSystem, path: string): Promise<void> {
  await fs.rm(path, { recursive: true });
  await fs.mkdir(path);
}

describe('a draft', () => {
  it('has no change set until something changed, and none after a roll-back', async () => {
    const { view } = await openView({ '/a': 'A' });
    expect(view.changeSet()).toBeNull();
    view.fs.sync.writeFileSync('/a', 'B');
    view.fs.sync.mkdirSync('/d');
    expect(shown(view)).toEqual(["write /a @1 'B'", 'mkdir /d @0']);
    view.rollback();
    expect(view.changeSet()).toBeNull();
    expect(view.fs.sync.readFileSync('/a', 'utf8')).toBe('A');
    expect(view.fs.sync.readdirSync('/')).toEqual(['a']);
  });

  it('holds what its files share once, and nothing that is committed', async () => {
    const { view } = await openView({ '/a': 'committed' });
    const { sync } = view.fs;
    sync.copyFileSync('/a', '/b');
    sync.writeFileSync('/c', '12345');
    for (const to of ['/d', '/e']) sync.copyFileSync('/c', to);
    expect(view.heldBytes()).toBe(5);
    sync.appendFileSync('/d', '6');
    expect(view.heldBytes()).toBe(5 + 6);
  });

  it('lists removals first, children before parents, then makings, parents before children', async () => {
    const { view } = await openView({ '/old/sub/a': 'A', '/old/b': 'B' });
    view.fs.sync.rmSync('/old', { recursive: true });
    view.fs.sync.mkdirSync('/new/sub', { recursive: true });
    view.fs.sync.writeFileSync('/new/sub/c', 'C');
    view.fs.sync.symlinkSync('sub/c', '/new/link');
    expect(shown(view)).toEqual([
      'remove /old/b @3',
      'remove /old/sub/a @2',
      'remove /old/sub @1',
      'remove /old @1',
      'mkdir /new @0',
      'symlink /new/link @0 -> sub/c',
      'mkdir /new/sub @0',
      "write /new/sub/c @0 'C'",
    ]);
  });

  it('moves no bytes when it renames or copies', async () => {
    const { view } = await openView({ '/dir/a': 'A' });
    view.fs.sync.renameSync('/dir', '/moved');
    view.fs.sync.copyFileSync('/moved/a', '/copy');
    expect(shown(view)).toEqual([
      'remove /dir/a @2',
      'remove /dir @1',
      'write /copy @0 content 1',
      'mkdir /moved @0',
      'write /moved/a @0 content 1',
    ]);
  });

  it('replaces a directory by a file and a file by a directory', async () => {
    const { view } = await openView({ '/d/x': 'X', '/f': 'F' });
    view.fs.sync.rmSync('/d', { recursive: true });
    view.fs.sync.writeFileSync('/d', 'now a file');
    view.fs.sync.unlinkSync('/f');
    view.fs.sync.mkdirSync('/f');
    expect(shown(view)).toEqual([
      'remove /d/x @2',
      'remove /d @1',
      'remove /f @3',
      "write /d @1 'now a file'",
      'mkdir /f @3',
    ]);
  });

  it('holds nothing when what was done was undone', async () => {
    const { view } = await openView({ '/dir/a': 'A' });
    view.fs.sync.renameSync('/dir/a', '/b');
    view.fs.sync.renameSync('/b', '/dir/a');
    view.fs.sync.mkdirSync('/tmp');
    view.fs.sync.rmdirSync('/tmp');
    expect(view.changeSet()).toBeNull();
  });

  it('shows the version of its base at every path, in stat and in walk', async () => {
    const { view } = await openView({ '/a': 'A', '/b': 'B', '/dir/c': 'C' });
    view.fs.sync.writeFileSync('/a', 'changed');
    view.fs.sync.renameSync('/dir', '/moved');
    view.fs.sync.writeFileSync('/new', 'new');
    const walked = (await view.fs.walk('/')).map(({ path, version }) => [path, version]);
    expect(walked).toEqual([
      ['/a', 1],
      ['/b', 2],
      ['/moved/c', 0],
      ['/new', 0],
    ]);
    expect(view.fs.sync.statSync('/a').version).toBe(1);
    expect(view.fs.sync.statSync('/moved/c').version).toBe(0);
  });

  it('keeps seeing its base whatever is committed meanwhile', async () => {
    const { workspace, view } = await openView({ '/a': 'A' });
    await workspace.fs.writeFile('/a', 'theirs');
    await workspace.fs.writeFile('/new', 'theirs');
    expect(await view.fs.readFile('/a', 'utf8')).toBe('A');
    expect(await view.fs.readdir('/')).toEqual(['a']);
  });

  it.each<[string, (fs: FileSystem) => Promise<unknown>]>([
    ['was removed, and another has its name', (fs) => remake(fs, '/top/dir')],
    ['went with the one above it', (fs) => remake(fs, '/top').then(() => fs.mkdir('/top/dir'))],
  ])('makes nothing new in a directory that %s', async (_what, change) => {
    const { workspace, view } = await openView({ '/top/dir/a': 'A' });
    view.fs.sync.writeFileSync('/top/dir/new', 'new');
    await change(workspace.fs);
    const changeSet = view.changeSet() ?? { baseSeq: 0, changes: [] };
    for (const merge of [{}, { merge: 'text' }] as const) {
      const commit = workspace.commit(changeSet, { author: { kind: 'agent' }, ...merge });
      await expect(commit).rejects.toMatchObject({
        code: 'ECONFLICT',
        data: { paths: ['/top/dir/new'] },
      });
    }
    expect(await workspace.fs.readdir('/top/dir')).toEqual([]);
  });

  it('makes what is new in a directory in which others work, too', async () => {
    const { workspace, view } = await openView({ '/dir/a': 'A' });
    view.fs.sync.writeFileSync('/dir/new', 'new');
    await workspace.fs.writeFile('/dir/theirs', 'theirs');
    await workspace.fs.unlink('/dir/a');
    const changeSet = view.changeSet() ?? { baseSeq: 0, changes: [] };
    await workspace.commit(changeSet, { author: { kind: 'agent' } });
    expect(await workspace.fs.readdir('/dir')).toEqual(['new', 'theirs']);
  });

  it('leaves nothing half done: a refused recursive operation changes nothing', async () => {
    const { workspace } = await openView({ '/from/a': 'A', '/from/b/c': 'C', '/to/b': 'a file' });
    const deny = { effect: 'deny', operation: 'write', glob: '/x/**' } as const;
    const access = openAccess('/', { rules: [deny] });
    const { fs, changeSet } = await workspace.openView({ root: 'main', minSeq: 0 }, access);
    // `a` would be copied before `b` turns out not to fit.
    expect(() => fs.sync.cpSync('/from', '/to', { recursive: true })).toThrow('ENOTDIR');
    expect(() => fs.sync.mkdirSync('/x/y/z', { recursive: true })).toThrow('EACCES');
    expect(changeSet()).toBeNull();
  });

  it('appends to what was written while the old content was being read', async () => {
    const { view } = await openView({ '/log': 'a' });
    const appending = view.fs.appendFile('/log', 'c');
    view.fs.sync.appendFileSync('/log', 'b');
    await appending;
    expect(await view.fs.readFile('/log', 'utf8')).toBe('abc');
  });
});
