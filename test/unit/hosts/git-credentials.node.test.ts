// Credentials of a browser's host: its tool worker asks the page, by the real two ends of their port. Here with
// a real git server, and with the worker's half in the same thread.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createServerFetch } from '../../../src/core/host-ports/fetch-port.ts';
import { giveCredentials } from '../../../src/hosts/browser/page/give-credentials.ts';
import { createWorkerExecutor } from '../../../src/hosts/browser/pool/worker-executor.ts';
import type { ConnectToolWorker } from '../../../src/hosts/browser/pool/worker-connection.ts';
import { serveCalls } from '../../../src/hosts/browser/tool-worker/serve-calls.ts';
import { unpackChanges } from '../../../src/hosts/browser/wire/packed-changes.ts';
import { readFromToolWorker } from '../../../src/hosts/browser/wire/read-message.ts';
import { createHostGit } from '../../../src/hosts/host-git.ts';
import { createKeptValues } from '../../../src/hosts/kept-values.ts';
import { SearchService } from '../../../src/search/search-service.ts';
import { gitWorkName } from '../../../src/core/git/git-steps.ts';
import { gitWorker } from '../../../src/tools/git/worker.ts';
import type { GitCredentialSource } from '../../../src/workspace/git/remote/network.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import { startGitServer, type GitServer } from '../../support/git/git-server.ts';
import { gitText, makeRepository } from '../../support/git/real-git.ts';

let directory: string;
let server: GitServer;
const closing: Disposable[] = [];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'credentials-'));
  makeRepository(join(directory, 'origin'), 3);
  gitText(join(directory, 'origin'), 'config', 'receive.denyCurrentBranch', 'ignore');
  server = await startGitServer(directory);
});

afterEach(async () => {
  for (const one of closing.splice(0)) one[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, maxRetries: 5 });
});

const basic = (token: string) =>
  `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;

/** A page's git whose worker is at the other end of a channel, and all that the worker has said. */
async function openPage(source: GitCredentialSource) {
  const workspace = await createMemoryWorkspace();
  await workspace.fs.mkdir('/workspace/p', { recursive: true });
  const said: unknown[] = [];
  const connect: ConnectToolWorker = ({ onReady, onMessage }) => {
    const { port1, port2 } = new MessageChannel();
    const serving = serveCalls(port2, {
      entries: [{ name: gitWorkName, load: async () => gitWorker }],
      views: workspace,
      search: new SearchService({}),
      realm: {
        ...createKeptValues(),
        network: createServerFetch((url, init) => fetch(url, init)),
        loadWasm: () => Promise.reject(new Error('There is none.')),
      },
      git: { author: { name: 'A', email: 'a@example.org' }, hasCredentials: true },
    });
    port1.addEventListener('message', ({ data }: MessageEvent) => {
      said.push(data);
      onMessage(readFromToolWorker(data));
    });
    port1.start();
    queueMicrotask(() => onReady({ yieldingTools: [] }));
    const end = () => {
      serving[Symbol.dispose]();
      port1.close();
    };
    return { send: (message) => port1.postMessage(message), end };
  };
  const executor = createWorkerExecutor(connect, {
    size: 1,
    credentials: (...asked) => giveCredentials({ source, ownHost: 'page.test' }, ...asked),
  });
  closing.push(executor);
  const git = createHostGit({
    executor,
    workspace,
    cwd: '/workspace/p',
    commitPacked: (packed, options) => workspace.commit(unpackChanges(packed), options),
  });
  return { git, workspace, said };
}

it('gives a worker what one call needs, anew in mid-push, and leaves the secret nowhere', async () => {
  const secrets = ['sesame-1', 'sesame-2'];
  const valid = new Set([basic('sesame-1')]);
  server.authorize = (authorization, request) => {
    // The first runs out between the two requests of a push.
    if (request.method === 'POST' && request.url?.endsWith('/git-receive-pack')) {
      valid.delete(basic('sesame-1'));
      valid.add(basic('sesame-2'));
    }
    return authorization !== undefined && valid.has(authorization);
  };
  const asked: string[] = [];
  const tokens = ['sesame-1', 'sesame-1', 'sesame-2'];
  const { git, workspace, said } = await openPage({
    async credentials(host) {
      asked.push(host);
      const token = tokens.shift();
      return token === undefined ? undefined : { token };
    },
  });
  const { host } = new URL(server.url);
  const progress: unknown[] = [];
  const onProgress = (at: unknown) => void progress.push(at);
  const cloned = await git.clone(`${server.url}/origin`, { directory: '.', onProgress });
  await workspace.fs.writeFile('/workspace/p/new.txt', 'new\n');
  await git.add('.');
  const { oid } = await git.commit({ message: 'new' });
  const pushed = await git.push({ onProgress });
  expect(gitText(join(directory, 'origin'), 'rev-parse', 'main')).toBe(oid);
  expect(asked).toEqual([host, host, host]);

  // One more, that is refused: the sentence says so.
  valid.clear();
  tokens.push('sesame-2', 'sesame-2');
  const error = await git.fetch().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'permission-denied' });
  expect(String(error)).toContain(`${host} refuses the credentials`);

  const everything = [JSON.stringify([said, progress, cloned, pushed, error, server.requests])];
  for (const path of await workspace.fs.readdir('/', { recursive: true })) {
    const isFile = (await workspace.fs.stat(`/${path}`)).isFile();
    if (isFile) everything.push(`${path} ${await workspace.fs.readFile(`/${path}`, 'latin1')}`);
  }
  for (const secret of secrets.flatMap((each) => [each, basic(each).slice('Basic '.length)])) {
    expect(everything.filter((text) => text.includes(secret))).toEqual([]);
  }
});

it('asks no longer when the command is stopped, and says what the source came to', async () => {
  server.authorize = () => false;
  let signal: AbortSignal | undefined;
  const answers: Record<string, GitCredentialSource['credentials']> = {
    waits: (_host, options) => {
      ({ signal } = options);
      stop.abort();
      return new Promise(() => {});
    },
    nothing: async () => undefined,
    rejects: () => Promise.reject(new Error('The vault is closed.')),
    // The cast: what a page without types may give.
    wrong: async () => ({ token: 7 }) as unknown as undefined,
  };
  let answer = 'waits';
  const stop = new AbortController();
  const { git } = await openPage({ credentials: (...asked) => answers[answer]!(...asked) });
  const clone = (options = {}) => git.clone(`${server.url}/origin`, { directory: '.', ...options });
  await expect(clone({ signal: stop.signal })).rejects.toMatchObject({ code: 'aborted' });
  expect(signal?.aborted).toBe(true);
  answer = 'nothing';
  await expect(clone()).rejects.toThrow('there are no credentials for it');
  answer = 'rejects';
  await expect(clone()).rejects.toThrow('The vault is closed.');
  answer = 'wrong';
  await expect(clone()).rejects.toThrow('gave neither { token } nor { username, password }');
});

it('gives nothing to a call that may not reach the server', async () => {
  const asked: string[] = [];
  const source = {
    async credentials(host: string) {
      asked.push(host);
      return { token: 'sesame' };
    },
  };
  const { signal } = new AbortController();
  const ask = (network: { hosts: string[] } | undefined, host: string) =>
    giveCredentials({ source, ownHost: 'page.test' }, network ? { network } : {}, host, signal);
  const refused = { code: 'permission-denied' };
  await expect(ask(undefined, 'git.example.com')).rejects.toMatchObject(refused);
  await expect(ask({ hosts: ['*.example.com'] }, 'other.org')).rejects.toMatchObject(refused);
  await expect(ask({ hosts: ['*'] }, 'page.test')).rejects.toMatchObject(refused);
  await expect(ask({ hosts: ['*'] }, 'a.org/?')).rejects.toMatchObject(refused);
  expect(asked).toEqual([]);
  expect(await ask({ hosts: ['*.example.com'] }, 'git.example.com')).toEqual({ token: 'sesame' });
});
