// Real git beside ours: a directory of the disk, and a workspace's files written into it.
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FileSystem } from '../../../src/workspace/files/file-system.ts';

const run = promisify(execFile);

export interface RealGit extends AsyncDisposable {
  readonly directory: string;
  /** Resolves to its output. If git fails, rejects with its error output. */
  git(...parameters: readonly string[]): Promise<string>;
}

/** Writes everything below `path`, including links and modes, to a new directory, which is removed at the end. */
export async function exportTree(fs: FileSystem, path: string): Promise<RealGit> {
  const directory = await mkdtemp(join(tmpdir(), 'real-git-'));
  await copyInto(fs, path, directory);
  return {
    directory,
    async git(...parameters) {
      const options = { cwd: directory, env: cleanEnvironment(directory), maxBuffer: 2 ** 26 };
      return (await run('git', parameters, options)).stdout;
    },
    async [Symbol.asyncDispose]() {
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** An environment without settings of the machine or of a person. */
function cleanEnvironment(home: string): NodeJS.ProcessEnv {
  const person = { NAME: 'A', EMAIL: 'a@example.org' };
  return {
    ...{ PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' },
    ...Object.fromEntries(
      Object.entries(person).flatMap(([name, value]) => [
        [`GIT_AUTHOR_${name}`, value],
        [`GIT_COMMITTER_${name}`, value],
      ]),
    ),
  };
}

async function copyInto(fs: FileSystem, from: string, to: string): Promise<void> {
  for (const entry of await fs.readdir(from, { withFileTypes: true })) {
    const [source, target] = [`${from === '/' ? '' : from}/${entry.name}`, join(to, entry.name)];
    if (entry.isSymbolicLink()) {
      await symlink(await fs.readlink(source), target);
    } else if (entry.isDirectory()) {
      await mkdir(target);
      await copyInto(fs, source, target);
    } else {
      await writeFile(target, await fs.readFile(source));
      await chmod(target, (await fs.stat(source)).mode & 0o777);
    }
  }
}
