// A repository in a host's workspace, and turns that work in a work tree of it. For tests of EnterWorktree and
// ExitWorktree, in any runtime.
import type { Host } from '../../../src/agent/host.ts';
import { createHostGit } from '../../../src/hosts/host-git.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import type { Git } from '../../../src/workspace/git/commands/create-git.ts';
import { asks } from './play-turns.ts';
import { toolUse } from './plan-turns.ts';

export const author = { name: 'A', email: 'a@example.org' };

export const projectFiles: Readonly<Record<string, string>> = {
  'a.txt': 'a\n',
  'src/code.ts': 'code\n',
  'src/secret.txt': 'the secret\n',
};

/** What a person does with git in that directory. */
export function withGit<Result>(
  { executor, workspace, cwd }: Pick<Host, 'executor' | 'workspace' | 'cwd'>,
  work: (git: Git) => Promise<Result>,
  directory: string = cwd,
): Promise<Result> {
  return work(createHostGit({ executor, workspace, cwd: directory }));
}

/** The repository of one commit, in /workspace. */
export async function openProject(
  files: Readonly<Record<string, string>> = projectFiles,
): Promise<Host> {
  const host = await createInlineHost();
  await makeProject(host, files);
  return host;
}

/** The same in a host that is there. */
export async function makeProject(
  host: Pick<Host, 'executor' | 'workspace' | 'cwd'>,
  files: Readonly<Record<string, string>> = projectFiles,
): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = `${host.cwd}/${name}`;
    await host.workspace.fs.mkdir(path.slice(0, path.lastIndexOf('/')), { recursive: true });
    await host.workspace.fs.writeFile(path, text);
  }
  await withGit(host, async (git) => {
    await git.init();
    await git.add('.');
    await git.commit({ message: 'first', author });
  });
}

export const enters = (input: object = { name: 'fix' }, id = 'enter') =>
  asks(toolUse(id, 'EnterWorktree', input));
export const leaves = (input: object, id = 'exit') => asks(toolUse(id, 'ExitWorktree', input));
export const reads = (file_path: string, id = 'read') => asks(toolUse(id, 'Read', { file_path }));
export const writes = (file_path: string, content: string, id = 'write') =>
  asks(toolUse(id, 'Write', { file_path, content }));

/** Where EnterWorktree puts a work tree of that name. */
export const placeOf = (name: string) => `/workspace/.worktrees/${name}`;
