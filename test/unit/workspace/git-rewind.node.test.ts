// Rewinds of a workspace in which the agent and a person have both worked in one git repository. Real git says
// whether what is left is sound.
import { describe, expect, it } from 'vitest';
import type { WorkspaceView } from '../../../src/workspace/draft/view.ts';
import { createGit } from '../../../src/workspace/git/commands/create-git.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import { exportTree } from '../../support/git/exported-tree.ts';
import {
  commitFile,
  commitView,
  dir,
  makeRepository,
  openGitView,
} from '../../support/git/git-actors.ts';
import { user } from '../../support/files/roots.ts';

const author = { name: 'A', email: 'a@example.org' };

/** A repository with one commit, and a checkpoint of it. */
async function openCheckpoint() {
  const workspace = await createMemoryWorkspace();
  await makeRepository(workspace, { 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const { id } = await workspace.roots.checkpoint('before the prompt', user);
  const work = async (kind: 'agent' | 'user', edit: (view: WorkspaceView) => Promise<unknown>) => {
    const view = await openGitView(workspace);
    await edit(view);
    await commitView(workspace, view, kind);
  };
  const commit = (kind: 'agent' | 'user', name: string) =>
    work(kind, (view) => commitFile(view, name, `by ${kind}\n`));
  const rewind = (keep?: 'user') => workspace.roots.rewind(id, { ...user, ...(keep && { keep }) });
  /** What real git says. */
  const ask = async () => {
    await using real = await exportTree(workspace.fs, dir);
    const lines = (text: string) => text.split('\n').filter((line) => line !== '');
    return {
      fsck: await real.git('fsck', '--strict', '--no-dangling'),
      log: lines(await real.git('log', '--all', '--format=%s')),
      status: lines(await real.git('status', '--porcelain')),
    };
  };
  return { workspace, id, work, commit, rewind, ask };
}

describe("a rewind that keeps the user's edits", () => {
  it("leaves a repository whole where a person has committed on the agent's commit", async () => {
    const { workspace, id, commit, rewind, ask } = await openCheckpoint();
    await commit('agent', 'a.txt');
    await commit('user', 'person.txt');
    const before = await ask();
    const seen = await workspace.roots.diff(id, { keep: 'user' });
    expect(seen.map(({ path }) => path)).toEqual(['/repo/a.txt']);
    const { undo, kept } = await rewind('user');
    expect(await ask()).toEqual({
      fsck: '',
      log: ['write person.txt', 'write a.txt', 'first'],
      status: [' M a.txt'],
    });
    const all = await workspace.roots.diff(id, { against: 'main' });
    expect(kept.filter((path) => !path.includes('/objects/'))).toEqual([
      '/repo/.git/index',
      '/repo/.git/refs/heads/main',
      '/repo/person.txt',
    ]);
    expect(kept).toEqual(all.map(({ path }) => path).sort());
    await workspace.roots.rewind(undo, user);
    expect(await ask()).toEqual(before);
  });

  it('keeps refs, index and objects together, whichever of them the person changed', async () => {
    const { work, commit, rewind, ask } = await openCheckpoint();
    await commit('agent', 'a.txt');
    await work('user', async (view) => {
      await view.fs.writeFile(`${dir}/person.txt`, 'mine\n');
      await createGit(view, { directory: dir, author }).add('person.txt');
    });
    await rewind('user');
    expect(await ask()).toEqual({
      fsck: '',
      log: ['write a.txt', 'first'],
      status: [' M a.txt', 'A  person.txt'],
    });
  });

  it("takes the agent's commits back where the person only edited files", async () => {
    const { workspace, commit, rewind, ask } = await openCheckpoint();
    await commit('agent', 'a.txt');
    await workspace.fs.writeFile(`${dir}/b.txt`, 'mine\n');
    const { kept } = await rewind('user');
    expect(kept).toEqual(['/repo/b.txt']);
    expect(await ask()).toEqual({ fsck: '', log: ['first'], status: [' M b.txt'] });
  });

  it('keeps one repository and takes another back', async () => {
    const { workspace, work, commit, rewind } = await openCheckpoint();
    await work('agent', (view) => createGit(view, { directory: '/other', author }).init());
    await commit('user', 'b.txt');
    await rewind('user');
    expect(await workspace.fs.readdir('/')).toEqual(['repo']);
  });

  it('leaves a repository away that the person removed', async () => {
    const { workspace, commit, rewind } = await openCheckpoint();
    await commit('agent', 'a.txt');
    await workspace.fs.rm(`${dir}/.git`, { recursive: true });
    await rewind('user');
    expect(await workspace.fs.readdir(dir)).toEqual(['a.txt', 'b.txt']);
    expect(await workspace.fs.readFile(`${dir}/a.txt`, 'utf8')).toBe('a\n');
  });
});

describe('a plain rewind', () => {
  it('takes the whole repository back, and an undo brings it again, both sound', async () => {
    const { workspace, commit, rewind, ask } = await openCheckpoint();
    await commit('agent', 'a.txt');
    await commit('user', 'person.txt');
    const before = await ask();
    const { undo } = await rewind();
    expect(await ask()).toEqual({ fsck: '', log: ['first'], status: [] });
    await workspace.roots.rewind(undo, user);
    expect(await ask()).toEqual(before);
  });
});
