// The workspace's files as other people's code takes them: isomorphic-git over `Workspace.fs`, and over a
// view's. In Node, for its Buffer.
import git from 'isomorphic-git';
import { describe, expect, it } from 'vitest';
import type { FileSystem } from '../../../src/workspace/files/file-system.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';

const author = { name: 'A', email: 'a@example.org' };

async function openFiles(isView: boolean): Promise<FileSystem> {
  const workspace = await createMemoryWorkspace();
  if (!isView) return workspace.fs;
  const access = { cwd: '/', roots: ['/'], readOnlyRoots: [], rules: [], write: 'allow' } as const;
  return (await workspace.openView({ root: 'main', minSeq: workspace.seq() }, access)).fs;
}

describe.each([
  ["the workspace's own", false],
  ["a view's", true],
])('isomorphic-git over %s files', (_name, isView) => {
  it('makes a repository, adds, commits and tells what has changed', async () => {
    const files = await openFiles(isView);
    const dir = '/repo';
    const repo = { fs: { promises: files }, dir } as const;
    await files.mkdir(`${dir}/src`, { recursive: true });
    await files.writeFile(`${dir}/src/a.txt`, 'one\n');
    await files.writeFile(`${dir}/run.sh`, '#!/bin/sh\n', { mode: 0o755 });
    await files.symlink('src/a.txt', `${dir}/link`);

    await git.init({ ...repo, defaultBranch: 'main' });
    await git.add({ ...repo, filepath: ['src/a.txt', 'run.sh', 'link'] });
    const first = await git.commit({ ...repo, message: 'first', author });
    expect((await git.log(repo)).map(({ oid }) => oid)).toEqual([first]);
    for (const filepath of ['src/a.txt', 'run.sh', 'link']) {
      expect([filepath, await git.status({ ...repo, filepath })]).toEqual([filepath, 'unmodified']);
    }
    const { blob } = await git.readBlob({ ...repo, oid: first, filepath: 'link' });
    expect(new TextDecoder().decode(blob)).toBe('src/a.txt');

    await files.writeFile(`${dir}/src/a.txt`, 'two, and longer\n');
    await files.rm(`${dir}/link`);
    await files.writeFile(`${dir}/new.txt`, 'new\n');
    expect(await git.statusMatrix(repo)).toEqual([
      ['link', 1, 0, 1],
      ['new.txt', 0, 2, 0],
      ['run.sh', 1, 1, 1],
      ['src/a.txt', 1, 2, 1],
    ]);
    await git.checkout({ ...repo, force: true });
    expect(await files.readlink(`${dir}/link`)).toBe('src/a.txt');
    expect(await files.readFile(`${dir}/src/a.txt`, 'utf8')).toBe('one\n');
  });

  it('has all of Node’s Stats, and the bytes of a link', async () => {
    const files = await openFiles(isView);
    await files.mkdir('/d');
    await files.writeFile('/d/a', 'x');
    await files.symlink('é', '/d/l');
    const stats = await files.stat('/d/a');
    const { mtimeMs, mtime } = stats;
    expect(stats).toMatchObject({
      ...{ dev: 1, nlink: 1, uid: 0, gid: 0, rdev: 0, size: 1, blksize: 4096, blocks: 1 },
      ...{ atimeMs: mtimeMs, ctimeMs: mtimeMs, birthtimeMs: mtimeMs },
      ...{ atime: mtime, ctime: mtime, birthtime: mtime },
    });
    const bytes = new TextEncoder().encode('é');
    expect(await files.readlink('/d/l', { encoding: 'buffer' })).toEqual(bytes);
    expect(await files.readlink('/d/l', 'buffer')).toEqual(bytes);
    expect(await files.readlink('/d/l', { encoding: 'utf8' })).toBe('é');
  });
});
