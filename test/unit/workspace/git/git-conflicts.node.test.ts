// What stands after a merge, pick or stash that met conflicts: nothing is lost, and real git beside it says the same.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyOut, GitBench, tryGit } from '../../../support/git/git-bench.ts';
import { gitVersion } from '../../../support/git/git-export.ts';
import { gitText, runGit } from '../../../support/git/real-git.ts';

describe.skipIf(gitVersion === undefined)('an abort after a stash that conflicted', () => {
  it('is refused, as in git, and keeps what is staged', async () => {
    const bench = await GitBench.open({ a: 'a', b: 'b' });
    bench.write({ a: 'put aside' });
    await bench.git.stash.push();
    await bench.commit({ a: 'committed' });
    bench.write({ b: 'staged', fresh: 'staged, too' });
    await bench.git.add('.');
    expect(await bench.git.stash.pop()).toEqual({ type: 'conflict', paths: ['a'] });
    using real = copyOut(bench);
    expect(tryGit(real.path, 'merge', '--abort')).toBe(false);
    await expect(bench.git.abort()).rejects.toThrow(/git\.restore\(paths/u);
    expect([bench.text('b'), bench.text('fresh')]).toEqual(['staged', 'staged, too']);
    await bench.git.restore('a', { staged: true, worktree: true });
    expect(bench.text('a')).toBe('committed');
    expect((await bench.git.status()).files.map(({ path, index }) => index + path)).toEqual([
      'Mb',
      'Afresh',
    ]);
  });
});

describe.skipIf(gitVersion === undefined)('a stash in the midst of a merge', () => {
  it('ends the merge: the next commit has one parent', async () => {
    const bench = await GitBench.open({ a: 'a', b: 'b' });
    await bench.commitBeside({ a: 'theirs' });
    await bench.commit({ a: 'ours' });
    expect((await bench.git.merge('topic')).type).toBe('conflict');
    bench.write({ a: 'both' });
    await bench.git.add('.');
    using real = copyOut(bench);
    runGit(real.path, ['stash', 'push', '-q']);
    expect(tryGit(real.path, 'rev-parse', '--verify', 'MERGE_HEAD')).toBe(false);
    await bench.git.stash.push();
    expect((await bench.git.status()).operation).toBeNull();
    await bench.commit({ b: 'more' }, 'No merge');
    const [last] = await bench.git.log({ maxCount: 1 });
    expect(last).toMatchObject({ parents: [expect.any(String)], message: 'No merge\n' });
  });
});

describe.skipIf(gitVersion === undefined)('a conflict in a file that is no plain UTF-8', () => {
  const lines = (...parts: readonly string[]) => parts.join('\n') + '\n';
  const asLatin = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
  const asUtf16 = (text: string) => new Uint8Array(Buffer.from(`\uFEFF${text}`, 'utf16le'));
  const encodings: readonly (readonly [string, (text: string) => Uint8Array])[] = [
    ['Latin-1', asLatin],
    ['UTF-8 with a mark', (text) => new Uint8Array(Buffer.from(`\uFEFF${text}`))],
    ['no encoding', (text) => asLatin(`\u00c3\u00bc \u0081\u00ff\u008d\n${text}`)],
    ['UTF-16', asUtf16],
  ];

  it.each(encodings)('keeps the bytes of all other lines: %s', async (_, encode) => {
    const file = (edit: string) =>
      encode(lines('gr\u00fc\u00df', 'same', 'x', edit, 'y', 'caf\u00e9'));
    const bench = await GitBench.open({ a: file('base') });
    await bench.commitBeside({ a: file('their \u00e4') }, 'theirs', 'to\u00efc');
    await bench.commit({ a: file('our \u00f6') });
    using real = copyOut(bench);
    expect(tryGit(real.path, 'merge', 'to\u00efc')).toBe(false);
    expect(await bench.git.merge('to\u00efc')).toEqual({ type: 'conflict', paths: ['a'] });
    const held = Buffer.from(bench.fs.readFileSync('/a')).toString('latin1');
    expect(held).toBe(readFileSync(join(real.path, 'a'), 'latin1'));
  });

  it('is one where a binary file meets an empty one', async () => {
    const bench = await GitBench.open({ a: 'a' });
    await bench.commitBeside({ fresh: '' });
    await bench.commit({ fresh: Uint8Array.of(1, 0, 2) });
    using real = copyOut(bench);
    expect(tryGit(real.path, 'merge', 'topic')).toBe(false);
    expect(gitText(real.path, 'status', '--porcelain')).toBe('AA fresh');
    expect(await bench.git.merge('topic')).toEqual({ type: 'conflict', paths: ['fresh'] });
  });
});

describe('the style of conflicts', () => {
  async function benchWith(style: string): Promise<GitBench> {
    const bench = await GitBench.open({ a: 'a\n' });
    const config = bench.text('.git/config');
    bench.fs.writeFileSync('/.git/config', `${config}[merge]\n\tconflictStyle = ${style}\n`);
    return bench;
  }

  it.skipIf(gitVersion === undefined)(
    'names the base as git does, for a commit without a parent, too',
    async () => {
      const bench = await benchWith('diff3');
      const [begin] = await bench.git.log();
      await bench.commit({ a: 'b\n' });
      for (const command of ['cherry-pick', 'revert'] as const) {
        using real = copyOut(bench);
        expect(tryGit(real.path, command, begin?.oid ?? '')).toBe(false);
        const pick = command === 'revert' ? bench.git.revert : bench.git.cherryPick;
        expect((await pick.call(bench.git, begin?.oid ?? '')).type).toBe('conflict');
        expect(bench.text('a')).toBe(readFileSync(join(real.path, 'a'), 'utf8'));
        await bench.git.abort();
      }
    },
  );

  it('is refused where git has none of that name', async () => {
    const bench = await benchWith('loud');
    await bench.commitBeside({ a: 'theirs\n' });
    await bench.commit({ a: 'ours\n' });
    await expect(bench.git.merge('topic')).rejects.toThrow(/"loud"/u);
    expect(bench.text('a')).toBe('ours\n');
  });
});

describe.skipIf(gitVersion === undefined)('a file added to a directory that was renamed', () => {
  async function benchWith(settings = ''): Promise<GitBench> {
    const bench = await GitBench.open({ 'old/a': 'a\n1\n2\n', 'old/b': 'b\n1\n2\n', keep: '' });
    bench.fs.writeFileSync('/.git/config', bench.text('.git/config') + settings);
    return bench;
  }

  it.each(['', '[merge]\n\tdirectoryRenames = true\n', '[merge]\n\tdirectoryRenames = no\n'])(
    'goes where git puts it (config %j)',
    async (settings) => {
      const bench = await benchWith(settings);
      await bench.commitBeside({ 'old/fresh': 'fresh\n' });
      bench.fs.renameSync('/old', '/new');
      await bench.commit({});
      using real = copyOut(bench);
      const isClean = tryGit(real.path, 'merge', '--no-edit', 'topic');
      const { type } = await bench.git.merge('topic');
      expect(type).toBe(isClean ? 'merged' : 'conflict');
      using ours = copyOut(bench);
      for (const path of [ours.path, real.path]) {
        expect(gitText(path, 'status', '--porcelain')).toBe(settings === '' ? 'UA new/fresh' : '');
        expect(gitText(path, 'ls-files', '--', '*fresh')).toBe(
          settings.includes('no') ? 'old/fresh' : 'new/fresh',
        );
      }
      if (!isClean) await bench.git.abort();
    },
  );

  it('stays, and stops the merge, where the directory went to two', async () => {
    const bench = await benchWith();
    await bench.commitBeside({ 'old/fresh': 'fresh\n' });
    bench.fs.mkdirSync('/one');
    bench.fs.mkdirSync('/two');
    bench.fs.renameSync('/old/a', '/one/a');
    bench.fs.renameSync('/old/b', '/two/b');
    bench.fs.rmSync('/old', { recursive: true });
    await bench.commit({});
    using real = copyOut(bench);
    expect(tryGit(real.path, 'merge', '--no-edit', 'topic')).toBe(false);
    expect(await bench.git.merge('topic')).toEqual({ type: 'conflict', paths: ['old'] });
    using ours = copyOut(bench);
    for (const path of [ours.path, real.path]) {
      expect(gitText(path, 'status', '--porcelain')).toBe('A  old/fresh');
      expect(readFileSync(join(path, '.git/MERGE_MSG'), 'utf8')).toContain("Merge branch 'topic'");
    }
    await bench.git.commit({});
    expect((await bench.git.log({ maxCount: 1 }))[0]?.parents).toHaveLength(2);
  });

  it('is refused where the config says what git does not know', async () => {
    const bench = await benchWith('[merge]\n\tdirectoryRenames = maybe\n');
    await bench.commitBeside({ 'old/fresh': 'fresh\n' });
    await bench.commit({ b: '' });
    await expect(bench.git.merge('topic')).rejects.toThrow(/"maybe"/u);
  });
});

describe('a commit after conflicts', () => {
  it('keeps the lines of the message that begin with #', async () => {
    const bench = await GitBench.open({ a: 'a' });
    const message = '#12 mend\n\nbody\n# heading\n# Conflicts:\n#\tnone\nmore\n';
    await bench.commitBeside({ a: 'theirs' }, message);
    await bench.commit({ a: 'ours' });
    expect((await bench.git.cherryPick('topic')).type).toBe('conflict');
    bench.write({ a: 'both' });
    await bench.git.add('.');
    expect((await bench.git.commit({})).message).toBe(message);
  });
});

describe.skipIf(gitVersion === undefined)('a merge of branches that were merged crosswise', () => {
  const lines = (first: string, last: string) => `${first}\n1\n2\n3\n4\n${last}\n`;

  async function mergeCrosswise(bench: GitBench): Promise<void> {
    await bench.git.tag.create('before');
    await bench.git.merge('topic', { fastForward: 'never' });
    await bench.git.switch('topic');
    await bench.git.merge('before', { fastForward: 'never' });
  }

  it('brings nothing back that one side has undone since, as in git', async () => {
    const bench = await GitBench.open({ a: lines('base', 'base') });
    await bench.commitBeside({ a: lines('base', 'topic') });
    await bench.commit({ a: lines('main', 'base') });
    await mergeCrosswise(bench);
    await bench.commit({ a: lines('base', 'topic') }, 'Undo what main did');
    await bench.git.switch('main');
    await bench.commit({ a: lines('main', 'base'), b: 'b' }, 'Undo what topic did');
    using real = copyOut(bench);
    runGit(real.path, ['merge', '-q', '--no-edit', 'topic']);
    expect((await bench.git.merge('topic')).type).toBe('merged');
    expect(bench.text('a')).toBe(lines('base', 'base'));
    expect(readFileSync(join(real.path, 'a'), 'utf8')).toBe(bench.text('a'));
  });

  it('is refused where the places they met at conflict, and says what to do', async () => {
    const bench = await GitBench.open({ a: 'base' });
    await bench.commitBeside({ a: 'topic' });
    await bench.commit({ a: 'main' });
    for (const [branch, ref] of [
      ['main', 'topic'],
      ['topic', 'before'],
    ] as const) {
      if (branch === 'main') await bench.git.tag.create('before');
      await bench.git.switch(branch);
      expect((await bench.git.merge(ref)).type).toBe('conflict');
      await bench.commit({ a: `resolved on ${branch}` });
    }
    await expect(bench.git.merge('main')).rejects.toThrow(/Cherry-pick/u);
  });
});
