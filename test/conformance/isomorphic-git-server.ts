// The git server that isomorphic-git's own tests expect on port 8888: real `git http-backend` on their repositories.
// A push goes to a copy that is thrown away, as their tests want it. A repository with a .htpasswd wants the user
// and the password that the tests know.
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAll, runBackend } from '../support/git/git-server.ts';

const known = `Basic ${Buffer.from('testuser:testpassword').toString('base64')}`;

export async function setup(): Promise<() => Promise<void>> {
  const root = join(process.env['GIT_SUITE'] ?? '', '__tests__', '__fixtures__');
  const server = createServer((request, response) => {
    const { url = '/', method, headers } = request;
    const [, repository = '', ...rest] = url.split('/');
    if (existsSync(join(root, repository, '.htpasswd')) && headers.authorization !== known) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('Who asks?');
      return;
    }
    const answer = async () => {
      const body = await readAll(request);
      if (rest[0] !== 'git-receive-pack') return runBackend(root, request, url, body);
      const copy = await mkdtemp(join(tmpdir(), 'rockpool-git-suite-'));
      await cp(join(root, repository), join(copy, repository), { recursive: true });
      const result = await runBackend(copy, request, url, body);
      await rm(copy, { recursive: true, force: true });
      return result;
    };
    answer().then(
      ({ status, headers: told, body }) => response.writeHead(status, told).end(body),
      (error: unknown) => {
        console.error(`${method} ${url}`, error);
        response.destroy();
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(8888, 'localhost', resolve);
  });
  return async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
}
