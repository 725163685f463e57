// What becomes of a branch beside its commits, as real git has it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyOut, GitBench } from '../../../support/git/git-bench.ts';
import { gitVersion } from '../../../support/git/git-export.ts';
import { runGit } from '../../../support/git/real-git.ts';

describe.skipIf(gitVersion === undefined)('a branch that gets another name', () => {
  it('keeps its settings and its log, as in git', async () => {
    const bench = await GitBench.open({ a: 'base' });
    await bench.git.branch.create('one');
    await bench.git.branch.create('one', { force: true });
    const settings = [
      '[branch "one"]\n\tremote = origin\n\tmerge = refs/heads/one\n\t; a note\n\tdescription = kept',
      '[core]\n\tabbrev = 12',
      '[branch "one"]\n\trebase = true',
      '[branch "other"]\n\tremote = origin\n',
    ];
    bench.fs.writeFileSync('/.git/config', bench.text('.git/config') + settings.join('\n'));
    using real = copyOut(bench);
    runGit(real.path, ['branch', '-m', 'one', 'one/two']);
    await bench.git.branch.rename('one', 'one/two');
    const inReal = (path: string) => readFileSync(join(real.path, path), 'utf8');
    expect(bench.text('.git/config')).toBe(inReal('.git/config'));
    // The last line has who renamed it, and when.
    const told = (log: string) =>
      log.split('\n').map((line) => [line.slice(0, 81), line.split('\t')[1]]);
    const log = '.git/logs/refs/heads/one/two';
    expect(told(bench.text(log))).toEqual(told(inReal(log)));
    expect(bench.text(log).split('\n')).toHaveLength(4);
    await bench.git.branch.rename('one/two', 'one');
    expect(bench.fs.readdirSync('/.git/logs/refs/heads').sort()).toEqual(['main', 'one']);
  });
});
