// Random histories that our git makes, read by real git.
import { describe, expect, it } from 'vitest';
import { RandomHistory } from '../../../support/git-history.ts';
import {
  describeOurs,
  describeReal,
  exportFiles,
  gitVersion,
  openDirectory,
  runGit,
} from '../../../support/git-export.ts';

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
