// Cloning and fetching from a real git server: what arrives is what real git has, and real git takes it.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GitProgress } from '../../../src/workspace/git/git.ts';
import { startGitServer, type GitServer } from '../../support/git/git-server.ts';
import {
  gitText,
  makeRepository,
  openEmptyView,
  runGit,
  runGitLater,
  takeOut,
} from '../../support/git/real-git.ts';
import { openRemoteGit } from '../../support/git/remote-git.ts';

let directory: string;
let origin: string;
let server: GitServer;
let count = 0;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'clone-'));
  makeRepository(join(directory, 'made'), 8);
  server = await startGitServer(directory);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, maxRetries: 5 });
});

/** A server's repository of this test alone. */
beforeEach(() => {
  count += 1;
  origin = join(directory, `origin-${count}`);
  cpSync(join(directory, 'made'), origin, { recursive: true });
});
const url = () => `${server.url}/origin-${count}`;

/** The view's repository on the disk. Fails where real git finds fault with it. */
function out(view: Awaited<ReturnType<typeof openEmptyView>>, path: string): string {
  const target = join(directory, `out-${count}-${Math.random()}`);
  takeOut(view.fs.sync, path, target);
  runGit(target, ['fsck', '--full', '--strict']);
  return target;
}

function commitOn(repository: string, name: string): string {
  writeFileSync(join(repository, name), `${name}\n`);
  runGit(repository, ['add', '-A']);
  runGit(repository, ['commit', '-qm', name]);
  return gitText(repository, 'rev-parse', 'HEAD');
}

describe('clone', () => {
  it('gets one commit of one branch, and its files', async () => {
    const view = await openEmptyView();
    const told: GitProgress[] = [];
    const result = await openRemoteGit(view).clone(url(), { onProgress: (one) => told.push(one) });
    const head = gitText(origin, 'rev-parse', 'HEAD');
    expect(result).toEqual({
      directory: `/origin-${count}`,
      branch: 'main',
      head,
      files: 9,
      bytes: result.bytes,
    });
    const copy = out(view, `/origin-${count}`);
    expect(gitText(copy, 'status', '--porcelain')).toBe('');
    expect(gitText(copy, 'log', '--format=%H')).toBe(head);
    expect(gitText(copy, 'ls-files', '-s')).toBe(gitText(origin, 'ls-files', '-s'));
    expect(gitText(copy, 'rev-parse', 'origin/main')).toBe(head);
    // Its own git goes on from there.
    await runGitLater(copy, ['fetch', '--unshallow', '-q']);
    expect(gitText(copy, 'rev-list', '--count', 'HEAD')).toBe('9');
    expect([...new Set(told.map(({ phase }) => phase.split(':')[0]))]).toEqual(
      expect.arrayContaining(['receiving', 'indexing', 'checking out']),
    );
  });

  it('gets all commits, branches and tags when asked to', async () => {
    const view = await openEmptyView();
    await openRemoteGit(view).clone(url(), { full: true, directory: '/copy' });
    const copy = out(view, '/copy');
    const refs = ['for-each-ref', '--format=%(objectname) %(refname:lstrip=-1)'];
    expect(gitText(copy, ...refs, 'refs/tags')).toBe(gitText(origin, ...refs, 'refs/tags'));
    expect(gitText(copy, 'log', '--format=%H')).toBe(gitText(origin, 'log', '--format=%H'));
    expect(gitText(copy, 'rev-parse', 'origin/side')).toBe(gitText(origin, 'rev-parse', 'side'));
    expect(gitText(copy, 'rev-parse', '--is-shallow-repository')).toBe('false');
    expect(gitText(copy, 'status', '--porcelain')).toBe('');
  });

  it('gets a branch, a tag and an empty repository', async () => {
    const view = await openEmptyView();
    const git = openRemoteGit(view);
    await git.clone(url(), { branch: 'side', directory: '/side' });
    expect(gitText(out(view, '/side'), 'branch', '--show-current')).toBe('side');
    const tagged = await git.clone(url(), { branch: 'v1', directory: '/tag' });
    expect(tagged).toMatchObject({ branch: null, head: gitText(origin, 'rev-parse', 'v1^{}') });
    expect(gitText(out(view, '/tag'), 'describe', '--tags')).toBe('v1');
    runGit(directory, ['init', '-q', `empty-${count}`]);
    const empty = await git.clone(`${server.url}/empty-${count}`, { directory: '/empty' });
    expect(empty).toMatchObject({ head: null, files: 0 });
    expect(gitText(out(view, '/empty'), 'status', '--porcelain')).toBe('');
  });
});

describe('fetch', () => {
  it('gets what is new, deepens, and gets the rest', async () => {
    const view = await openEmptyView();
    await openRemoteGit(view).clone(url(), { directory: '/copy' });
    const git = openRemoteGit(view, {}, '/copy');
    const before = gitText(origin, 'rev-parse', 'HEAD');
    const after = commitOn(origin, 'new');
    expect(await git.fetch()).toMatchObject({
      remote: 'origin',
      updated: [{ ref: 'refs/remotes/origin/main', before, after }],
    });
    expect(await git.fetch()).toMatchObject({ updated: [], bytes: 0 });
    const countCommits = () => gitText(out(view, '/copy'), 'rev-list', '--count', 'origin/main');
    expect(countCommits()).toBe('2');
    await git.fetch({ deepen: 2 });
    expect(countCommits()).toBe('4');
    await git.fetch({ full: true });
    expect(countCommits()).toBe('10');
    expect(view.fs.sync.existsSync('/copy/.git/shallow')).toBe(false);
  });

  it('forgets branches that are gone, when asked to', async () => {
    const view = await openEmptyView();
    await openRemoteGit(view).clone(url(), { directory: '/copy', full: true });
    const git = openRemoteGit(view, {}, '/copy');
    const side = gitText(origin, 'rev-parse', 'side');
    runGit(origin, ['branch', '-qD', 'side']);
    expect((await git.fetch()).updated).toEqual([]);
    const ref = 'refs/remotes/origin/side';
    expect((await git.fetch({ prune: true })).updated).toEqual([
      { ref, before: side, after: null },
    ]);
  });
});

describe('pull', () => {
  it('moves a branch on, and merges what went on on both sides', async () => {
    const view = await openEmptyView();
    await openRemoteGit(view).clone(url(), { directory: '/copy', depth: 5 });
    const git = openRemoteGit(view, {}, '/copy');
    const oid = commitOn(origin, 'theirs');
    expect(await git.pull()).toEqual({ type: 'fast-forward', oid });
    expect(view.fs.sync.readFileSync('/copy/theirs', 'utf8')).toBe('theirs\n');
    expect(await git.pull()).toEqual({ type: 'up-to-date' });
    expect(gitText(out(view, '/copy'), 'status', '--porcelain')).toBe('');
  });
});

describe('remote', () => {
  it('lists, adds, changes and removes', async () => {
    const view = await openEmptyView();
    await openRemoteGit(view).clone(url(), { directory: '/copy' });
    const { remote } = openRemoteGit(view, {}, '/copy');
    await remote.add('fork', 'https://example.com/a/b.git/');
    await remote.setUrl('origin', 'https://example.com/c');
    expect(await remote.list()).toEqual([
      { name: 'origin', url: 'https://example.com/c' },
      { name: 'fork', url: 'https://example.com/a/b.git' },
    ]);
    await remote.remove('fork');
    const copy = out(view, '/copy');
    expect(gitText(copy, 'remote', '-v').split('\n')[0]).toBe(
      'origin\thttps://example.com/c (fetch)',
    );
    await expect(remote.add('origin', 'https://example.com/d')).rejects.toThrow('already');
    await expect(remote.remove('none')).rejects.toThrow(
      'There is no remote "none". There are: origin.',
    );
  });
});
