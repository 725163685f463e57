// The git proxy in Node and in workerd: its contract, and a clone and pushes over sockets.
import { createServer, request as requestHttp, type ClientRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bundle } from '../../../scripts/bundle.ts';
import { toMiddleware } from '../../../scripts/git-proxy.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import { createGitProxy } from '../../../src/hosts/edge/proxy/create-git-proxy.ts';
import { describeGitProxy } from '../../contract/git-proxy.contract.ts';
import { startGitServer } from '../../support/git/git-server.ts';
import { gitText, makeRepository, openEmptyView } from '../../support/git/real-git.ts';
import { openRemoteGit } from '../../support/git/remote-git.ts';

describeGitProxy();

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface Front extends AsyncDisposable {
  readonly url: string;
}

async function openInNode(server: string): Promise<Front> {
  const proxy = createGitProxy({
    path: '/git',
    hosts: [server],
    authenticate: ({ headers }) => headers.get('x-user'),
  });
  const middleware = toMiddleware(proxy, '/git');
  const front = createServer((request, response) =>
    middleware(request, response, () => response.writeHead(404).end()),
  );
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}/git`,
    async [Symbol.asyncDispose]() {
      front.closeAllConnections();
      await new Promise((resolve) => front.close(resolve));
    },
  };
}

async function openInWorkerd(server: string): Promise<Front> {
  const chunks = await bundle(root, ['test/support/git/git-proxy-main.ts'], () => false);
  const worker = new Miniflare(
    convertV4MiniflareOptions({
      modules: chunks
        .map(({ fileName, code }) => ({
          type: 'ESModule' as const,
          path: fileName,
          contents: code,
        }))
        .toSorted(({ path }) => (path === 'git-proxy-main.js' ? -1 : 1)),
      bindings: { HOST: server },
      compatibilityDate: '2026-10-15',
      compatibilityFlags: ['no_nodejs_compat', 'no_nodejs_compat_v2', 'enable_request_signal'],
      cf: false,
    }),
  );
  return {
    url: new URL('/git', await worker.ready).href,
    [Symbol.asyncDispose]: () => worker.dispose(),
  };
}

describe.each([
  ['Node', openInNode],
  ['workerd', openInWorkerd],
])('a git proxy in %s', (_name, openFront) => {
  it('carries a clone and pushes, small and large, and tells of a redirect', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'proxy-'));
    onTestFinished(() => rmSync(directory, { recursive: true, maxRetries: 5 }));
    await using server = await startGitServer(directory);
    makeRepository(join(directory, 'origin'), 3);
    gitText(join(directory, 'origin'), 'config', 'receive.denyCurrentBranch', 'ignore');
    await using front = await openFront(server.url);
    const view = await openEmptyView();
    const network = { proxy: { url: front.url, headers: { 'x-user': 'me' } } };
    await openRemoteGit(view, network).clone(`${server.url}/origin`, { directory: '/copy' });
    const git = openRemoteGit(view, network, '/copy');
    const large = new Uint8Array(3_000_000);
    for (let at = 0; at < large.length; at += 65_536) {
      crypto.getRandomValues(large.subarray(at, at + 65_536));
    }
    for (const content of ['new', large]) {
      view.fs.sync.writeFileSync('/copy/new', content);
      await git.add('.');
      const { oid } = await git.commit({ message: 'new' });
      await git.push();
      expect(gitText(join(directory, 'origin'), 'rev-parse', 'main')).toBe(oid);
    }
    const pushes = server.heard.filter((heard) => heard.includes('-receive-pack-request'));
    expect(pushes.map((heard) => heard.includes('"content-length"'))).toEqual([true, false]);
    // The repository's own address stands in the config, not the proxy's.
    expect(await git.remote.list()).toEqual([{ name: 'origin', url: `${server.url}/origin` }]);
    expect(server.heard.join()).not.toContain('x-user');
    server.intercept = (_request, response) => {
      response.writeHead(301, { location: `${server.url}/renamed/info/refs` }).end();
      return true;
    };
    await expect(git.fetch()).rejects.toThrow(
      `answered by a redirect to ${server.url}/renamed, which`,
    );
    const stranger = openRemoteGit(view, { proxy: { url: front.url } }, '/copy');
    await expect(stranger.fetch()).rejects.toThrow('This proxy wants to know who asks');
  });

  it('has sent on what has come of a pack, and leaves the server when its client leaves', async () => {
    const { promise: came, resolve: come } = createDeferred();
    const { promise: left, resolve: leave } = createDeferred();
    const server = createServer((request) => {
      request.once('data', come);
      request.once('close', leave);
      request.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    await using front = await openFront(`http://${host}`);
    const push = startPush(`${front.url}/${host}/a/git-receive-pack`, 100_000_000);
    push.write(new Uint8Array(1_000_000));
    await came;
    push.destroy();
    await left;
  });
});

/** A push of so many bytes, none of which is sent yet. */
function startPush(url: string, length: number): ClientRequest {
  const type = 'application/x-git-receive-pack-request';
  const headers = { 'x-user': 'me', 'content-type': type, 'content-length': length };
  const request = requestHttp(url, { method: 'POST', headers });
  // That it was broken is what it is for.
  request.on('error', () => undefined);
  return request;
}
