// What git's commands refuse, and that a command that is refused has changed nothing.
import { describe, expect, it } from 'vitest';
import type { PathAccess } from '../../../../src/core/access/path-access.ts';
import { SdkError } from '../../../../src/core/errors.ts';
import { createMemoryWorkspace } from '../../../../src/workspace/memory-workspace.ts';
import { createGit } from '../../../../src/workspace/git/commands/create-git.ts';
import { hashObject, toOid } from '../../../../src/workspace/git/objects/oid.ts';
import { serializeTree, treeModes } from '../../../../src/workspace/git/object-codec.ts';
import { runInRepository, type Repository } from '../../../../src/workspace/git/repository.ts';
import { agent } from '../../../support/files/roots.ts';
import { openAccess } from '../../../support/files/workspaces.ts';

const author = { name: 'A', email: 'a@example.org' };

/** A repository at `/r` with these files in one commit. */
async function openRepository(files: Readonly<Record<string, string>>) {
  const workspace = await createMemoryWorkspace();
  const open = async (changes: Partial<PathAccess> = {}) => {
    const address = { root: 'main', minSeq: workspace.seq() };
    const view = await workspace.openView(address, openAccess('/', { cwd: '/r', ...changes }));
    const git = createGit(view, { directory: '/r', author });
    const keep = async () => {
      const changeSet = view.changeSet();
      if (changeSet) await workspace.commit(changeSet, agent);
    };
    return { view, git, fs: view.fs.sync, keep };
  };
  const first = await open();
  for (const [path, text] of Object.entries(files)) {
    first.fs.mkdirSync(`/r/${path}`.replace(/\/[^/]*$/u, ''), { recursive: true });
    first.fs.writeFileSync(`/r/${path}`, text);
  }
  await first.git.init();
  await first.git.add('.');
  await first.git.commit({ message: 'First' });
  await first.keep();
  return { open, ...(await open()) };
}

/** The error, and that the files are as before it. */
async function refusalOf(
  view: { readonly files: { readonly scope: { readonly draft: { readonly root: unknown } } } },
  command: () => Promise<unknown>,
): Promise<SdkError> {
  const before = view.files.scope.draft.root;
  const error = await command().catch((thrown: unknown) => thrown);
  if (!SdkError.isInstance(error)) throw new TypeError(`No refusal: ${String(error)}`);
  expect(view.files.scope.draft.root).toBe(before);
  return error;
}

/** A branch `evil` whose commit holds one file of this name. */
async function makeEvil(
  view: Parameters<typeof runInRepository>[0],
  names: readonly string[],
  mode: number = treeModes.file,
  text = 'evil',
): Promise<void> {
  await runInRepository(view, { directory: '/r' }, {}, async (repository: Repository) => {
    const { objects, files } = repository;
    const oid = objects.write('blob', new TextEncoder().encode(text));
    let entries = names.map((name) => ({ name, mode, oid }));
    if (names.length === 1) {
      for (const part of names[0]?.split('/').slice(0, -1).reverse() ?? []) {
        const last = entries[0]?.name.split('/').at(-1) ?? '';
        const tree = objects.write('tree', serializeTree([{ ...entries[0]!, name: last }]));
        entries = [{ name: part, mode: treeModes.directory, oid: tree }];
      }
    }
    const tree = objects.write('tree', serializeTree(entries));
    const who = 'A <a@example.org> 1700000000 +0000';
    const commit = `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nEvil\n`;
    const evil = objects.write('commit', new TextEncoder().encode(commit));
    files.sync.writeFileSync('/r/.git/refs/heads/evil', `${evil}\n`);
  });
}

describe('a checkout', () => {
  it.each([
    '.git',
    '.GIT/config',
    'a/.git/config',
    'git~1',
    '.git ',
    '.git. .',
    '.git::$INDEX_ALLOCATION',
    '.g\u200cit',
    '..',
    'a/../b',
    'a\\b',
    'bell\u0007',
    'line\nfeed',
  ])('refuses the name %j, and writes nothing', async (name) => {
    const { view, git } = await openRepository({ a1: 'text' });
    await makeEvil(view, [name]);
    const error = await refusalOf(view, () => git.switch('evil'));
    expect(error.code).toBe('permission-denied');
    expect(error.message).toContain('is not written');
  });

  it('refuses names that differ by case alone', async () => {
    const { view, git } = await openRepository({ a1: 'text' });
    await makeEvil(view, ['Read.me', 'read.ME']);
    const error = await refusalOf(view, () => git.switch('evil'));
    expect(error.data).toEqual({ paths: ['Read.me', 'read.ME'] });
  });

  it('never writes through a link that leads out', async () => {
    const { view, git, fs } = await openRepository({ a1: 'text' });
    fs.mkdirSync('/outside');
    fs.symlinkSync('/outside', '/r/dir');
    await makeEvil(view, ['dir/file']);
    expect((await refusalOf(view, () => git.switch('evil'))).code).toBe('bad-usage');
    await git.switch('evil', { discardChanges: true });
    expect(fs.readdirSync('/outside')).toEqual([]);
    expect(fs.readFileSync('/r/dir/file', 'utf8')).toBe('evil');
  });

  it('writes a link that leads out as a link, and the gate judges what it leads to', async () => {
    const { view, git, open, keep } = await openRepository({ a1: 'text' });
    view.fs.sync.writeFileSync('/secret', 'secret');
    await makeEvil(view, ['link'], treeModes.symlink, '../secret');
    await git.switch('evil');
    await keep();
    const { fs } = await open({ roots: ['/r'] });
    expect(fs.readlinkSync('/r/link')).toBe('../secret');
    expect(() => fs.readFileSync('/r/link')).toThrow('EACCES');
  });

  it('overwrites nothing that is not committed, untracked files included', async () => {
    const { view, git, fs } = await openRepository({ a: 'one', b: 'one' });
    await git.switch('other', { create: true });
    fs.writeFileSync('/r/a', 'two');
    fs.writeFileSync('/r/new', 'two');
    await git.add('.');
    await git.commit({ message: 'Second' });
    await git.switch('main');
    fs.writeFileSync('/r/a', 'mine');
    fs.writeFileSync('/r/new', 'mine');
    const error = await refusalOf(view, () => git.switch('other'));
    expect(error.data).toEqual({ paths: ['a', 'new'] });
    fs.writeFileSync('/r/a', 'one');
    fs.writeFileSync('/r/new', 'two');
    fs.writeFileSync('/r/b', 'kept');
    await git.switch('other');
    expect((await git.status()).files).toEqual([{ path: 'b', index: ' ', worktree: 'M' }]);
  });
});

describe('a file that a rule denies', () => {
  const rules = [{ effect: 'deny', operation: 'read', glob: '/r/**/.env' }] as const;

  it('is in no status, diff, show or commit, and no command removes or changes it', async () => {
    const { open, fs, keep } = await openRepository({ '.env': 'secret', a: 'one' });
    fs.writeFileSync('/r/.env', 'changed');
    await keep();
    const denied = await open({ rules });
    denied.fs.writeFileSync('/r/a', 'two');
    expect((await denied.git.status()).files).toEqual([{ path: 'a', index: ' ', worktree: 'M' }]);
    await denied.git.add('.');
    await denied.git.commit({ message: 'All', all: true });
    expect((await denied.git.show()).files.map(({ path }) => path)).toEqual(['a']);
    expect((await denied.git.show('HEAD~1')).files.map(({ path }) => path)).toEqual(['a']);
    await expect(denied.git.readFile('HEAD', '.env')).rejects.toThrow('has no file');
    await denied.git.reset({ mode: 'hard', to: 'HEAD~1' });
    await denied.keep();
    const all = await open();
    expect(all.fs.readFileSync('/r/.env', 'utf8')).toBe('changed');
    expect((await all.git.status()).files).toEqual([{ path: '.env', index: ' ', worktree: 'M' }]);
  });
});

describe('a merge with files that moved', () => {
  const text = Array.from({ length: 9 }, (_, line) => `line ${line}\n`).join('');

  it('brings a stash to where its file went', async () => {
    const { git, fs } = await openRepository({ old: text });
    fs.writeFileSync('/r/old', text.replace('line 4', 'put aside'));
    await git.stash.push();
    fs.renameSync('/r/old', '/r/new');
    await git.add('.');
    expect((await git.status()).files).toEqual([
      { path: 'new', renamedFrom: 'old', index: 'R', worktree: ' ' },
    ]);
    await git.commit({ message: 'Move' });
    expect((await git.stash.pop()).type).toBe('merged');
    expect(fs.readFileSync('/r/new', 'utf8')).toContain('put aside');
    expect((await git.status()).files).toEqual([{ path: 'new', index: ' ', worktree: 'M' }]);
  });

  it.each([
    ['from where a rule hides it', 'secret/a', 'open/a'],
    ['to where a rule hides it', 'open/a', 'secret/a'],
  ])('follows no file %s', async (_, from, to) => {
    const { open, git, fs, keep } = await openRepository({ [from]: text, 'open/b': 'b' });
    await git.switch('topic', { create: true });
    fs.writeFileSync(`/r/${from}`, text.replace('line 4', 'told'));
    await git.commit({ message: 'Tell', all: true });
    await git.switch('main');
    fs.mkdirSync(`/r/${to}`.slice(0, -2), { recursive: true });
    fs.renameSync(`/r/${from}`, `/r/${to}`);
    await git.add('.');
    await git.commit({ message: 'Move' });
    await keep();
    const rules = [{ effect: 'deny', operation: 'read', glob: '/r/secret/**' }] as const;
    const denied = await open({ rules });
    expect(await denied.git.merge('topic')).toEqual({ type: 'conflict', paths: [from] });
    const all = await open();
    expect(all.fs.readFileSync(`/r/${to}`, 'utf8')).toBe(text);
    expect(await all.git.merge('topic')).toMatchObject({ type: 'merged' });
    expect(all.fs.readFileSync(`/r/${to}`, 'utf8')).toContain('told');
  });

  it('moves no file that a rule hides out of the way of a directory', async () => {
    const { open, git, fs, keep } = await openRepository({ a: 'a' });
    await git.switch('topic', { create: true });
    fs.mkdirSync('/r/key');
    fs.writeFileSync('/r/key/x', 'x');
    await git.add('.');
    await git.commit({ message: 'Directory' });
    await git.switch('main');
    fs.writeFileSync('/r/key', 'secret');
    await git.add('.');
    await git.commit({ message: 'File' });
    await keep();
    const rules = [{ effect: 'deny', operation: 'read', glob: '/r/key' }] as const;
    const denied = await open({ rules });
    const error = await refusalOf(denied.view, () => denied.git.merge('topic'));
    expect(error.message).not.toContain('key');
    expect(await git.merge('topic')).toEqual({ type: 'conflict', paths: ['key~HEAD'] });
    expect(fs.readFileSync('/r/key~HEAD', 'utf8')).toBe('secret');
  });
});

describe('a directory that a rule keeps from a view', () => {
  const rules = [{ effect: 'deny', operation: 'read', glob: '/r/secret/**' }] as const;

  it('is not had by the id of its tree, which tells no path', async () => {
    const { open, keep } = await openRepository({ 'secret/key': 'secret', a: 'one' });
    await keep();
    const blob = hashObject('blob', new TextEncoder().encode('secret'));
    const entry = new TextEncoder().encode('100644 key\0');
    const tree = toOid(hashObject('tree', new Uint8Array([...entry, ...blob])));
    const all = await open();
    expect(await all.git.readFile(tree, 'key')).toEqual(new TextEncoder().encode('secret'));
    const { git } = await open({ rules });
    for (const way of [
      () => git.readFile(tree, 'key'),
      () => git.diff({ from: tree, to: 'HEAD' }),
      () => git.restore('.', { source: tree }),
    ]) {
      await expect(way()).rejects.toMatchObject({ code: 'permission-denied' });
    }
  });
});

describe('a .git file', () => {
  it('opens nothing that is in no .git directory', async () => {
    const { view, fs } = await openRepository({ a: 'one' });
    fs.mkdirSync('/x/fake', { recursive: true });
    fs.writeFileSync('/x/fake/HEAD', 'ref: refs/heads/main\n');
    fs.writeFileSync('/x/.git', 'gitdir: fake\n');
    const git = createGit(view, { directory: '/x' });
    expect((await refusalOf(view, () => git.status())).code).toBe('permission-denied');
  });
});

describe('what there is not', () => {
  it('is said: hooks, filters, repositories inside', async () => {
    const { view, git, fs } = await openRepository({ a: 'one' });
    fs.mkdirSync('/r/.git/hooks');
    fs.writeFileSync('/r/.git/hooks/pre-commit', '#!/bin/sh\n', { mode: 0o755 });
    fs.writeFileSync('/r/a', 'two');
    const hook = await refusalOf(view, () => git.commit({ message: 'x', all: true }));
    expect(hook.message).toContain('noVerify');
    await git.commit({ message: 'x', all: true, noVerify: true });
    fs.writeFileSync('/r/.gitattributes', '*.png filter=lfs diff=lfs\n');
    fs.mkdirSync('/r/inner/.git', { recursive: true });
    fs.writeFileSync('/r/image.png', 'pixels');
    const filter = await refusalOf(view, () => git.add('.'));
    expect(filter.data).toEqual({ paths: ['image.png'] });
    const inner = await refusalOf(view, () => git.add('inner'));
    expect(inner.code).toBe('unsupported-environment');
    fs.writeFileSync('/r/image.png', 'version https://git-lfs.github.com/spec/v1\n');
    await git.add('.');
  });
});

describe('a command', () => {
  it('that is cancelled has changed nothing', async () => {
    const { view, git, fs } = await openRepository({ a: 'one' });
    fs.writeFileSync('/r/a', 'two');
    const cancel = new AbortController();
    const error = await refusalOf(view, () => {
      const running = git.commit({ message: 'x', all: true, signal: cancel.signal });
      cancel.abort();
      return running;
    });
    expect(error.code).toBe('aborted');
  });

  it('runs alone: those that are begun together come one after the other', async () => {
    const { git, fs } = await openRepository({ a: 'one' });
    fs.writeFileSync('/r/b', 'b');
    fs.writeFileSync('/r/c', 'c');
    await Promise.all([git.add('b'), git.add('c'), git.commit({ message: 'Both' })]);
    expect((await git.show()).files.map(({ path }) => path)).toEqual(['b', 'c']);
  });

  it('says which names and arguments can be', async () => {
    const { view, git } = await openRepository({ a: 'one' });
    const messageOf = async (command: () => Promise<unknown>) =>
      (await refusalOf(view, command)).message;
    expect(await messageOf(() => git.branch.create('a..b'))).toContain("can't be the name");
    expect(await messageOf(() => git.tag.create('../../x'))).toContain("can't be the name");
    expect(await messageOf(() => git.add('nowhere'))).toContain('There is no file nowhere');
    expect(await messageOf(() => git.log({ ref: '../config' }))).toContain('names no commit');
    expect(await messageOf(() => git.commit({ message: 'x' }))).toContain('Nothing is staged');
    expect(await messageOf(() => git.add('/elsewhere'))).toContain('outside the work tree');
  });

  it('takes one of its words, and names them for any other', async () => {
    const { view, git } = await openRepository({ a: 'one' });
    const refusal = async (command: () => Promise<unknown>) => {
      const { code, message } = await refusalOf(view, command);
      return [code, message];
    };
    const modes = "mode of git.reset is 'soft', 'mixed' or 'hard', not";
    expect(await refusal(() => git.reset({ mode: 'keep' as never }))).toEqual([
      'invalid-input',
      `${modes} 'keep'.`,
    ]);
    expect(await refusal(() => git.reset({ to: 'HEAD', mode: 'hrad' as never }))).toEqual([
      'invalid-input',
      `${modes} 'hrad'.`,
    ]);
    const forward = "is 'allow', 'only' or 'never', not";
    expect(await refusal(() => git.merge('main', { fastForward: false as never }))).toEqual([
      'invalid-input',
      `fastForward of git.merge ${forward} boolean.`,
    ]);
    expect(await refusal(() => git.pull({ fastForward: 'no' as never }))).toEqual([
      'invalid-input',
      `fastForward of git.pull ${forward} 'no'.`,
    ]);
  });

  it('takes one path as well as a list of them', async () => {
    const { git, fs } = await openRepository({ a: 'one', b: 'one' });
    fs.writeFileSync('/r/a', 'two');
    fs.writeFileSync('/r/b', 'two');
    await git.add('a');
    await git.commit({ message: 'Second' });
    expect((await git.diff({ paths: 'b' })).map(({ path }) => path)).toEqual(['b']);
    const log = await git.log({ paths: 'b' });
    expect(log).toEqual(await git.log({ paths: ['b'] }));
    expect(log.map(({ message }) => message)).toEqual(['First\n']);
  });
});
