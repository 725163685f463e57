// Random histories that our git makes, read by real git.
import { describe, expect, it } from 'vitest';
import { copyOut, GitBench } from '../../../support/git/git-bench.ts';
import { RandomHistory } from '../../../support/git/git-history.ts';
import {
  describeOurs,
  describeReal,
  exportFiles,
  gitVersion,
  openDirectory,
  runGit,
} from '../../../support/git/git-export.ts';
import { gitText } from '../../../support/git/real-git.ts';

const histories = Number(process.env['HISTORIES'] ?? 6);
const first = Number(process.env['SEED'] ?? 1);

describe.skipIf(gitVersion === undefined)('a history that our git made, read by real git', () => {
  const seeds = Array.from({ length: histories }, (_, at) => first + at);

  it.each(seeds)('is whole, and says the same of all its work trees (seed %i)', async (seed) => {
    const history = await RandomHistory.open(seed);
    await history.play(60);
    using directory = openDirectory();
    exportFiles(history.view.fs.sync, directory.path);
    const steps = history.log.join('\n');
    const repository = `${directory.path}/repo`;
    runGit(repository, 'fsck', '--strict', '--no-dangling');
    expect(await describeOurs(history.git), steps).toEqual(describeReal(repository));
    for (const path of history.worktrees) {
      const ours = await describeOurs(history.gitIn(path));
      expect(ours, steps).toEqual(describeReal(directory.path + path));
    }
    if (history.worktrees.length > 0) {
      runGit(
        repository,
        'worktree',
        'repair',
        ...history.worktrees.map((path) => directory.path + path),
      );
    }
    const listed = runGit(repository, 'worktree', 'list', '--porcelain');
    const worktrees = await history.git.worktree.list();
    expect(listed).toBe(
      worktrees
        .map(({ path, head, branch }) => {
          const lines = [`worktree ${directory.path}${path}`, `HEAD ${head ?? '0'.repeat(40)}`];
          return [
            ...lines,
            branch === null ? 'detached' : `branch refs/heads/${branch}`,
            '\n',
          ].join('\n');
        })
        .join(''),
    );
  });
});

describe.skipIf(gitVersion === undefined)('the history of a path', () => {
  it('has the commits that made what is there, and merges that no parent is like, as in git', async () => {
    const bench = await GitBench.open({ x: 'base', y: 'base' });
    // What this side did to x comes to nothing.
    await bench.commitBeside({ x: 'dropped' }, 'Dropped', 'dropped');
    await bench.commit({ y: 'ours' }, 'Beside');
    await bench.git.merge('dropped', { message: 'Take ours' });
    await bench.git.restore('x', { source: 'HEAD~1', staged: true, worktree: true });
    await bench.git.commit({ amend: true, message: 'Take ours' });
    // What this one did is all that is new to x.
    await bench.commitBeside({ x: 'side' }, 'Side', 'side');
    await bench.commit({ y: 'ours again' }, 'Beside again');
    await bench.git.merge('side', { message: 'Take theirs' });
    // Both sides have changed it.
    await bench.commitBeside({ x: 'theirs' }, 'Theirs', 'theirs');
    await bench.commit({ x: 'ours' }, 'Ours');
    expect((await bench.git.merge('theirs', { message: 'Take both' })).type).toBe('conflict');
    bench.write({ x: 'both' });
    await bench.git.add('x');
    await bench.git.commit({});
    using real = copyOut(bench);
    for (const path of ['x', 'y', '.', 'none']) {
      const ours = await bench.git.log({ paths: [path] });
      const told = ours.map(({ message }) => message.split('\n')[0]).join('\n');
      expect(told).toBe(gitText(real.path, 'log', '--format=%s', '--', path));
    }
  });
});
