// A person's own git: each command is a call in a worker, committed whole. Here with the inline executor.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { afterEach, describe, expect, it } from 'vitest';
import type { Host } from '../../../src/agent/host.ts';
import { gitCommands } from '../../../src/core/git/git-commands.ts';
import { createHostGit } from '../../../src/hosts/host-git.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createGit } from '../../../src/workspace/git/commands/create-git.ts';
import { exportTree } from '../../support/git/exported-tree.ts';
import { openGitView } from '../../support/git/git-actors.ts';
import type { ViewSource } from '../../../src/workspace/draft/view.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host[Symbol.asyncDispose]();
});

const author = { name: 'A', email: 'a@example.org' };

async function openHost() {
  const host = await createInlineHost({ loadWasm: loadQuickjsWasm });
  hosts.push(host);
  const { workspace, executor, cwd } = host;
  return { host, fs: workspace.fs, git: createHostGit({ executor, workspace, cwd }) };
}

describe("a host's git", () => {
  it('commits each command whole, in the person’s name, in the order of the calls', async () => {
    const { host, fs, git } = await openHost();
    const authors: string[] = [];
    await fs.writeFile(`${host.cwd}/a.txt`, 'a\n');
    using _ = host.workspace.onChange((event) => void authors.push(event.author.kind));
    // Not awaited one by one.
    const done = [git.init(), git.add('.'), git.commit({ message: 'first', author })] as const;
    const [, , commit] = await Promise.all(done);
    expect(commit).toMatchObject({ branch: 'main', files: 1 });
    expect(authors).toEqual(['user', 'user', 'user']);
    expect((await git.status()).files).toEqual([]);
    await git.branch.create('other');
    expect((await git.branch.list()).map(({ name }) => name)).toEqual(['main', 'other']);
    expect(new TextDecoder().decode(await git.readFile('HEAD', 'a.txt'))).toBe('a\n');
    await using real = await exportTree(fs, host.cwd);
    expect(await real.git('fsck', '--strict')).toBe('');
    expect(await real.git('status', '--porcelain', '--branch')).toBe('## main\n');
  });

  it('works on the repository of another directory, in turn with its own', async () => {
    const { host, fs, git } = await openHost();
    await fs.mkdir(`${host.cwd}/app`);
    await fs.writeFile(`${host.cwd}/app/a.txt`, 'a\n');
    await expect(git.at('app').status()).rejects.toThrow(`${host.cwd}/app is in no git repository`);
    const app = git.at('app');
    // Not awaited one by one: both objects share one queue.
    const [, , made] = await Promise.all([
      app.init(),
      git.at(`${host.cwd}/app`).add('.'),
      app.commit({ message: 'first', author }),
    ]);
    expect(made).toMatchObject({ branch: 'main', files: 1 });
    expect((await app.log()).map(({ message }) => message)).toEqual(['first\n']);
    await app.worktree.add('../look', { from: 'main', detach: true });
    expect((await git.at('look').status()).branch).toBe(null);
    await expect(git.status()).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('rejects with what git says, and leaves the files as they were', async () => {
    const { host, git } = await openHost();
    await expect(git.status()).rejects.toMatchObject({ code: 'ENOENT' });
    await git.init();
    const before = await host.workspace.treeHash();
    await expect(git.switch('nowhere')).rejects.toThrow('nowhere');
    await expect(git.add('none')).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(git.commit()).rejects.toMatchObject({ code: 'bad-usage' });
    expect(await host.workspace.treeHash()).toBe(before);
  });

  it.each(['merge', 'cherryPick', 'revert'] as const)(
    'takes what a %s has written for the message of its commit',
    async (command) => {
      const { host, fs, git } = await openHost();
      const write = async (text: string, message: string) => {
        await fs.writeFile(`${host.cwd}/a.txt`, text);
        await git.add('.');
        return git.commit({ message, author });
      };
      await git.init();
      await write('one\n', 'First');
      await git.switch('topic', { create: true });
      const { oid } = await write('two\n', 'Second');
      if (command !== 'revert') await git.switch('main');
      await write('three\n', 'Third');
      const { type } = command === 'revert' ? await git.revert(oid) : await git[command]('topic');
      expect(type).toBe('conflict');
      await fs.writeFile(`${host.cwd}/a.txt`, 'four\n');
      await git.add('.');
      const message = {
        merge: "Merge branch 'topic'\n",
        cherryPick: 'Second\n',
        revert: `Revert "Second"\n\nThis reverts commit ${oid}.\n`,
      }[command];
      expect(await git.commit({ author })).toMatchObject({ files: 1, message });
      const [made] = await git.log({ maxCount: 1 });
      expect(made).toMatchObject({ message });
      expect((await git.status()).operation).toBe(null);
      await expect(git.commit({ author })).rejects.toThrow('A commit needs a message');
    },
  );

  it('ends at once when it is stopped', async () => {
    const { git } = await openHost();
    await git.init();
    const stop = new AbortController();
    const status = git.status({ signal: stop.signal });
    stop.abort();
    await expect(status).rejects.toMatchObject({ code: 'aborted' });
    expect((await git.status()).files).toEqual([]);
  });

  it('takes a path as a text, and of words those that there are', async () => {
    const { host, fs, git } = await openHost();
    await fs.writeFile(`${host.cwd}/a.txt`, 'one\n');
    await git.init();
    await git.add('.');
    await git.commit({ message: 'First', author });
    expect(await git.log({ paths: 'a.txt' })).toHaveLength(1);
    const kept = git.reset({ mode: 'keep' as never });
    await expect(kept).rejects.toThrow("'soft', 'mixed' or 'hard', not 'keep'");
    const merged = git.merge('main', { fastForward: false as never });
    await expect(merged).rejects.toThrow("'allow', 'only' or 'never', not boolean");
  });

  it('has each command of git, as the table has it', async () => {
    const workspace = await createMemoryWorkspace();
    const view = await openGitView(workspace satisfies ViewSource);
    const names = (git: object, before = ''): string[] =>
      Object.entries(git).flatMap(([name, value]) =>
        typeof value === 'function' ? [before + name] : names(value as object, `${name}.`),
      );
    expect(names(createGit(view)).toSorted()).toEqual([...gitCommands.keys()].toSorted());
    const { git } = await openHost();
    const { at, ...commands } = git;
    for (const each of [commands, at('app')])
      expect(names(each).toSorted()).toEqual([...gitCommands.keys()].toSorted());
  });
});
