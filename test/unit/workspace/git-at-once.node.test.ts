// Property: two agents and a person work in one repository at once. Whatever was acknowledged stays, a
// branch moves only from where its committer saw it, and real git finds nothing wrong with the result.
// GIT_ROUNDS=500 for more than the ordinary run has.
import git from 'isomorphic-git';
import { describe, expect, it } from 'vitest';
import { SdkError } from '../../../src/core/errors.ts';
import type { WorkspaceView } from '../../../src/workspace/draft/view.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import {
  commitFile,
  commitOnBranch,
  commitView,
  dir,
  makeRepository,
  openGitView,
  repoOf,
} from '../../support/git/git-actors.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { exportTree } from '../../support/git/exported-tree.ts';

const rounds = Number(process.env['GIT_ROUNDS'] ?? 20);
const seed = Number(process.env['GIT_SEED'] ?? 1);
const files = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => `${name}.txt`);
const branches = ['main', 'one', 'two'];

/** What an actor did: the branch that it moved, and the commit that it made there. */
interface Deed {
  readonly what: string;
  readonly branch?: string;
  readonly from?: string;
  readonly oid?: string;
}

async function act(view: WorkspaceView, random: Random, text: string): Promise<Deed> {
  const repo = repoOf(view.fs);
  const file = random.pick(files);
  const current = (await git.currentBranch(repo)) ?? 'main';
  const branch = random.pick(branches);
  const from = await git.resolveRef({ ...repo, ref: branch });
  switch (random.below(6)) {
    case 0:
    case 1: {
      const before = await git.resolveRef({ ...repo, ref: current });
      const oid = await commitFile(view, file, text);
      return { what: `commit ${file}`, branch: current, from: before, oid };
    }
    case 2:
      return { what: 'aside', branch, from, oid: await commitOnBranch(view, branch, text) };
    case 3:
      await git.tag({ ...repo, ref: `tag-${text.trim()}`, object: from });
      return { what: 'tag' };
    case 4:
      await view.fs.writeFile(`${dir}/${file}`, text);
      await git.add({ ...repo, filepath: file });
      return { what: `add ${file}` };
    default:
      await view.fs.writeFile(`${dir}/.git/HEAD`, `ref: refs/heads/${branch}\n`);
      return { what: `stand on ${branch}` };
  }
}

describe('two agents and a person who commit at once', () => {
  it(
    `lose no commit and leave a repository that git finds whole, for ${rounds} rounds`,
    async () => {
      const random = createRandom(seed);
      const workspace = await createMemoryWorkspace();
      const first = await makeRepository(
        workspace,
        Object.fromEntries(files.map((name) => [name, `${name}\n`])),
      );
      const setUp = await openGitView(workspace);
      for (const ref of branches.slice(1)) await git.branch({ ...repoOf(setUp.fs), ref });
      await commitView(workspace, setUp);
      const tips = new Map(branches.map((branch) => [branch, first]));
      const landed: string[] = [first];
      let refused = 0;

      for (let round = 0; round < rounds; round += 1) {
        const actors = ['agent', 'agent', 'user'] as const;
        const work = await Promise.all(
          actors.map(async (kind, index) => {
            const view = await openGitView(workspace);
            const deed = await act(view, random, `${round}-${index}\n`);
            return { kind, view, deed };
          }),
        );
        const ends = await Promise.allSettled(
          work.map(({ kind, view }) => commitView(workspace, view, kind)),
        );
        ends.forEach((end, index) => {
          const deed = work[index]?.deed ?? { what: 'nothing' };
          const at = `round ${round}: ${JSON.stringify(work.map((each) => each.deed))}`;
          if (end.status === 'rejected') {
            refused += 1;
            const code = SdkError.isInstance(end.reason) ? end.reason.code : end.reason;
            expect([at, code]).toEqual([at, 'ECONFLICT']);
            return;
          }
          if (deed.branch === undefined || deed.oid === undefined) return;
          // Compare-and-set: nobody has moved the branch since this committer looked.
          expect([at, tips.get(deed.branch)]).toEqual([at, deed.from]);
          tips.set(deed.branch, deed.oid);
          landed.push(deed.oid);
        });
      }

      const repo = repoOf(workspace.fs);
      for (const [branch, oid] of tips) {
        expect([branch, await git.resolveRef({ ...repo, ref: branch })]).toEqual([branch, oid]);
      }
      await using real = await exportTree(workspace.fs, dir);
      expect(await real.git('fsck', '--strict', '--no-dangling')).toBe('');
      const reachable = new Set((await real.git('rev-list', '--all')).trim().split('\n'));
      expect(landed.filter((oid) => !reachable.has(oid))).toEqual([]);
      // The index is one that git reads, with what was added last.
      expect((await real.git('ls-files', '--stage')).trim().split('\n')).toHaveLength(files.length);
      expect(await real.git('diff', '--name-only')).toBe('');
      expect([landed.length > rounds / 3, refused > 0]).toEqual([true, true]);
    },
    Math.max(20_000, rounds * 1000),
  );
});
