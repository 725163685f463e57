// Work that isn't committed, and commands that would go over it: what real git keeps or refuses, ours does, too.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyOut, GitBench, tryGit } from '../../../support/git-bench.ts';
import { gitVersion } from '../../../support/git-export.ts';
import { gitText, runGit } from '../../../support/real-git.ts';

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
