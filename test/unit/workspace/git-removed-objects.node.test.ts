// Property: somebody removes objects by hand while others commit. No commit that lands has lost one of its
// objects, and the others are refused. GIT_ROUNDS=500 for more than the ordinary run has.
import { describe, expect, it } from 'vitest';
import { SdkError } from '../../../src/core/errors.ts';
import { createGit } from '../../../src/workspace/git/commands/create-git.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import { commitView, dir, makeRepository, openGitView } from '../../support/git/git-actors.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { exportTree } from '../../support/git/exported-tree.ts';

const rounds = Number(process.env['GIT_ROUNDS'] ?? 20);
const author = { name: 'A', email: 'a@example.org' };
const objects = `${dir}/.git/objects`;

async function openActor() {
  const workspace = await createMemoryWorkspace();
  await makeRepository(workspace, { 'a.txt': 'a\n', 'b.txt': 'b\n' });
  return workspace;
}

type Actor = Awaited<ReturnType<typeof openActor>>;

/** Stages a content and unstages it: an object that nothing names. */
async function leaveLoose(workspace: Actor, text: string): Promise<string> {
  const view = await openGitView(workspace);
  const git = createGit(view, { directory: dir, author });
  const { fs } = view;
  const before = new Set(await listObjects(fs));
  await fs.writeFile(`${dir}/loose.txt`, text);
  await git.add('loose.txt');
  await git.reset();
  await fs.rm(`${dir}/loose.txt`);
  await commitView(workspace, view);
  const [made] = (await listObjects(workspace.fs)).filter((path) => !before.has(path));
  if (made === undefined) throw new TypeError('The object is there already.');
  return made;
}

async function listObjects(fs: Actor['fs']): Promise<string[]> {
  const names = await fs.readdir(objects, { recursive: true });
  return names.filter((name) => /^[\da-f]{2}\/[\da-f]{38}$/u.test(name));
}

async function commitText(workspace: Actor, random: Random, text: string) {
  const view = await openGitView(workspace);
  const git = createGit(view, { directory: dir, author });
  const name = random.pick(['a.txt', 'b.txt', 'c.txt']);
  await view.fs.writeFile(`${dir}/${name}`, text);
  await git.add(name);
  if (random.chance(0.7)) await git.commit({ message: text });
  return () => commitView(workspace, view);
}

async function removeObject(workspace: Actor, path: string) {
  const view = await openGitView(workspace);
  await view.fs.rm(`${objects}/${path}`);
  return () => commitView(workspace, view, 'user');
}

describe('a removal of objects beside commits', () => {
  it.each(['first', 'second'])('is merged or refused where it lands %s', async (order) => {
    const workspace = await openActor();
    const path = await leaveLoose(workspace, 'needed\n');
    const view = await openGitView(workspace);
    const git = createGit(view, { directory: dir, author });
    await view.fs.writeFile(`${dir}/a.txt`, 'needed\n');
    await git.add('.');
    await git.commit({ message: 'needs what is there' });
    const removing = await openGitView(workspace);
    await removing.fs.rm(`${objects}/${path}`);
    const [winner, loser] = order === 'first' ? [removing, view] : [view, removing];
    await commitView(workspace, winner);
    await expect(commitView(workspace, loser)).rejects.toMatchObject({ code: 'ECONFLICT' });
    await using real = await exportTree(workspace.fs, dir);
    expect(await real.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('refuses commits that saw the whole store, which is gone', async () => {
    const workspace = await openActor();
    const view = await openGitView(workspace);
    const git = createGit(view, { directory: dir, author });
    await view.fs.writeFile(`${dir}/a.txt`, 'new\n');
    await git.add('.');
    await git.commit({ message: 'lost' });
    await workspace.fs.rm(objects, { recursive: true });
    await expect(commitView(workspace, view)).rejects.toMatchObject({ code: 'ECONFLICT' });
    await expect(createGit(await openGitView(workspace), { directory: dir }).log()).rejects.toThrow(
      "isn't in this repository",
    );
  });

  it(`leaves what fsck finds whole, for ${rounds} rounds`, async () => {
    const random = createRandom(Number(process.env['GIT_SEED'] ?? 1));
    const workspace = await openActor();
    let [landed, refused] = [0, 0];
    for (let round = 0; round < rounds; round += 1) {
      // What the commits of this round write is there as a loose object, or isn't.
      const text = `${round}\n`;
      const path = await leaveLoose(workspace, text);
      const ends = await Promise.all([
        commitText(workspace, random, random.chance(0.6) ? text : `other ${round}\n`),
        removeObject(workspace, path),
        commitText(workspace, random, random.chance(0.6) ? text : `third ${round}\n`),
      ]);
      const order = ends.map((end) => ({ end, at: random.below(1000) }));
      order.sort((one, other) => one.at - other.at);
      for (const { end } of order) {
        try {
          await end();
          landed += 1;
        } catch (error) {
          expect(SdkError.isInstance(error) && error.code).toBe('ECONFLICT');
          refused += 1;
        }
      }
      const git = createGit(await openGitView(workspace), { directory: dir, author });
      // Every object that HEAD and the index name can be read.
      await git.diff({ from: 'HEAD', staged: true });
      await git.show('HEAD');
    }
    await using real = await exportTree(workspace.fs, dir);
    expect(await real.git('fsck', '--strict', '--no-dangling')).toBe('');
    expect([landed > rounds / 2, refused > 0]).toEqual([true, true]);
  });
});
