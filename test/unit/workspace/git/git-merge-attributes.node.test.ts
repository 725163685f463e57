// What `.gitattributes` says of merges, and how merges are named: as real git has it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createGit } from '../../../../src/workspace/git/commands/create-git.ts';
import { exportFiles, gitVersion, openDirectory } from '../../../support/git/git-export.ts';
import { gitText, openEmptyView, runGit } from '../../../support/git/real-git.ts';

const author = { name: 'A', email: 'a@example.com' };
const lines = (third: string, last: string) => `one\ntwo\n${third}\nfour\nfive\n${last}\n`;

/** Two sides that changed the same lines of `a` and others, and the same place of `deep/a`. */
async function openSides(attributes: string) {
  const view = await openEmptyView();
  const git = createGit(view, { author });
  const commit = async (message: string, first: string, last: string) => {
    view.fs.sync.mkdirSync('/deep', { recursive: true });
    view.fs.sync.writeFileSync('/a', lines(first, last));
    view.fs.sync.writeFileSync('/deep/a', lines(first, 'six'));
    await git.add('.');
    await git.commit({ message });
  };
  await git.init();
  view.fs.sync.writeFileSync('/.gitattributes', `${attributes}\n`);
  await commit('base', 'three', 'six');
  await git.switch('topic', { create: true });
  await commit('theirs', 'theirs', 'six');
  await git.tag.create('told', { message: 'What it says\n\nand more\n' });
  await git.switch('main');
  await commit('ours', 'ours', 'SIX');
  return { view, git };
}

/** Real git's merge, and what it leaves. */
function mergeByGit(directory: string, ...args: readonly string[]) {
  try {
    runGit(directory, ['merge', '--no-edit', ...args]);
  } catch (error) {
    if ((error as { status?: number }).status !== 1) throw error;
  }
}

function describeFiles(directory: string) {
  return {
    staged: gitText(directory, 'ls-files', '--stage'),
    files: ['a', 'deep/a'].map((path) => readFileSync(join(directory, path), 'utf8')),
    message: gitText(directory, 'log', '-1', '--format=%B'),
  };
}

describe.skipIf(gitVersion === undefined)('files that a person told git not to look at', () => {
  it('are in no status and no commit', async () => {
    const { view, git } = await openSides('');
    using real = openDirectory();
    exportFiles(view.fs.sync, real.path);
    runGit(real.path, ['update-index', '--assume-unchanged', 'a']);
    runGit(real.path, ['update-index', '--skip-worktree', 'deep/a']);
    writeFileSync(join(real.path, 'meant'), 'meant');
    runGit(real.path, ['add', '-N', 'meant']);
    view.fs.sync.writeFileSync('/.git/index', readFileSync(join(real.path, '.git/index')));
    for (const path of ['a', 'deep/a', 'meant']) view.fs.sync.writeFileSync(`/${path}`, 'my own');
    expect((await git.status()).files.map(({ path }) => path)).toEqual(['meant']);
    const files = async () => (await git.show('HEAD')).files.map(({ path }) => path);
    await git.commit({ message: 'nothing', allowEmpty: true });
    expect(await files()).toEqual([]);
    await git.add('.');
    await git.commit({ message: 'all', all: true });
    expect(await files()).toEqual(['meant']);
    view.fs.sync.rmSync('/a');
    expect((await git.status()).files).toEqual([]);
  });
});

describe.skipIf(gitVersion === undefined)('a merge', () => {
  it.each([
    '* merge=union',
    'deep/a merge=union',
    'a binary',
    '* -merge\ndeep/* !merge',
    '/a -merge',
    '* conflict-marker-size=12',
    'a conflict-marker-size=0 merge=text',
    'a merge=own',
    '!a -merge\n[attr]mine -merge\n# a -merge',
  ])('goes by the attributes %j', async (attributes) => {
    const { view, git } = await openSides(attributes);
    using real = openDirectory();
    using ours = openDirectory();
    exportFiles(view.fs.sync, real.path);
    mergeByGit(real.path, 'topic');
    await git.merge('topic');
    exportFiles(view.fs.sync, ours.path);
    expect(describeFiles(ours.path)).toEqual(describeFiles(real.path));
  });

  it('is named by what a tag says, and by HEAD where there is no branch', async () => {
    const { view, git } = await openSides('* merge=union');
    await git.switch('main', { detach: true });
    using real = openDirectory();
    using ours = openDirectory();
    exportFiles(view.fs.sync, real.path);
    mergeByGit(real.path, 'told');
    await git.merge('told');
    exportFiles(view.fs.sync, ours.path);
    expect(describeFiles(ours.path)).toEqual(describeFiles(real.path));
    expect(describeFiles(ours.path).message).toBe(
      "Merge tag 'told' into HEAD\n\nWhat it says\n\nand more",
    );
  });
});
