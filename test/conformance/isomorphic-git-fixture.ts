// What isomorphic-git's own tests call to get a repository: theirs is a copy on Node's disk, this one is a copy in
// a workspace. isomorphic-git.config.ts puts it in the place of theirs; GIT_SUITE_FILES says whose files they get.
import { lstat, readFile, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { FileSystem } from 'isomorphic-git/internal-apis';
import { createMemoryWorkspace } from '../../src/workspace/memory-workspace.ts';
import type { FileSystem as WorkspaceFiles } from '../../src/workspace/files/file-system.ts';

const fixtures = join(process.env['GIT_SUITE'] ?? '', '__tests__', '__fixtures__');

/** A workspace's own files, each call a commit, or a draft view's. */
async function openFiles(): Promise<WorkspaceFiles> {
  const workspace = await createMemoryWorkspace();
  if (process.env['GIT_SUITE_FILES'] === 'workspace') return workspace.fs;
  const access = { cwd: '/', roots: ['/'], readOnlyRoots: [], rules: [], write: 'allow' } as const;
  return (await workspace.openView({ root: 'main', minSeq: workspace.seq() }, access)).fs;
}

async function copyIn(files: WorkspaceFiles, from: string, to: string): Promise<void> {
  await files.mkdir(to, { recursive: true });
  for (const name of await readdir(from)) {
    const [source, target] = [join(from, name), `${to}/${name}`];
    const stats = await lstat(source);
    if (stats.isDirectory()) await copyIn(files, source, target);
    else if (stats.isSymbolicLink()) await files.symlink(await readlink(source), target);
    else await files.writeFile(target, await readFile(source), { mode: stats.mode & 0o777 });
  }
}

/** As on a disk, all that a file of tests makes lies beside each other, and is copied from one to the other. */
const files = await openFiles();

/** A new directory with the fixture of that name, as far as the suite has one. */
async function makeDirectory(name: string, there: ReadonlySet<string>): Promise<string> {
  const directory = await files.mkdtemp('/fixture-');
  if (there.has(name)) await copyIn(files, join(fixtures, name), directory);
  return directory;
}

export async function makeFixture(name: string) {
  const there = new Set(await readdir(fixtures));
  const _fs = { promises: files };
  const dir = await makeDirectory(name, there);
  const gitdir = await makeDirectory(`${name}.git`, there);
  return { _fs, fs: new FileSystem(_fs), dir, gitdir };
}
