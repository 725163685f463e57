// Pushing to a real git server: what it takes, what it refuses, and who it asks for.
import type { ServerResponse } from 'node:http';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GitCredentials, GitNetwork } from '../../../src/workspace/git/remote/network.ts';
import type { WorkspaceView } from '../../../src/workspace/draft/view.ts';
import { startGitServer, type GitServer } from '../../support/git/git-server.ts';
import {
  bringIn,
  gitText,
  makeRepository,
  openEmptyView,
  runGit,
} from '../../support/git/real-git.ts';
import { openRemoteGit } from '../../support/git/remote-git.ts';

let directory: string;
let origin: string;
let server: GitServer;
let count = 0;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'push-'));
  makeRepository(join(directory, 'made'), 3);
  runGit(directory, ['clone', '-q', '--bare', 'made', 'base.git']);
  runGit(directory, ['clone', '-q', 'base.git', 'work']);
  server = await startGitServer(directory);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, maxRetries: 5 });
});

beforeEach(() => {
  count += 1;
  origin = join(directory, `origin-${count}.git`);
  cpSync(join(directory, 'base.git'), origin, { recursive: true });
  server.authorize = undefined;
  server.intercept = undefined;
});

/** A clone with one commit that the server doesn't have. */
async function cloneAndCommit(network: Partial<GitNetwork> = {}, name = 'mine') {
  const view = await openEmptyView();
  bringIn(view.fs.sync, join(directory, 'work'), '/copy');
  const git = openRemoteGit(view, network, '/copy');
  await git.remote.setUrl('origin', `${server.url}/origin-${count}.git`);
  view.fs.sync.writeFileSync(`/copy/${name}`, `${name}\n`);
  await git.add('.');
  const { oid } = await git.commit({ message: name });
  return { view, git, oid };
}

/** Another view with the same files. */
async function openCopy(view: WorkspaceView): Promise<WorkspaceView> {
  const copy = await openEmptyView();
  const visit = (path: string): void => {
    for (const entry of view.fs.sync.readdirSync(path, { withFileTypes: true })) {
      const at = `${path}/${entry.name}`;
      if (entry.isSymbolicLink()) copy.fs.sync.symlinkSync(view.fs.sync.readlinkSync(at), at);
      else if (!entry.isDirectory()) copy.fs.sync.writeFileSync(at, view.fs.sync.readFileSync(at));
      else {
        copy.fs.sync.mkdirSync(at);
        visit(at);
      }
    }
  };
  copy.fs.sync.mkdirSync('/copy');
  visit('/copy');
  return copy;
}

/** All that is in the view, and the version of each path. */
function everything(view: WorkspaceView): string {
  return JSON.stringify(view.changeSet(), (_key, value: unknown) =>
    value instanceof Uint8Array ? [...value].join() : value,
  );
}

function commitOnServer(name: string): void {
  const other = join(directory, `other-${count}`);
  runGit(directory, ['clone', '-q', origin, other]);
  writeFileSync(join(other, name), name);
  runGit(other, ['add', '-A']);
  runGit(other, ['commit', '-qm', name]);
  runGit(other, ['push', '-q']);
}

describe('push', () => {
  it('sends a branch, a new one and a tag, and deletes', async () => {
    const { git, oid } = await cloneAndCommit();
    const before = gitText(origin, 'rev-parse', 'main');
    expect(await git.push()).toEqual({
      remote: 'origin',
      ref: 'refs/heads/main',
      before,
      after: oid,
      message: '',
    });
    expect(gitText(origin, 'rev-parse', 'main')).toBe(oid);
    runGit(origin, ['fsck', '--strict']);
    expect(await git.push()).toMatchObject({ before: oid, after: oid });
    await git.switch('feature/x', { create: true });
    await git.tag.create('v2', { message: 'two' });
    await git.push();
    await git.push({ ref: 'v2' });
    expect(gitText(origin, 'rev-parse', 'feature/x', 'v2^{}')).toBe(`${oid}\n${oid}`);
    expect(await git.fetch({ branch: 'feature/x' })).toMatchObject({ updated: [] });
    await git.push({ delete: true });
    expect(gitText(origin, 'branch', '--list', 'feature/x')).toBe('');
  });

  it('knows of what the server has already, as after a push that was cut off', async () => {
    const { view, git, oid } = await cloneAndCommit();
    const cutOff = openRemoteGit(await openCopy(view), {}, '/copy');
    await cutOff.push();
    const tracked = async () =>
      (await git.branch.list({ remotes: true })).find(({ name }) => name === 'origin/main')?.oid;
    expect(await tracked()).not.toBe(oid);
    expect(await git.push()).toMatchObject({ before: oid, after: oid });
    expect(await tracked()).toBe(oid);
  });

  it('sends only what the server does not have', async () => {
    const { git } = await cloneAndCommit();
    let sent = 0;
    await git.push({ onProgress: ({ phase, done }) => (sent = phase === 'sending' ? done : sent) });
    // A commit, a tree and a file: not the whole tree.
    expect(sent).toBeLessThan(1500);
  });

  it('is refused where the server has more, and goes on after a pull or by force', async () => {
    const { view, git } = await cloneAndCommit();
    commitOnServer('theirs');
    const before = everything(view);
    await expect(git.push()).rejects.toMatchObject({
      code: 'bad-usage',
      message: expect.stringMatching(/^main of 127\.0\.0\.1:\d+ has commits .* Pull first/su),
    });
    expect(everything(view)).toBe(before);
    expect(await git.pull()).toMatchObject({ type: 'merged' });
    expect(await git.push()).toMatchObject({ ref: 'refs/heads/main' });
    view.fs.sync.writeFileSync('/copy/mine', 'again');
    await git.commit({ message: 'again', all: true, amend: true });
    await expect(git.push()).rejects.toMatchObject({ code: 'bad-usage' });
    expect(await git.push({ force: true })).toMatchObject({ ref: 'refs/heads/main' });
  });

  it('goes on after a pull that puts its commits on top of theirs', async () => {
    const { git } = await cloneAndCommit();
    commitOnServer('theirs');
    const theirs = gitText(origin, 'rev-parse', 'main');
    await expect(git.pull({ rebase: true, fastForward: 'only' })).rejects.toMatchObject({
      code: 'bad-usage',
    });
    expect(await git.pull({ rebase: true })).toMatchObject({ type: 'rebased' });
    await git.push();
    expect(gitText(origin, 'rev-parse', 'main^')).toBe(theirs);
  });

  it('says what a hook of the server says when it refuses', async () => {
    const { view, git } = await cloneAndCommit();
    mkdirSync(join(origin, 'hooks'), { recursive: true });
    const hook = '#!/bin/sh\necho "only on \\033[31mMondays"\nexit 1\n';
    writeFileSync(join(origin, 'hooks/pre-receive'), hook, { mode: 0o755 });
    const before = everything(view);
    await expect(git.push()).rejects.toThrow(
      /^127\.0\.0\.1:\d+ refused main: pre-receive hook declined\. It says: only on {2}\[31mMondays$/u,
    );
    expect(everything(view)).toBe(before);
  });

  it.each<[string, (response: ServerResponse) => void, RegExp]>([
    [
      'a page to sign in at',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      /answered, but not by git/u,
    ],
    [
      'a redirect',
      (response) => response.writeHead(302, { location: 'https://elsewhere.example/x' }).end(),
      /answered by a redirect to https:\/\/elsewhere\.example/u,
    ],
    ['a connection that breaks', (response) => void response.destroy(), /can't be reached/u],
    [
      'a report that is no report',
      (response) =>
        response
          .writeHead(200, { 'content-type': 'application/x-git-receive-pack-result' })
          .end('nonsense'),
      /answered by something else/u,
    ],
  ])(
    'says what is wrong with %s in its middle, and changes nothing here',
    async (_, answer, why) => {
      const { view, git } = await cloneAndCommit();
      const before = everything(view);
      server.intercept = (request, response) => {
        if (request.method === 'GET') return false;
        request.resume();
        answer(response);
        return true;
      };
      const error: unknown = await git.push().catch((thrown: unknown) => thrown);
      server.intercept = undefined;
      expect(error).toMatchObject({ name: 'SdkError', message: expect.stringMatching(why) });
      expect(everything(view)).toBe(before);
    },
  );

  it('changes nothing here where it is stopped', async () => {
    const { view, git } = await cloneAndCommit();
    const before = everything(view);
    const controller = new AbortController();
    const pushing = git.push({
      signal: controller.signal,
      onProgress: ({ phase }) => {
        if (phase === 'sending') controller.abort();
      },
    });
    await expect(pushing).rejects.toMatchObject({ code: 'aborted' });
    expect(everything(view)).toBe(before);
  });

  it('says what there is not', async () => {
    const { git } = await cloneAndCommit();
    await expect(git.push({ ref: 'none' })).rejects.toThrow('There is no branch or tag none');
    await expect(git.push({ remote: 'none' })).rejects.toThrow('There is no remote "none"');
    await expect(git.fetch({ branch: 'none' })).rejects.toThrow(
      'has no branch none. It has main, side.',
    );
    const url = 'git@github.com:a/b.git';
    await expect(git.clone(url)).rejects.toThrow(
      'not ssh. Use https://github.com/a/b.git with a token',
    );
  });
});

describe('credentials', () => {
  const secret = 'S3CR3T-token';
  const header = `Basic ${Buffer.from(`x-access-token:${secret}`).toString('base64')}`;

  function source(...given: (GitCredentials | undefined)[]) {
    const asked: string[] = [];
    const credentials = async (host: string) => {
      asked.push(host);
      return given[Math.min(asked.length, given.length) - 1];
    };
    return { asked, network: { credentials: { credentials } } };
  }

  it('are asked for when the server wants them, and stand in nothing that is left', async () => {
    const { asked, network } = source({ token: secret });
    server.authorize = (authorization) => authorization === header;
    const view = await openEmptyView();
    const told: unknown[] = [];
    const options = { directory: '/copy', onProgress: (one: unknown) => told.push(one) };
    const git = openRemoteGit(view, network);
    told.push(await git.clone(`${server.url}/origin-${count}.git`, options));
    expect(asked).toEqual([new URL(server.url).host]);
    const copy = openRemoteGit(view, network, '/copy');
    view.fs.sync.writeFileSync('/copy/new', 'new');
    await copy.add('.');
    await copy.commit({ message: 'new' });
    // A server that repeats what it hears.
    mkdirSync(join(origin, 'hooks'), { recursive: true });
    const encoded = header.slice(6);
    const hook = `#!/bin/sh\necho ${secret} ${encoded}\nexit 1\n`;
    writeFileSync(join(origin, 'hooks/pre-receive'), hook, { mode: 0o755 });
    const error: unknown = await copy.push().catch((reason: unknown) => reason);
    expect(String(error)).toContain('It says: *** ***');
    rmSync(join(origin, 'hooks/pre-receive'));
    told.push(await copy.push(), await copy.remote.list(), error, (error as Error).stack);
    told.push(JSON.stringify(error), (error as Error).cause);
    const all = everything(view) + told.map((one) => JSON.stringify(one) + String(one)).join('\n');
    const bytes = view
      .changeSet()
      ?.changes.map((change) =>
        'content' in change && change.content instanceof Uint8Array
          ? Buffer.from(change.content).toString('latin1')
          : '',
      );
    for (const text of [all, bytes?.join('\n') ?? '']) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(encoded);
    }
  });

  it('that ran out in the middle of a push are asked for again', async () => {
    const { asked, network } = source({ token: 'old' }, { token: secret });
    const { git, oid } = await cloneAndCommit(network);
    const old = `Basic ${Buffer.from('x-access-token:old').toString('base64')}`;
    server.authorize = (authorization, request) =>
      authorization === (request.method === 'GET' ? old : header);
    expect(await git.push()).toMatchObject({ after: oid });
    expect(asked).toHaveLength(2);
  });

  it.each<[string, (GitCredentials | undefined)[] | undefined, RegExp]>([
    ['none at all', undefined, /wants to know who asks, and this host has no credentials/],
    ['none for the host', [undefined], /there are no credentials for it/],
    ['wrong ones', [{ username: 'a', password: 'b' }], /refuses the credentials/],
    ['ones that run out in the middle', [{ token: 'old' }], /have run out\. Renew them/],
    ['ones that cannot be sent', [{ token: 'a\r\nx: y' }], /hold a character that can't be sent/],
  ])('leave everything as it was with %s', async (_what, given, message) => {
    const { view, git } = await cloneAndCommit(given && source(...given).network);
    const old = `Basic ${Buffer.from('x-access-token:old').toString('base64')}`;
    server.authorize = (authorization, request) =>
      request.method === 'GET' && authorization === old;
    const before = everything(view);
    await expect(git.push()).rejects.toMatchObject({
      code: 'permission-denied',
      message: expect.stringMatching(message),
    });
    expect(everything(view)).toBe(before);
  });

  it('are sent by https alone, and never in an address', async () => {
    const view = await openEmptyView();
    const fetch = {
      redirect: 'manual',
      ownHosts: [],
      send: async () => new Response('', { status: 401 }),
    } as const;
    const git = openRemoteGit(view, { fetch, ...source({ token: secret }).network });
    await expect(git.clone('http://example.com/a')).rejects.toThrow(
      'Credentials are sent only by https',
    );
    const error: unknown = await git.clone(`https://me:${secret}@example.com/a`).catch(String);
    expect(error).toMatch(/holds a user name or a password/);
    expect(error).not.toContain(secret);
  });
});
