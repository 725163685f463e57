// People and agents who use one repository concurrently, each in a view of the state at their start. They use
// isomorphic-git, as a cell does that imports it from node_modules.
import git from 'isomorphic-git';
import type { ChangeSet } from '../../../src/core/change-set.ts';
import type { FileSystem } from '../../../src/workspace/files/file-system.ts';
import type { WorkspaceView, ViewSource } from '../../../src/workspace/draft/view.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';
import { openAccess } from '../files/workspaces.ts';

const author = { name: 'A', email: 'a@example.org' };
export const dir = '/repo';

/** The arguments of isomorphic-git. */
export function repoOf(fs: FileSystem) {
  return { fs: { promises: fs }, dir } as const;
}

/** A repository with these files in one commit on `main`. */
export async function makeRepository(
  workspace: Workspace & ViewSource,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const view = await openGitView(workspace);
  const repo = repoOf(view.fs);
  await view.fs.mkdir(dir, { recursive: true });
  await git.init({ ...repo, defaultBranch: 'main' });
  for (const [name, text] of Object.entries(files)) await view.fs.writeFile(`${dir}/${name}`, text);
  await git.add({ ...repo, filepath: Object.keys(files) });
  const oid = await git.commit({ ...repo, message: 'first', author });
  await commitView(workspace, view, 'user');
  return oid;
}

export function openGitView(workspace: Workspace & ViewSource): Promise<WorkspaceView> {
  return workspace.openView({ root: 'main', minSeq: workspace.seq() }, openAccess('/'));
}

export async function commitView(
  workspace: Workspace,
  view: WorkspaceView,
  kind: 'agent' | 'user' = 'agent',
): Promise<void> {
  const changes: ChangeSet | null = view.changeSet();
  if (changes) await workspace.commit(changes, { author: { kind } });
}

/** Writes a file and commits it on the branch that the work tree is on. */
export async function commitFile(view: WorkspaceView, name: string, text: string): Promise<string> {
  const repo = repoOf(view.fs);
  await view.fs.writeFile(`${dir}/${name}`, text);
  await git.add({ ...repo, filepath: name });
  return git.commit({ ...repo, message: `write ${name}`, author });
}

/** Commits a file on another branch than the work tree's, without changing work tree and index. */
export async function commitOnBranch(
  view: WorkspaceView,
  branch: string,
  text: string,
): Promise<string> {
  const repo = repoOf(view.fs);
  const parent = await git.resolveRef({ ...repo, ref: branch });
  const oid = await git.writeBlob({ ...repo, blob: new TextEncoder().encode(text) });
  const tree = await git.writeTree({
    ...repo,
    tree: [{ mode: '100644', path: 'aside.txt', oid, type: 'blob' }],
  });
  const ref = `refs/heads/${branch}`;
  return git.commit({ ...repo, message: `aside ${branch}`, author, ref, parent: [parent], tree });
}
