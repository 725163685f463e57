// Ours and real git side by side: a repository that ours works on, and a copy of it for real git.
import { dirname } from 'node:path';
import { createGit } from '../../../src/workspace/git/commands/create-git.ts';
import type { LocalGit } from '../../../src/workspace/git/git.ts';
import type { SyncFileSystem } from '../../../src/workspace/files/file-system.ts';
import { exportFiles, openDirectory } from './git-export.ts';
import { openEmptyView, runGit } from './real-git.ts';

const author = { name: 'A', email: 'a@example.com' };

type Content = string | Uint8Array;

/** A repository at the root, which ours works on. */
export class GitBench {
  readonly git: LocalGit;
  readonly fs: SyncFileSystem;

  private constructor(git: LocalGit, fs: SyncFileSystem) {
    this.git = git;
    this.fs = fs;
  }

  static async open(files: Readonly<Record<string, Content>>): Promise<GitBench> {
    const view = await openEmptyView();
    const bench = new GitBench(createGit(view, { author }), view.fs.sync);
    await bench.git.init();
    await bench.commit(files, 'Base');
    return bench;
  }

  async commit(files: Readonly<Record<string, Content>>, message = 'Change'): Promise<void> {
    this.write(files);
    await this.git.add('.');
    await this.git.commit({ message });
  }

  write(files: Readonly<Record<string, Content>>): void {
    for (const [path, content] of Object.entries(files)) {
      this.fs.mkdirSync(dirname(`/${path}`), { recursive: true });
      this.fs.writeFileSync(`/${path}`, content);
    }
  }

  /** On a new branch, and back. */
  async commitBeside(
    files: Readonly<Record<string, Content>>,
    message?: string,
    branch = 'topic',
  ): Promise<void> {
    await this.git.switch(branch, { create: true });
    await this.commit(files, message);
    await this.git.switch('main');
  }

  text(path: string): string {
    return this.fs.readFileSync(`/${path}`, 'utf8');
  }
}

/** Real git at what the bench holds now. */
export function copyOut({ fs }: GitBench) {
  const directory = openDirectory();
  exportFiles(fs, directory.path);
  return directory;
}

/** Whether it went well. */
export function tryGit(directory: string, ...args: readonly string[]): boolean {
  try {
    runGit(directory, args);
    return true;
  } catch {
    return false;
  }
}
