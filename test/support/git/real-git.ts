// Real git for Node: creates repositories and copies drafts to them. It reads no settings of the
// machine, and its clock doesn't advance.
import { execFile, execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SyncFileSystem } from '../../../src/workspace/files/file-system.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import type { WorkspaceView } from '../../../src/workspace/draft/view.ts';
import { openAccess } from '../files/workspaces.ts';

const environment = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_AUTHOR_DATE: '1700000000 +0000',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.com',
  GIT_COMMITTER_DATE: '1700000000 +0000',
  GIT_TERMINAL_PROMPT: '0',
};

/** What it printed. Throws what it complained. */
export function runGit(
  directory: string,
  args: readonly string[],
  input?: Uint8Array | string,
): Buffer {
  return execFileSync('git', ['-c', 'init.defaultBranch=main', '-c', 'gc.auto=0', ...args], {
    cwd: directory,
    env: environment,
    maxBuffer: 1_000_000_000,
    timeout: 240_000,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(input !== undefined && { input }),
  });
}

/** As {@link runGit}, for git that talks to a server of this process. */
export async function runGitLater(directory: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', args, { cwd: directory, env: environment });
  return stdout;
}

/** As {@link runGit}, without the line feed at the end. */
export function gitText(directory: string, ...args: readonly string[]): string {
  return runGit(directory, args).toString().trimEnd();
}

/** A view over an empty workspace in memory that may do anything. */
export async function openEmptyView(): Promise<WorkspaceView> {
  const workspace = await createMemoryWorkspace();
  return workspace.openView({ root: 'main', minSeq: 0 }, openAccess('/'));
}

/** Copies what is on the disk below `from` into the view. */
export function bringIn(files: SyncFileSystem, from: string, to: string): void {
  files.mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    const source = join(from, name);
    const stats = lstatSync(source);
    if (stats.isDirectory()) bringIn(files, source, `${to}/${name}`);
    else if (stats.isSymbolicLink()) files.symlinkSync(readlinkSync(source), `${to}/${name}`);
    else files.writeFileSync(`${to}/${name}`, readFileSync(source), { mode: stats.mode & 0o777 });
  }
}

/** Copies what the view has below `from` onto the disk. */
export function takeOut(files: SyncFileSystem, from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of files.readdirSync(from, { withFileTypes: true })) {
    const source = `${from}/${entry.name}`;
    const target = join(to, entry.name);
    if (entry.isDirectory()) takeOut(files, source, target);
    else if (entry.isSymbolicLink()) runLink(files.readlinkSync(source), target);
    else {
      const { mode } = files.statSync(source);
      writeFileSync(target, files.viewFileSync(source), { mode: mode & 0o777 });
    }
  }
}

function runLink(target: string, path: string): void {
  execFileSync('ln', ['-s', '--', target, path]);
}

/**
 * A repository with `commits` commits at `directory`, by one `git fast-import`. It has texts that
 * are edited, so that packs hold deltas, in directories. It has a merge, a tag, a link and a
 * program.
 */
export function makeRepository(directory: string, commits = 12): void {
  mkdirSync(directory, { recursive: true });
  runGit(directory, ['init', '-q']);
  const lines = Array.from({ length: 400 }, (_, line) => `line ${line} ${line * 7919}`);
  const stream: string[] = [];
  const data = (text: string) => `data ${text.length}\n${text}\n`;
  const file = (path: string, text: string, mode = '100644') =>
    stream.push(`M ${mode} inline ${path}\n${data(text)}`);
  const commit = (branch: string, message: string, ...parents: string[]) =>
    stream.push(
      `commit refs/heads/${branch}\ncommitter A <a@example.com> 1700000000 +0000\n${data(message)}`,
      ...parents.map((parent) => `${parent}\n`),
    );
  for (let number = 0; number < commits; number += 1) {
    const merged = number === 4 ? ['merge refs/heads/side'] : [];
    commit('main', `commit ${number}`, ...merged);
    lines[number * 17] = `changed by ${number}`;
    file('src/long.txt', lines.join('\n'));
    file(`src/deep/file-${number % 5}.txt`, `content ${number}\n`);
    file('run.sh', `#!/bin/sh\necho ${number}\n`, '100755');
    if (number === 0) file('link', 'src/long.txt', '120000');
    if (number === 4) file('side.txt', 'side\n');
    if (number === 2) {
      commit('side', 'on the side', 'from refs/heads/main');
      file('side.txt', 'side\n');
    }
    if (number === 6) {
      const tagger = 'tagger A <a@example.com> 1700000000 +0000';
      stream.push(`tag v1\nfrom refs/heads/main\n${tagger}\n${data('a tag')}`);
    }
  }
  runGit(directory, ['fast-import', '--quiet'], stream.join(''));
  runGit(directory, ['reset', '-q', '--hard']);
}
