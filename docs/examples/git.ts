import { createGit, type LocalGit as Git } from 'rockpool/git';
import { createMemoryWorkspace } from 'rockpool/workspace';

/** A project under git from its first commit on, kept in a workspace. */
export async function beginProject(files: Readonly<Record<string, string>>) {
  const workspace = await createMemoryWorkspace();
  const access = { cwd: '/', roots: ['/'], readOnlyRoots: [], rules: [], write: 'allow' } as const;
  const view = await workspace.openView({ root: 'main', minSeq: workspace.seq() }, access);
  for (const [path, text] of Object.entries(files)) await view.fs.writeFile(path, text);
  const git = createGit(view, { author: { name: 'Ann', email: 'ann@example.org' } });
  await git.init();
  await git.add('.');
  await git.commit({ message: 'Begin' });
  const changes = view.changeSet();
  if (changes) await workspace.commit(changes, { author: { kind: 'user' } });
  return { workspace, view, git };
}

/** Work on a branch of its own, merged back; the paths that a person must resolve. */
export async function workOnBranch(
  git: Git,
  work: () => Promise<void>,
): Promise<readonly string[]> {
  await git.switch('topic', { create: true });
  await work();
  await git.add('.');
  await git.commit({ message: 'Do the work' });
  await git.switch('main');
  const merged = await git.merge('topic', { fastForward: 'never' });
  if (merged.type !== 'conflict') return [];
  // Their files hold git's markers. Resolved: `add` and `commit`. Given up, as here:
  await git.abort();
  return merged.paths;
}

/** What a person is shown before a commit: the status as git prints it, and the lines of each file. */
export async function review(git: Git): Promise<string> {
  const { branch, files } = await git.status();
  const diffs = await git.diff();
  const lines = [
    `on ${branch ?? 'no branch'}`,
    ...files.map(({ path, renamedFrom, index, worktree }) => {
      const moved = renamedFrom === undefined ? path : `${renamedFrom} -> ${path}`;
      return `${index}${worktree} ${moved}`;
    }),
    ...diffs.map(({ path, additions, deletions }) => `${path} +${additions} -${deletions}`),
  ];
  return lines.join('\n');
}

/** Puts unfinished work aside, looks at another state in a work tree of its own, and goes on. */
export async function lookAt(git: Git, ref: string): Promise<number> {
  const stash = await git.stash.push({ untracked: true });
  const { path } = await git.worktree.add('/look', { from: ref, detach: true });
  const commits = await git.log({ ref, maxCount: 10 });
  await git.worktree.remove(path);
  if (stash) await git.stash.pop();
  return commits.length;
}
