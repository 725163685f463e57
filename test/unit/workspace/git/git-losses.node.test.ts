// Work that isn't committed, and commands that would go over it: what real git keeps or refuses, ours does, too.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyOut, GitBench, tryGit } from '../../../support/git/git-bench.ts';
import { gitVersion } from '../../../support/git/git-export.ts';
import { gitText, runGit } from '../../../support/git/real-git.ts';

/** A copy whose index knows the files on the disk, as git's own would. */
function copyRefreshed(bench: GitBench) {
  const real = copyOut(bench);
  tryGit(real.path, 'update-index', '-q', '--refresh');
  return real;
}

describe.skipIf(gitVersion === undefined)(
  'a stash of a file that was taken out of the index and written again',
  () => {
    it.each([false, true])('gives it back, as git does (untracked: %s)', async (untracked) => {
      const bench = await GitBench.open({ a: 'base', '.gitignore': 'ignored' });
      bench.write({ ignored: 'base' });
      await bench.git.add('ignored', { force: true });
      await bench.git.commit({ message: 'Ignored' });
      for (const path of ['a', 'ignored']) bench.fs.rmSync(`/${path}`);
      await bench.git.add(['a', 'ignored']);
      bench.write({ a: 'precious', ignored: 'precious' });
      using real = copyOut(bench);
      const inReal = (path: string) => readFileSync(join(real.path, path), 'utf8');
      runGit(real.path, ['stash', 'push', '-q', ...(untracked ? ['-u'] : [])]);
      await bench.git.stash.push({ untracked });
      expect([inReal('a'), inReal('ignored')]).toEqual(['base', 'base']);
      expect([bench.text('a'), bench.text('ignored')]).toEqual(['base', 'base']);
      // Git puts it among the untracked ones, too, and complains there that it is back already.
      expect(tryGit(real.path, 'stash', 'pop', '-q')).toBe(!untracked);
      expect((await bench.git.stash.pop()).type).toBe('merged');
      expect([inReal('a'), inReal('ignored')]).toEqual(['precious', 'precious']);
      expect([bench.text('a'), bench.text('ignored')]).toEqual(['precious', 'precious']);
      using ours = copyOut(bench);
      for (const path of [ours.path, real.path]) {
        expect(gitText(path, 'status', '--porcelain')).toBe(' M a\n M ignored');
      }
    });
  },
);

describe.skipIf(gitVersion === undefined)('an abort of a merge', () => {
  /** Both sides edit `a`; theirs edits `edited`, deletes `gone` and adds `fresh`. */
  async function stopAtConflict(): Promise<GitBench> {
    const bench = await GitBench.open({ a: 'base', edited: 'base', gone: 'base' });
    await bench.git.switch('topic', { create: true });
    bench.fs.rmSync('/gone');
    await bench.commit({ a: 'theirs', edited: 'theirs', fresh: 'theirs' });
    await bench.git.switch('main');
    await bench.commit({ a: 'ours' });
    expect((await bench.git.merge('topic')).type).toBe('conflict');
    return bench;
  }

  it.each(['edited', 'fresh', 'gone'])(
    'refuses to go over a file that was written since, as git does: %s',
    async (path) => {
      const bench = await stopAtConflict();
      bench.write({ [path]: 'precious' });
      using real = copyRefreshed(bench);
      expect(tryGit(real.path, 'merge', '--abort')).toBe(false);
      await expect(bench.git.abort()).rejects.toMatchObject({
        code: 'bad-usage',
        data: { paths: [path] },
      });
      expect(bench.text(path)).toBe('precious');
      expect((await bench.git.status()).operation).toBe('merge');
    },
  );

  it('goes over what is in conflict or staged, and brings back what was removed, as git does', async () => {
    const bench = await stopAtConflict();
    bench.write({ a: 'half resolved', fresh: 'staged' });
    await bench.git.add('fresh');
    bench.fs.rmSync('/edited');
    using real = copyRefreshed(bench);
    runGit(real.path, ['merge', '--abort']);
    await bench.git.abort();
    using ours = copyOut(bench);
    for (const { path } of [ours, real]) {
      expect(gitText(path, 'status', '--porcelain')).toBe('');
      expect(readFileSync(join(path, 'a'), 'utf8')).toBe('ours');
    }
  });

  it('takes back a file beside a directory, and keeps what is new in that, as git does', async () => {
    const bench = await GitBench.open({ keep: '' });
    await bench.commitBeside({ 'x/inside': 'theirs' });
    await bench.commit({ x: 'ours' });
    expect((await bench.git.merge('topic')).type).toBe('conflict');
    bench.write({ 'x/fresh': 'precious' });
    using real = copyRefreshed(bench);
    expect(tryGit(real.path, 'merge', '--abort')).toBe(false);
    await expect(bench.git.abort()).rejects.toMatchObject({ data: { paths: ['x'] } });
    bench.fs.rmSync('/x/fresh');
    await bench.git.abort();
    expect(bench.text('x')).toBe('ours');
    expect(bench.fs.readdirSync('/').sort()).toEqual(['.git', 'keep', 'x']);
  });
});

describe.skipIf(gitVersion === undefined)('a restore of a file in conflict', () => {
  it('is refused as a whole where the index is what it restores from, as in git', async () => {
    const bench = await GitBench.open({ a: 'base', b: 'base' });
    await bench.commitBeside({ a: 'theirs' });
    await bench.commit({ a: 'ours' });
    expect((await bench.git.merge('topic')).type).toBe('conflict');
    bench.write({ b: 'edited' });
    const held = bench.text('a');
    using real = copyOut(bench);
    expect(tryGit(real.path, 'restore', '.')).toBe(false);
    expect(readFileSync(join(real.path, 'b'), 'utf8')).toBe('edited');
    await expect(bench.git.restore('.')).rejects.toMatchObject({
      code: 'bad-usage',
      data: { paths: ['a'] },
    });
    expect([bench.text('a'), bench.text('b')]).toEqual([held, 'edited']);
    runGit(real.path, ['restore', '--source=HEAD', 'a']);
    await bench.git.restore('a', { source: 'HEAD' });
    await bench.git.restore('b');
    expect([bench.text('a'), bench.text('b')]).toEqual(['ours', 'base']);
    expect(readFileSync(join(real.path, 'a'), 'utf8')).toBe('ours');
    expect((await bench.git.status()).files).toMatchObject([{ path: 'a', index: 'U' }]);
  });
});

describe.skipIf(gitVersion === undefined)('a switch with a staged deletion', () => {
  async function benchWithDeletion(path: string): Promise<GitBench> {
    const bench = await GitBench.open({ changed: 'base', same: 'base', gone: 'base' });
    await bench.git.switch('topic', { create: true });
    bench.fs.rmSync('/gone');
    await bench.commit({ changed: 'theirs' });
    await bench.git.switch('main');
    bench.fs.rmSync(`/${path}`);
    await bench.git.add(path);
    return bench;
  }

  it('is refused where the other branch has changed the file, as in git', async () => {
    const bench = await benchWithDeletion('changed');
    using real = copyOut(bench);
    expect(tryGit(real.path, 'switch', 'topic')).toBe(false);
    await expect(bench.git.switch('topic')).rejects.toMatchObject({
      data: { paths: ['changed'] },
    });
    expect((await bench.git.status()).files).toMatchObject([{ path: 'changed', index: 'D' }]);
  });

  it('is a first checkout where there is no index, as in git', async () => {
    const bench = await benchWithDeletion('changed');
    for (const path of ['.git/index', 'same', 'gone']) bench.fs.rmSync(`/${path}`);
    using real = copyOut(bench);
    runGit(real.path, ['switch', '-q', 'topic']);
    await bench.git.switch('topic');
    using ours = copyOut(bench);
    for (const { path } of [ours, real]) {
      expect(gitText(path, 'status', '--porcelain')).toBe('');
    }
    expect([bench.text('changed'), bench.text('same')]).toEqual(['theirs', 'base']);
  });

  it.each(['same', 'gone'])('takes it along, or finds it done, as git does: %s', async (path) => {
    const bench = await benchWithDeletion(path);
    using real = copyOut(bench);
    runGit(real.path, ['switch', '-q', 'topic']);
    await bench.git.switch('topic');
    using ours = copyOut(bench);
    for (const { path: place } of [ours, real]) {
      const told = path === 'same' ? 'D  same' : '';
      expect(gitText(place, 'status', '--porcelain')).toBe(told);
    }
  });
});
