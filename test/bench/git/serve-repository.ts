// Serves a repository of the git bench to its page by real `git http-backend`. What the server answers to
// a request is kept: it makes each pack once, so its own time is in no figure but the first.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename, dirname } from 'node:path';
import { readAll, runBackend, type BackendAnswer } from '../../support/git/git-server.ts';
import type { BenchRepository } from './make-repository.ts';

/** Answers requests below `<prefix>/`, as `serveBuiltPage` hands them out. */
export function serveRepository({ directory }: BenchRepository, prefix: string) {
  const answers = new Map<string, Promise<BackendAnswer>>();
  return (path: string, request: IncomingMessage, response: ServerResponse): boolean => {
    if (!path.startsWith(`${prefix}/`)) return false;
    const rest = `/${basename(directory)}${path.slice(prefix.length)}`;
    void readAll(request).then(async (body) => {
      const query = new URL(request.url ?? '/', 'http://localhost').search;
      const key = createHash('sha1').update(`${request.method} ${rest}${query}\n`).update(body);
      const name = key.digest('hex');
      const made = answers.get(name) ?? runBackend(dirname(directory), request, rest + query, body);
      answers.set(name, made);
      const { status, headers, body: answer } = await made;
      response.writeHead(status, headers).end(answer);
    });
    return true;
  };
}
