// Random histories that real git makes, read by ours.
import { describe, expect, it } from 'vitest';
import { createMemoryWorkspace } from '../../../../src/workspace/memory-workspace.ts';
import { createGit } from '../../../../src/workspace/git/commands/create-git.ts';
import { makeRealHistory } from '../../../support/git/fast-import.ts';
import {
  describeOurs,
  describeReal,
  gitVersion,
  importFiles,
  openDirectory,
  runGit,
} from '../../../support/git/git-export.ts';
import { openAccess } from '../../../support/files/workspaces.ts';

const histories = Number(process.env['HISTORIES'] ?? 4);
const first = Number(process.env['SEED'] ?? 1);

describe.skipIf(gitVersion === undefined)('a history that real git made, read by ours', () => {
  const seeds = Array.from({ length: histories }, (_, at) => first + at);

  it.each(seeds)(
    'says the same of packs, work trees and a shallow clone (seed %i)',
    async (seed) => {
      using directory = openDirectory();
      const { worktrees } = makeRealHistory(directory.path, seed);
      const workspace = await createMemoryWorkspace();
      const view = await workspace.openView({ root: 'main', minSeq: 0 }, openAccess('/'));
      // At the same paths, as git's work trees name each other by them.
      view.fs.sync.mkdirSync(directory.path, { recursive: true });
      importFiles(view.fs.sync, directory.path, directory.path);
      for (const name of ['real', 'shallow', ...worktrees]) {
        const place = `${directory.path}/${name}`;
        const git = createGit(view, { directory: place });
        const ours = await describeOurs(git);
        expect(ours).toEqual(describeReal(place));
        expect(ours.status).toEqual([]);
        const shown: string[] = [];
        for (const oid of ours.head) {
          for (const { path: file, before, after, renamedFrom } of (await git.show(oid)).files) {
            const said = renamedFrom === undefined ? file : `${renamedFrom}\t${file}`;
            shown.push([oid, before?.oid ?? none, after?.oid ?? none, said].join(' '));
          }
        }
        expect(shown).toEqual(listShown(place));
      }
      const git = createGit(view, { directory: `${directory.path}/real` });
      const listed = runGit(`${directory.path}/real`, 'worktree', 'list', '--porcelain');
      expect((await git.worktree.list()).map(({ path, head }) => `${path} ${head}`)).toEqual(
        [...listed.matchAll(/worktree (.*)\nHEAD (.*)/gu)].map(
          ([, path, head]) => `${path} ${head}`,
        ),
      );
    },
  );
});

const none = '0'.repeat(40);

/** What each commit changed against its first parent, from one run of git. */
function listShown(directory: string): string[] {
  const parameters = ['--diff-merges=first-parent', '--raw', '--find-renames', '--abbrev=40'];
  const lines = runGit(directory, 'log', '--format=%H', ...parameters).split('\n');
  let oid = '';
  return lines.filter(Boolean).flatMap((line) => {
    const [, before, after, path] = /^:\d+ \d+ (\w+) (\w+) \w\d*\t(.*)$/u.exec(line) ?? [];
    if (path !== undefined) return [[oid, before, after, path].join(' ')];
    oid = line;
    return [];
  });
}
