// Compares real git with ours: exports a view's files to a directory of the machine, runs git there, and describes a
// repository by both.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { LocalGit } from '../../../src/workspace/git/git.ts';
import type { SyncFileSystem } from '../../../src/workspace/files/file-system.ts';

/** Undefined if the machine has no git: tests then say so and pass. */
export const gitVersion = findGit();

function findGit(): string | undefined {
  try {
    return execFileSync('git', ['--version'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/** Runs git without user settings: only the repository's config, and no editor. */
export function runGit(directory: string, ...parameters: readonly string[]): string {
  return execFileSync('git', ['-c', 'core.quotePath=false', ...parameters], {
    cwd: directory,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 2 ** 28,
    env: {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'Real',
      GIT_AUTHOR_EMAIL: 'real@example.org',
      GIT_COMMITTER_NAME: 'Real',
      GIT_COMMITTER_EMAIL: 'real@example.org',
      GIT_EDITOR: 'true',
      TZ: 'UTC',
    },
  });
}

/** A directory of the machine that is removed at the end of the test. */
export function openDirectory(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'rockpool-git-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Writes all that a view shows into a directory of the machine. */
export function exportFiles(fs: SyncFileSystem, to: string, from = '/'): void {
  for (const name of fs.readdirSync(from)) {
    const path = from === '/' ? `/${name}` : `${from}/${name}`;
    const target = join(to, name);
    const stat = fs.lstatSync(path);
    if (stat.isDirectory()) {
      mkdirSync(target, { recursive: true });
      exportFiles(fs, target, path);
    } else if (stat.isSymbolicLink()) symlinkSync(fs.readlinkSync(path), target);
    else writeFileSync(target, fs.readFileSync(path), { mode: stat.mode & 0o777 });
  }
}

/** The inverse of {@link exportFiles}. */
export function importFiles(fs: SyncFileSystem, from: string, to: string): void {
  for (const name of readdirSync(from)) {
    const path = to === '/' ? `/${name}` : `${to}/${name}`;
    const source = join(from, name);
    const stat = lstatSync(source);
    if (stat.isDirectory()) {
      fs.mkdirSync(path, { recursive: true });
      importFiles(fs, source, path);
    } else if (stat.isSymbolicLink()) fs.symlinkSync(readlinkSync(source), path);
    else {
      fs.mkdirSync(dirname(path), { recursive: true });
      fs.writeFileSync(path, readFileSync(source), { mode: stat.mode & 0o777 });
    }
  }
}

/** Describes a work tree by real git. {@link describeOurs} describes one of ours in the same form. */
export function describeReal(directory: string) {
  const git = (...parameters: readonly string[]) => runGit(directory, ...parameters);
  const lines = (text: string) => text.split('\n').filter((line) => line !== '');
  return {
    status: joinRenames(git('status', '--porcelain', '-z').split('\0').filter(Boolean)).sort(),
    log: lines(git('log', '--all', '--format=%H %T %P|%an <%ae> %at|%cn %ct|%s')),
    head: lines(hasHead(directory) ? git('log', '--format=%H') : ''),
    // Paths in conflict stand in the status.
    staged: lines(git('diff', '--cached', '--raw', '--find-renames', '--abbrev=40'))
      .filter((line) => !/ U\t/u.test(line))
      // Without the similarity of renamed files.
      .map((line) => line.replace(/ R\d+\t/u, ' R\t'))
      .sort(),
    refs: lines(git('for-each-ref', '--format=%(objectname) %(refname)')).filter(
      (line) => !line.endsWith('/HEAD'),
    ),
    stashes: lines(git('stash', 'list', '--format=%H %gs')),
  };
}

/** With `-z` git tells where a renamed file was in an entry of its own. */
function joinRenames(entries: readonly string[]): string[] {
  return entries.flatMap((entry, at) => {
    if (entries[at - 1]?.startsWith('R') === true) return [];
    return [entry.startsWith('R') ? `${entry}\t${entries[at + 1]}` : entry];
  });
}

function hasHead(directory: string): boolean {
  try {
    runGit(directory, 'rev-parse', '--verify', 'HEAD');
    return true;
  } catch {
    return false;
  }
}

/** See {@link describeReal}. */
export async function describeOurs(git: LocalGit): Promise<ReturnType<typeof describeReal>> {
  const { files } = await git.status();
  const commits = await git.log({ all: true });
  const head = await git.log();
  const octal = (mode: number | undefined) => (mode ?? 0).toString(8).padStart(6, '0');
  const none = '0'.repeat(40);
  const staged = await git.diff({ staged: true });
  return {
    status: files
      .map(({ path, renamedFrom, index, worktree }) =>
        [`${index}${worktree} ${path}`, ...(renamedFrom === undefined ? [] : [renamedFrom])].join(
          '\t',
        ),
      )
      .sort(),
    log: commits.map(({ oid, tree, parents, author, committer, message }) => {
      const by = `${author.name} <${author.email}> ${author.timestamp}`;
      const subject = message.split('\n\n')[0]?.trim().replaceAll('\n', ' ') ?? '';
      const when = `${committer.name} ${committer.timestamp}`;
      return `${oid} ${tree} ${parents.join(' ')}|${by}|${when}|${subject}`;
    }),
    head: head.map(({ oid }) => oid),
    staged: staged
      .map(({ path, before, after, renamedFrom }) => {
        const changed = !before ? 'A' : !after ? 'D' : typeLetter(before.mode, after.mode);
        const said = renamedFrom === undefined ? changed : `R\t${renamedFrom}`;
        const sides = `${before?.oid ?? none} ${after?.oid ?? none}`;
        return `:${octal(before?.mode)} ${octal(after?.mode)} ${sides} ${said}\t${path}`;
      })
      .sort(),
    refs: await listRefs(git),
    stashes: (await git.stash.list()).map(({ oid, message }) => `${oid} ${message}`),
  };
}

function typeLetter(before: number, after: number): string {
  return before >> 12 === after >> 12 ? 'M' : 'T';
}

async function listRefs(git: LocalGit): Promise<string[]> {
  const branches = await git.branch.list({ remotes: true });
  const named = branches
    .filter(({ oid }) => oid !== null)
    .map(({ name, oid, isRemote }) => `${oid} refs/${isRemote ? 'remotes' : 'heads'}/${name}`);
  const stash = (await git.stash.list())[0];
  const tags = (await git.tag.list()).map(({ name, oid }) => `${oid} refs/tags/${name}`);
  return [...named, ...(stash ? [`${stash.oid} refs/stash`] : []), ...tags].sort((left, right) =>
    left.slice(41) < right.slice(41) ? -1 : 1,
  );
}
