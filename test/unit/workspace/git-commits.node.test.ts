// Commits of the workspace that meet in one git repository: what is joined, and what is refused.
import { readFile, writeFile } from 'node:fs/promises';
import git from 'isomorphic-git';
import { describe, expect, it } from 'vitest';
import { SdkError } from '../../../src/core/errors.ts';
import { readIndex, writeIndex } from '../../../src/workspace/git/index-file.ts';
import type { WorkspaceView } from '../../../src/workspace/draft/view.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import { exportTree } from '../../support/git/exported-tree.ts';
import {
  commitFile,
  commitOnBranch,
  commitView,
  dir,
  makeRepository,
  openGitView,
  repoOf,
} from '../../support/git/git-actors.ts';
import { openAccess } from '../../support/files/workspaces.ts';

type Work = (view: WorkspaceView) => Promise<unknown>;

/** Both begin with the same repository; the first one is committed first. */
async function meet(first: Work, second: Work, before?: Work) {
  const workspace = await createMemoryWorkspace();
  await makeRepository(workspace, { 'a.txt': 'a\n', 'b.txt': 'b\n' });
  if (before) {
    const view = await openGitView(workspace);
    await before(view);
    await commitView(workspace, view);
  }
  const views = [await openGitView(workspace), await openGitView(workspace)] as const;
  const results = [await first(views[0]), await second(views[1])];
  await commitView(workspace, views[0]);
  const hash = await workspace.treeHash();
  const error = await commitView(workspace, views[1]).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error) expect(await workspace.treeHash()).toBe(hash);
  return { workspace, repo: repoOf(workspace.fs), results, error };
}

function refsOf(error: unknown): unknown {
  if (!SdkError.isInstance(error)) throw error;
  return [error.code, error.data['refs']];
}

describe('commits that meet in one repository', () => {
  it('both land on different branches, and real git takes what they leave', async () => {
    const { workspace, repo, results } = await meet(
      (view) => commitFile(view, 'a.txt', 'on main\n'),
      async (view) => {
        await git.branch({ ...repoOf(view.fs), ref: 'other', checkout: true });
        return commitFile(view, 'b.txt', 'on other\n');
      },
    );
    const refs = await Promise.all(
      ['main', 'other'].map((ref) => git.resolveRef({ ...repo, ref })),
    );
    expect(refs).toEqual(results);
    await using real = await exportTree(workspace.fs, dir);
    expect(await real.git('fsck', '--strict', '--no-dangling')).toBe('');
    // The work tree is on the other branch now, and has what was committed on main as a change.
    expect(await real.git('status', '--porcelain', '--branch')).toBe('## other\nM  a.txt\n');
  });

  it('are refused on the same branch, with its name', async () => {
    const { error } = await meet(
      (view) => commitFile(view, 'a.txt', 'one\n'),
      (view) => commitFile(view, 'b.txt', 'two\n'),
    );
    expect(refsOf(error)).toEqual(['ECONFLICT', ['refs/heads/main']]);
    expect(String(error)).toContain("git's refs/heads/main moved on");
  });

  it('add different files to one index, and both stay added', async () => {
    const add =
      (name: string): Work =>
      async (view) => {
        await view.fs.writeFile(`${dir}/${name}`, `${name}\n`);
        await git.add({ ...repoOf(view.fs), filepath: name });
      };
    const { workspace, error } = await meet(add('é.txt'), add('d.txt'));
    expect(error).toBeUndefined();
    await using real = await exportTree(workspace.fs, dir);
    expect(await real.git('-c', 'core.quotePath=false', 'status', '--porcelain')).toBe(
      'A  d.txt\nA  é.txt\n',
    );
  });

  it('are refused where both changed one entry of the index, each otherwise', async () => {
    const stage =
      (text: string): Work =>
      async (view) => {
        const repo = repoOf(view.fs);
        const oid = await git.writeBlob({ ...repo, blob: new TextEncoder().encode(text) });
        await git.updateIndex({ ...repo, filepath: 'a.txt', oid, add: true });
      };
    const { error } = await meet(stage('one\n'), stage('two\n'));
    expect(SdkError.isInstance(error) && error.data).toEqual({ paths: ['/repo/.git/index'] });
  });

  it('are refused where one deletes the branch that the other commits on', async () => {
    const branch: Work = (view) => git.branch({ ...repoOf(view.fs), ref: 'other' });
    const drop: Work = (view) => git.deleteBranch({ ...repoOf(view.fs), ref: 'other' });
    const { error } = await meet(drop, (view) => commitOnBranch(view, 'other', 'x\n'), branch);
    expect(refsOf(error)).toEqual(['ECONFLICT', ['refs/heads/other']]);
  });

  it('see a branch that stands in packed-refs as the same branch', async () => {
    const pack: Work = async (view) => {
      const oid = await git.resolveRef({ ...repoOf(view.fs), ref: 'main' });
      const line = `# pack-refs with: peeled fully-peeled sorted \n${oid} refs/heads/other\n`;
      await view.fs.writeFile(`${dir}/.git/packed-refs`, line);
    };
    const drop: Work = (view) => git.deleteBranch({ ...repoOf(view.fs), ref: 'other' });
    const commit: Work = (view) => commitOnBranch(view, 'other', 'x\n');
    const commitElse: Work = (view) => commitOnBranch(view, 'other', 'y\n');
    for (const [first, second] of [
      [drop, commit],
      [commit, drop],
      [commit, commitElse],
    ] as const) {
      const { error } = await meet(first, second, pack);
      expect(refsOf(error)).toEqual(['ECONFLICT', ['refs/heads/other']]);
    }
  });

  it('merge packed-refs, shallow and logs line by line', async () => {
    const [one, two, three] = ['1', '2', '3'].map((digit) => digit.repeat(40));
    const packed = '# pack-refs with: peeled fully-peeled sorted \n';
    const put =
      (files: Readonly<Record<string, string>>): Work =>
      async (view) => {
        await view.fs.mkdir(`${dir}/.git/logs`, { recursive: true });
        for (const [name, text] of Object.entries(files))
          await view.fs.writeFile(`${dir}/.git/${name}`, text);
      };
    const { workspace, error } = await meet(
      put({
        'packed-refs': `${packed}${one} refs/tags/a\n${two} refs/tags/b\n^${three}\n`,
        shallow: `${one}\n${two}\n`,
        'logs/HEAD': 'old\nfirst\n',
      }),
      put({
        'packed-refs': `${packed}${one} refs/tags/c\n`,
        shallow: `${three}\n`,
        'logs/HEAD': 'old\nsecond\n',
      }),
      put({
        'packed-refs': `${packed}${one} refs/tags/a\n`,
        shallow: `${one}\n`,
        'logs/HEAD': 'old\n',
      }),
    );
    expect(error).toBeUndefined();
    const read = (name: string) => workspace.fs.readFile(`${dir}/.git/${name}`, 'utf8');
    expect(await read('packed-refs')).toBe(
      `${packed}${two} refs/tags/b\n^${three}\n${one} refs/tags/c\n`,
    );
    expect(await read('shallow')).toBe(`${two}\n${three}\n`);
    expect(await read('logs/HEAD')).toBe('old\nfirst\nsecond\n');
  });

  it('meet in the merge of a root, too: other branches join, the same one is refused', async () => {
    const workspace = await createMemoryWorkspace();
    await makeRepository(workspace, { 'a.txt': 'a\n', 'b.txt': 'b\n' });
    const author = { author: { kind: 'agent' } } as const;
    const commitIn = async (root: string, work: Work) => {
      const view = await workspace.openView({ root, minSeq: workspace.seq() }, openAccess('/'));
      const oid = await work(view);
      const changes = view.changeSet();
      if (changes) await workspace.commit(changes, { ...author, root });
      return oid;
    };
    const { id } = await workspace.roots.branch('try', author);
    const aside = await commitIn(id, async (view) => {
      await git.branch({ ...repoOf(view.fs), ref: 'other', checkout: true });
      return commitFile(view, 'b.txt', 'on other\n');
    });
    const main = await commitIn('main', (view) => commitFile(view, 'a.txt', 'on main\n'));
    await workspace.roots.merge(id, author);
    const repo = repoOf(workspace.fs);
    const refs = await Promise.all(
      ['main', 'other'].map((ref) => git.resolveRef({ ...repo, ref })),
    );
    expect(refs).toEqual([main, aside]);
    await using real = await exportTree(workspace.fs, dir);
    expect(await real.git('fsck', '--strict', '--no-dangling')).toBe('');
    expect(await real.git('status', '--porcelain')).toBe('M  a.txt\n');

    const { id: second } = await workspace.roots.branch('try', author);
    await commitIn(second, (view) => commitFile(view, 'c.txt', 'c\n'));
    await commitIn('main', (view) => commitFile(view, 'd.txt', 'd\n'));
    const error: unknown = await workspace.roots.merge(second, author).catch((thrown) => thrown);
    expect(refsOf(error)).toEqual(['ECONFLICT', ['refs/heads/other']]);
  });

  it('never lose an object: what others may need is not removed behind them', async () => {
    const { repo, results, error } = await meet(
      (view) => commitFile(view, 'a.txt', 'one\n'),
      async (view) => {
        const objects = `${dir}/.git/objects`;
        for (const { path } of await view.fs.walk(objects)) await view.fs.rm(path);
      },
    );
    expect(SdkError.isInstance(error) && error.code).toBe('ECONFLICT');
    expect((await git.readCommit({ ...repo, oid: results[0] as string })).commit.message).toBe(
      'write a.txt\n',
    );
  });

  it('keep the entries that git wrote: names, stages, modes and flags', async () => {
    const workspace = await createMemoryWorkspace();
    await makeRepository(workspace, { 'a.txt': 'a\n' });
    await using real = await exportTree(workspace.fs, dir);
    await real.git('update-index', '--assume-unchanged', 'a.txt');
    await real.git('update-index', '--add', '--cacheinfo', `120000,${'1'.repeat(40)},x/link`);
    await real.git('update-index', '--force-write-index', '--index-version', '4');
    const before = await real.git('ls-files', '--stage', '-v', '--debug');
    const bytes = await readFile(`${real.directory}/.git/index`);
    await writeFile(`${real.directory}/.git/index`, await writeIndex(readIndex(bytes)));
    expect(await real.git('ls-files', '--stage', '-v', '--debug')).toBe(before);
  });
});
