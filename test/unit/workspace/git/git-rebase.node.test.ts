// `git rebase` beside real git: the same commits, files, index and marks, and each goes on with what the other began.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LocalGit } from '../../../../src/workspace/git/git.ts';
import { createGit } from '../../../../src/workspace/git/commands/create-git.ts';
import { copyOut, GitBench, tryGit } from '../../../support/git/git-bench.ts';
import { gitVersion } from '../../../support/git/git-export.ts';
import { bringIn, gitText, openEmptyView, runGit } from '../../../support/git/real-git.ts';

const trees = Number(process.env['REBASES'] ?? 12);

/** What a rebase has come to: whose commits, in which order, with which trees and messages. */
const inReal = (directory: string) =>
  gitText(directory, 'log', '--format=%T %an %at %P%n%B%x00', 'HEAD').replace(
    / [0-9a-f ]*$/gmu,
    '',
  );

const filesOf = (directory: string) => gitText(directory, 'ls-files', '--stage');

/** Ours, seen by real git in a copy. */
function see(bench: GitBench) {
  using copy = copyOut(bench);
  const { path } = copy;
  runGit(path, ['fsck', '--strict', '--no-dangling']);
  return {
    log: inReal(path),
    index: filesOf(path),
    status: gitText(path, 'status', '--porcelain', '--branch'),
  };
}

function seeReal(path: string) {
  return {
    log: inReal(path),
    index: filesOf(path),
    status: gitText(path, 'status', '--porcelain', '--branch'),
  };
}

/** main has one more commit, topic two, of which the first conflicts. HEAD is on topic. */
async function openConflict(): Promise<GitBench> {
  const bench = await GitBench.open({ f: '1\n', g: '1\n' });
  await bench.git.switch('topic', { create: true });
  await bench.commit({ f: 'topic\n' }, "It's one\n\nTold so.\n");
  await bench.commit({ g: 'topic\n' }, 'Two');
  await bench.git.switch('main');
  await bench.commit({ f: 'main\n' }, 'Main');
  await bench.git.switch('topic');
  return bench;
}

describe.skipIf(gitVersion === undefined)('a rebase', () => {
  it('puts a branch’s own commits on top, without those that are there by another name', async () => {
    const bench = await GitBench.open({ f: '1\n2\n3\n', g: '1\n' });
    await bench.git.switch('topic', { create: true });
    await bench.commit({ g: 'topic\n' }, 'Both have it');
    await bench.commit({ h: 'topic\n' }, 'Own');
    await bench.git.switch('main');
    await bench.commit({ f: '0\n1\n2\n3\n' }, 'Main');
    await bench.commit({ g: 'topic\n' }, 'The same, in other words');
    await bench.git.switch('topic');
    using real = copyOut(bench);
    runGit(real.path, ['rebase', 'main']);
    const result = await bench.git.rebase('main');
    expect(result.type).toBe('rebased');
    expect(see(bench)).toEqual(seeReal(real.path));
    expect(bench.text('h')).toBe('topic\n');
    expect((await bench.git.log({ maxCount: 2 })).map(({ message }) => message)).toEqual([
      'Own\n',
      'The same, in other words\n',
    ]);
    expect(await bench.git.rebase('main')).toEqual({ type: 'up-to-date' });
    const log = bench
      .text('.git/logs/HEAD')
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t')[1]);
    expect(log.slice(-3)).toEqual([
      'rebase (start): checkout main',
      'rebase (pick): Own',
      'rebase (finish): returning to refs/heads/topic',
    ]);
  });

  it('moves a branch forward that has no commits of its own, and another one elsewhere', async () => {
    const bench = await GitBench.open({ f: '1\n' });
    await bench.git.branch.create('behind');
    await bench.commit({ f: '2\n' }, 'Main');
    await bench.commitBeside({ g: 'a\n' }, 'A', 'a');
    await bench.git.switch('a');
    await bench.commit({ h: 'b\n' }, 'B');
    await bench.git.switch('behind');
    const main = (await bench.git.show('main')).oid;
    expect(await bench.git.rebase('main')).toEqual({ type: 'fast-forward', oid: main });
    await bench.git.switch('a');
    using real = copyOut(bench);
    runGit(real.path, ['rebase', '--onto', 'main~1', 'a~1']);
    expect((await bench.git.rebase('a~1', { onto: 'main~1' })).type).toBe('rebased');
    expect(see(bench)).toEqual(seeReal(real.path));
    expect([bench.fs.existsSync('/g'), bench.text('h')]).toEqual([false, 'b\n']);
  });

  it('stops at a conflict as git does, and goes on, is skipped or aborted', async () => {
    for (const way of ['continue', 'commit', 'skip', 'abort'] as const) {
      const bench = await openConflict();
      const before = see(bench);
      using real = copyOut(bench);
      expect(tryGit(real.path, 'rebase', 'main')).toBe(false);
      const commit = (await bench.git.show('topic~1')).oid;
      expect(await bench.git.rebase('main')).toEqual({
        ...{ type: 'conflict', paths: ['f'], commit, remaining: 1 },
      });
      expect(bench.text('f')).toBe(readFileSync(join(real.path, 'f'), 'utf8'));
      for (const name of ['MERGE_MSG', 'REBASE_HEAD', 'ORIG_HEAD', 'HEAD']) {
        const theirs = readFileSync(join(real.path, '.git', name), 'utf8');
        expect(bench.text(`.git/${name}`), name).toBe(theirs);
      }
      expect(see(bench)).toEqual(seeReal(real.path));
      expect(await bench.git.status()).toMatchObject({ branch: null, operation: 'rebase' });
      const refused = { code: 'bad-usage', message: expect.stringContaining('git.continue()') };
      await expect(bench.git.merge('main')).rejects.toMatchObject(refused);
      await expect(bench.git.switch('main', { discardChanges: true })).rejects.toMatchObject(
        refused,
      );
      await expect(bench.git.branch.delete('topic', { force: true })).rejects.toThrow(
        'checked out',
      );
      if (way === 'skip' || way === 'abort') {
        runGit(real.path, ['rebase', `--${way}`]);
        if (way === 'skip') await bench.git.continue({ skip: true });
        else await bench.git.abort();
      } else {
        await expect(bench.git.continue()).rejects.toMatchObject({ data: { paths: ['f'] } });
        bench.write({ f: 'both\n' });
        await bench.git.add('f');
        writeFileSync(join(real.path, 'f'), 'both\n');
        runGit(real.path, ['add', 'f']);
        runGit(real.path, ['-c', 'core.editor=true', 'rebase', '--continue']);
        if (way === 'commit') await bench.git.commit();
        expect((await bench.git.continue()).type).toBe('rebased');
      }
      expect(see(bench), way).toEqual(seeReal(real.path));
      if (way === 'abort') expect(see(bench)).toEqual(before);
      expect(bench.fs.existsSync('/.git/rebase-merge')).toBe(false);
      expect(await bench.git.status()).toMatchObject({ branch: 'topic', operation: null });
    }
  });

  it('goes on where real git stopped, and real git where ours did', async () => {
    const bench = await openConflict();
    using ours = copyOut(bench);
    expect(tryGit(ours.path, 'rebase', 'main')).toBe(false);
    const view = await openEmptyView();
    bringIn(view.fs.sync, ours.path, '/');
    const git: LocalGit = createGit(view, { author: { name: 'A', email: 'a@example.com' } });
    view.fs.sync.writeFileSync('/f', 'both\n');
    await git.add('f');
    expect((await git.continue()).type).toBe('rebased');

    await bench.git.rebase('main');
    using theirs = copyOut(bench);
    writeFileSync(join(theirs.path, 'f'), 'both\n');
    runGit(theirs.path, ['add', 'f']);
    runGit(theirs.path, ['-c', 'core.editor=true', 'rebase', '--continue']);
    const messages = gitText(theirs.path, 'log', '--format=%s', 'topic');
    expect(messages).toBe("Two\nIt's one\nMain\nBase");
    expect((await git.log()).map(({ message }) => message.split('\n')[0]).join('\n')).toBe(
      messages,
    );
  });

  it('refuses what it can’t do, and changes nothing', async () => {
    const bench = await openConflict();
    await expect(bench.git.continue()).rejects.toThrow('No rebase is going on');
    await expect(bench.git.rebase('nowhere')).rejects.toMatchObject({ code: 'invalid-input' });
    bench.write({ '.git/hooks/pre-rebase': 'exit 1' });
    await expect(bench.git.rebase('main')).rejects.toMatchObject({
      code: 'unsupported-environment',
    });
    bench.write({ g: 'not committed\n' });
    await expect(bench.git.rebase('main', { noVerify: true })).rejects.toMatchObject({
      data: { paths: ['g'] },
    });
    await bench.git.restore('g');
    await expect(
      bench.git.rebase('main~1', { onto: 'main', noVerify: true }),
    ).resolves.toMatchObject({ type: 'conflict' });
    bench.write({ g: 'not committed\n' });
    const todo = bench.text('.git/rebase-merge/git-rebase-todo');
    bench.write({ f: 'both\n', '.git/rebase-merge/git-rebase-todo': `exec rm -rf /\n${todo}` });
    await bench.git.add('f');
    await expect(bench.git.continue()).rejects.toMatchObject({
      code: 'unsupported-environment',
      message: expect.stringContaining("a command that isn't known here: exec"),
    });
    bench.write({ '.git/rebase-merge/git-rebase-todo': todo });
    // The next commit would overwrite it: the whole command is taken back, with the commit that it made.
    await expect(bench.git.continue()).rejects.toMatchObject({ data: { paths: ['g'] } });
    expect(await bench.git.status()).toMatchObject({ operation: 'rebase' });
    expect(bench.text('g')).toBe('not committed\n');
    await expect(bench.git.branch.rename('topic', 'other')).rejects.toThrow('git.continue()');
    // What can't be gone on with here can be given up.
    await bench.git.restore('g');
    bench.write({ '.git/rebase-merge/git-rebase-todo': `exec true\n${todo}` });
    await bench.git.abort();
    expect(await bench.git.status()).toMatchObject({ branch: 'topic', operation: null, files: [] });
  });

  it('keeps what real git has put aside before it', async () => {
    const bench = await openConflict();
    using real = copyOut(bench);
    writeFileSync(join(real.path, 'g'), 'not committed\n');
    expect(tryGit(real.path, 'rebase', '--autostash', 'main')).toBe(false);
    const view = await openEmptyView();
    bringIn(view.fs.sync, real.path, '/');
    const git: LocalGit = createGit(view, { author: { name: 'A', email: 'a@example.com' } });
    await git.abort();
    expect(view.fs.sync.readFileSync('/g', 'utf8')).toBe('topic\n');
    await git.stash.pop();
    expect(view.fs.sync.readFileSync('/g', 'utf8')).toBe('not committed\n');
  });

  it('refuses to go on by options of real git’s that it doesn’t know', async () => {
    const bench = await openConflict();
    using real = copyOut(bench);
    expect(tryGit(real.path, 'rebase', '--empty=keep', 'main')).toBe(false);
    const view = await openEmptyView();
    bringIn(view.fs.sync, real.path, '/');
    const git: LocalGit = createGit(view, { author: { name: 'A', email: 'a@example.com' } });
    await expect(git.continue()).rejects.toMatchObject({
      code: 'unsupported-environment',
      message: expect.stringContaining('keep_redundant_commits'),
    });
  });

  it('comes to what real git’s comes to, for random branches', async () => {
    const names = ['a', 'b', 'c'];
    const change = fc.record({
      file: fc.constantFrom(...names),
      line: fc.nat(5),
      text: fc.constantFrom('x', 'y', 'z'),
    });
    const side = fc.array(change, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(side, side, fc.boolean(), async (main, topic, hasMerge) => {
        const lines = Array.from({ length: 6 }, (_, at) => `line ${at}\n`);
        const bench = await GitBench.open(
          Object.fromEntries(names.map((name) => [name, lines.join('')])),
        );
        const play = async (changes: typeof main, who: string) => {
          for (const [number, { file, line, text }] of changes.entries()) {
            const now = bench.text(file).split('\n');
            now[line] = text;
            const next = now.join('\n');
            if (next !== bench.text(file)) await bench.commit({ [file]: next }, `${who} ${number}`);
          }
        };
        await bench.git.switch('topic', { create: true });
        await play(topic, 'topic');
        if (hasMerge) {
          await bench.git.switch('beside', { create: true, from: 'main' });
          await bench.commit({ beside: 'x\n' }, 'Beside');
          await bench.git.switch('topic');
          await bench.git.merge('beside', { fastForward: 'never' });
        }
        await bench.git.switch('main');
        await play(main, 'main');
        await bench.git.switch('topic');
        using real = copyOut(bench);
        const went = tryGit(real.path, 'rebase', 'main');
        const result = await bench.git.rebase('main');
        expect(result.type === 'conflict').toBe(!went);
        expect(see(bench)).toEqual(seeReal(real.path));
      }),
      { numRuns: trees },
    );
  });
});
