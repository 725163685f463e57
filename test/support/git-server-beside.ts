// A git server beside the tests in a page, on their own origin: `/git-server/<any name>.git` is a repository of its
// own from the first request on, with a few commits. Real `git http-backend` serves it. Node only.
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { readAll, runBackend } from './git-server.ts';
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

function makeRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'git-server-beside-'));
  makeRepository(join(root, 'made'), 4);
  runGit(root, ['clone', '-q', '--bare', 'made', 'base']);
  return root;
}
