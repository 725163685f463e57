// The git proxy in Node: its contract, and a clone through the demo's middleware.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { toMiddleware } from '../../../scripts/git-proxy.ts';
import { createGitProxy } from '../../../src/hosts/edge/proxy/create-git-proxy.ts';
import { describeGitProxy } from '../../contract/git-proxy.contract.ts';
import { startGitServer } from '../../support/git-server.ts';
import { gitText, makeRepository, openEmptyView } from '../../support/real-git.ts';
import { openRemoteGit } from '../../support/remote-git.ts';

describeGitProxy();

it('carries a clone and a push, and tells of a redirect', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'proxy-'));
  await using server = await startGitServer(directory);
  makeRepository(join(directory, 'origin'), 3);
  gitText(join(directory, 'origin'), 'config', 'receive.denyCurrentBranch', 'ignore');
  const host = new URL(server.url).host;
  const proxy = createGitProxy({
    path: '/git',
    hosts: [`http://${host}`],
    authenticate: ({ headers }) => headers.get('x-user'),
  });
  const middleware = toMiddleware(proxy, '/git');
  const front = createServer((request, response) =>
    middleware(request, response, () => response.writeHead(404).end()),
  );
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}/git`;
  try {
    const view = await openEmptyView();
    const network = { proxy: { url, headers: { 'x-user': 'me' } } };
    await openRemoteGit(view, network).clone(`${server.url}/origin`, { directory: '/copy' });
    const git = openRemoteGit(view, network, '/copy');
    view.fs.sync.writeFileSync('/copy/new', 'new');
    await git.add('.');
    const { oid } = await git.commit({ message: 'new' });
    await git.push();
    expect(gitText(join(directory, 'origin'), 'rev-parse', 'main')).toBe(oid);
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
    const stranger = openRemoteGit(view, { proxy: { url } }, '/copy');
    await expect(stranger.fetch()).rejects.toThrow('This proxy wants to know who asks');
  } finally {
    front.closeAllConnections();
    await new Promise((resolve) => front.close(resolve));
    rmSync(directory, { recursive: true, maxRetries: 5 });
  }
});
