// Accepting a branch: whole or in parts, once or again and again.
import { describe, expect, it } from 'vitest';
import { SdkError } from '../../../src/core/errors.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { agent, openRoots, readRoot, user } from '../../support/files/roots.ts';

/** A workspace with one branch of it, and what both hold. */
async function openBranch(files: Readonly<Record<string, string>>) {
  const opened = await openRoots(files);
  const { workspace } = opened;
  const { id } = await workspace.roots.branch('try', agent);
  const read = (root = 'main') => readRoot(workspace, { root, minSeq: workspace.seq() });
  const merge = async (options: { paths?: string[]; into?: string } = {}) =>
    (await workspace.roots.merge(id, { ...user, ...options })).paths;
  const unmerged = async () => (await workspace.roots.diff(id)).map(({ path }) => path);
  return { ...opened, id, read, merge, unmerged };
}

async function conflictOf(merge: Promise<unknown>): Promise<unknown> {
  const error = await merge.catch((thrown: unknown) => thrown);
  if (SdkError.isInstance(error) && error.code === 'ECONFLICT') return error.data['paths'];
  throw new TypeError(`No conflict: ${String(error)}`);
}

describe('merging a branch', () => {
  it('brings all that it changed, in one record, beside what main has changed', async () => {
    const { workspace, id, commit, read, merge, unmerged } = await openBranch({
      '/text': 'one\ntwo\nthree\n',
      '/gone': 'G',
      '/d/moved': 'M',
    });
    await commit(id, (fs) => {
      fs.writeFileSync('/text', 'ONE\ntwo\nthree\n');
      fs.rmSync('/gone');
      fs.renameSync('/d', '/e');
    });
    await commit(id, (fs) => fs.mkdirSync('/empty'));
    await commit('main', (fs) => {
      fs.writeFileSync('/text', 'one\ntwo\nTHREE\n');
      fs.writeFileSync('/main', 'main');
    });
    const seq = workspace.seq();
    const paths = ['/d', '/d/moved', '/e', '/e/moved', '/empty', '/gone', '/text'];
    expect(await merge()).toEqual(paths);
    expect(await read()).toEqual({
      '/text': 'ONE\ntwo\nTHREE\n',
      '/main': 'main',
      '/e/moved': 'M',
      '/empty': null,
    });
    expect([workspace.seq(), await unmerged()]).toEqual([seq + 1, []]);
    // The branch itself is as it was.
    expect((await read(id))['/text']).toBe('ONE\ntwo\nthree\n');
  });

  it('again brings only what is new, and leaves alone what main has changed since', async () => {
    const { workspace, id, commit, read, merge } = await openBranch({ '/a': 'a\n', '/b': 'b\n' });
    await commit(id, (fs) => fs.writeFileSync('/a', 'branch\n'));
    await merge();
    await commit('main', (fs) => fs.writeFileSync('/a', 'a\n'));
    const seq = workspace.seq();
    expect([await merge(), workspace.seq()]).toEqual([[], seq]);
    await commit(id, (fs) => fs.writeFileSync('/b', 'branch\n'));
    expect([await merge(), await read()]).toEqual([['/b'], { '/a': 'a\n', '/b': 'branch\n' }]);
  });

  it('again merges on what was merged before', async () => {
    const { id, commit, read, merge } = await openBranch({ '/text': '1\n2\n3\n4\n5\n' });
    await commit('main', (fs) => fs.writeFileSync('/text', '1\n2\n3\n4\nmain\n'));
    await commit(id, (fs) => fs.writeFileSync('/text', 'branch\n2\n3\n4\n5\n'));
    await merge();
    await commit(id, (fs) => fs.writeFileSync('/text', 'branch\n2\nmore\n4\n5\n'));
    expect(await merge()).toEqual(['/text']);
    expect(await read()).toEqual({ '/text': 'branch\n2\nmore\n4\nmain\n' });
    await commit(id, (fs) => fs.rmSync('/text'));
    expect(await conflictOf(merge())).toEqual(['/text']);
  });

  it('removes again what it had brought', async () => {
    const { id, commit, read, merge } = await openBranch({ '/a': 'A' });
    await commit(id, (fs) => (fs.mkdirSync('/new'), fs.writeFileSync('/new/x', 'X')));
    await merge();
    await commit(id, (fs) => fs.rmSync('/new', { recursive: true }));
    expect([await merge(), await read()]).toEqual([['/new', '/new/x'], { '/a': 'A' }]);
  });

  it('takes files and directories by themselves, with the directories that they need', async () => {
    const { id, commit, read, merge, unmerged } = await openBranch({
      '/a': 'A',
      '/d/x': 'X',
      '/f': 'F',
    });
    await commit(id, (fs) => {
      fs.writeFileSync('/a', 'branch');
      fs.rmSync('/d/x');
      fs.mkdirSync('/new/deep', { recursive: true });
      fs.writeFileSync('/new/deep/one', '1');
      fs.writeFileSync('/new/deep/two', '2');
      fs.rmSync('/f');
      fs.mkdirSync('/f');
      fs.writeFileSync('/f/inside', 'I');
    });
    expect(await merge({ paths: ['/new/deep/one', '/d'] })).toEqual([
      '/d/x',
      '/new',
      '/new/deep',
      '/new/deep/one',
    ]);
    expect(await read()).toEqual({ '/a': 'A', '/d': null, '/f': 'F', '/new/deep/one': '1' });
    expect(await unmerged()).toEqual(['/a', '/f', '/f/inside', '/new/deep/two']);
    expect(await merge({ paths: ['/f/inside'] })).toEqual(['/f', '/f/inside']);
    expect(await merge({ paths: ['/nothing/here'] })).toEqual([]);
    expect(await merge()).toEqual(['/a', '/new/deep/two']);
    expect(await read()).toEqual(await read(id));
  });

  it('is refused with all paths that are not clean, and nothing is merged', async () => {
    const { workspace, id, commit, merge, read } = await openBranch({
      '/a': 'a\n',
      '/b': 'b\n',
      '/c': 'c\n',
      '/d/x': 'x',
    });
    await commit(id, (fs) => {
      fs.writeFileSync('/a', 'branch\n');
      fs.rmSync('/b');
      fs.writeFileSync('/c', 'branch\n');
      fs.rmSync('/d', { recursive: true });
    });
    await commit('main', (fs) => {
      fs.writeFileSync('/a', 'main\n');
      fs.writeFileSync('/b', 'main\n');
      fs.writeFileSync('/d/new', 'main');
    });
    const before = [await read(), workspace.seq()];
    expect(await conflictOf(merge())).toEqual(['/b', '/d', '/a']);
    expect([await read(), workspace.seq()]).toEqual(before);
    expect(await merge({ paths: ['/c'] })).toEqual(['/c']);
    await commit('main', (fs) => fs.writeFileSync('/a', 'branch\n'));
    expect(await merge({ paths: ['/a'] })).toEqual(['/a']);
  });

  it('goes into another branch as well, and counts as merged from then on', async () => {
    const { workspace, id, commit, read, merge } = await openBranch({ '/a': 'a\n' });
    const inner = await workspace.roots.branch('inner', { ...agent, from: id });
    await commit(inner.id, (fs) => fs.writeFileSync('/inner', 'I'));
    const { paths } = await workspace.roots.merge(inner.id, { ...agent, into: id });
    expect([paths, await read(id), await read()]).toEqual([
      ['/inner'],
      { '/a': 'a\n', '/inner': 'I' },
      { '/a': 'a\n' },
    ]);
    expect((await workspace.roots.merge(inner.id, user)).paths).toEqual([]);
    await merge();
    expect(await read()).toEqual({ '/a': 'a\n', '/inner': 'I' });
  });

  it('is as complete when it comes from an image', async () => {
    const { workspace, id, commit, read, reopen } = await openBranch({ '/a': 'a\n', '/b': 'b\n' });
    await commit(id, (fs) => fs.writeFileSync('/a', 'branch\n'));
    await commit(id, (fs) => fs.writeFileSync('/b', 'branch\n'));
    await workspace.roots.merge(id, { ...user, paths: ['/a'] });
    const before = await read(id);
    const again = createWriterWorkspace(await reopen());
    expect(await readRoot(again, { root: id, minSeq: 0 })).toEqual(before);
    expect((await again.roots.merge(id, user)).paths).toEqual(['/b']);
  });

  it('has no edits of the user in it, though the user accepts it', async () => {
    const { workspace, id, commit, read, merge } = await openBranch({ '/a': 'a\n', '/b': 'b\n' });
    const checkpoint = await workspace.roots.checkpoint('c', user);
    await commit(id, (fs) => fs.writeFileSync('/a', 'branch\n'));
    await merge();
    await workspace.fs.writeFile('/b', 'typed\n');
    const { kept } = await workspace.roots.rewind(checkpoint.id, { ...user, keep: 'user' });
    expect([kept, await read()]).toEqual([['/b'], { '/a': 'a\n', '/b': 'typed\n' }]);
  });
});
