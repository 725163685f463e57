// A git server beside the tests in a page, on their own origin. `/git-server/<any name>.git` is a
// repository of its own from the first request on, with a few commits. Real `git http-backend`
// serves it. Node only.
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { makeServedFolder, readAll, runBackend, startGitServer } from './git-server.ts';
import { makeRepository, runGit } from './real-git.ts';

export function gitServerBeside(): Plugin {
  return {
    name: 'git-server-beside',
    configureServer(vite) {
      let root: string | undefined;
      vite.middlewares.use('/git-server', (request, response) => {
        root ??= makeRoot();
        const address = request.url ?? '/';
        const repository = /^\/([\w-]+\.git)\//u.exec(address)?.[1];
        if (repository === undefined) {
          response.writeHead(404).end();
          return;
        }
        const directory = join(root, repository);
        if (!existsSync(directory)) cpSync(join(root, 'base'), directory, { recursive: true });
        const served = root;
        void readAll(request)
          .then((body) => runBackend(served, request, address, body))
          .then(({ status, headers, body }) => response.writeHead(status, headers).end(body))
          .catch(() => response.destroy());
      });
      vite.httpServer?.on('close', () => {
        if (root !== undefined) rmSync(root, { recursive: true, force: true });
      });
    },
  };
}

/** For tests in workerd: a service that tells, as JSON, the `url` of a server and the `token` that it wants. */
export function gitForIsolates(): () => Promise<Response> {
  const token = 'a-token-of-mine';
  const header = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
  let started: Promise<string> | undefined;
  const start = async () => {
    const root = makeServedFolder();
    const server = await startGitServer(root);
    server.authorize = (given) => given === header;
    process.once('exit', () => rmSync(root, { recursive: true, force: true }));
    return server.url;
  };
  return async () => Response.json({ url: await (started ??= start()), token });
}

function makeRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'git-server-beside-'));
  makeRepository(join(root, 'made'), 4);
  runGit(root, ['clone', '-q', '--bare', 'made', 'base']);
  return root;
}
