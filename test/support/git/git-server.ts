// A git server on loopback: Node's http in front of real `git http-backend`. Tests can make it fail.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface GitServer extends AsyncDisposable {
  /** `http://127.0.0.1:…`; a repository is a directory below it. */
  readonly url: string;
  /** `GET /name/info/refs?…`, in order. */
  readonly requests: readonly string[];
  /** All requests as text, with headers and paths. */
  readonly heard: readonly string[];
  /** Answers a request in the server's place, if it returns true. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** Decides by the whole header whether a request is allowed. Undefined: all are. */
  authorize: ((authorization: string | undefined, request: IncomingMessage) => boolean) | undefined;
  /** Changes what the backend answers, before it is sent. */
  rewrite: ((body: Buffer, request: IncomingMessage) => Buffer) | undefined;
}

/** Makes a folder to serve: `served.git` has one commit on `main`, with a.txt. The caller removes the folder. */
export function makeServedFolder(): string {
  const root = mkdtempSync(join(tmpdir(), 'git-served-'));
  const git = (...parameters: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...parameters], {
      cwd: join(root, 'work'),
      stdio: 'ignore',
    });
  execFileSync('git', ['init', '-q', '-b', 'main', 'work'], { cwd: root });
  writeFileSync(join(root, 'work', 'a.txt'), 'from the server\n');
  git('add', '.');
  git('commit', '-qm', 'first');
  git('clone', '-q', '--bare', '.', '../served.git');
  return root;
}

/** Serves the repositories below `root`, for reading and writing. */
export async function startGitServer(root: string): Promise<GitServer> {
  const requests: string[] = [];
  const heard: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    heard.push(`${request.url} ${JSON.stringify(request.headers)}`);
    response.on('error', () => undefined);
    if (git.authorize && !git.authorize(request.headers.authorization, request)) {
      request.resume();
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('who are you?');
      return;
    }
    if (git.intercept?.(request, response)) return;
    void readAll(request)
      .then((body) => runBackend(root, request, request.url ?? '/', body))
      .then(({ status, headers, body }) => {
        response.writeHead(status, headers).end(git.rewrite?.(body, request) ?? body);
      })
      .catch(() => response.destroy());
  });
  // Client and server share the thread. Without this, a test that blocks the thread for 5 s would find its connection
  // closed.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const git: GitServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    heard,
    intercept: undefined,
    authorize: undefined,
    rewrite: undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return git;
}

/** What `git http-backend` said, whole. */
export interface BackendAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/** Runs `git http-backend` once, for the repositories below `root`. */
export function runBackend(
  root: string,
  request: Pick<IncomingMessage, 'method' | 'headers'>,
  address: string,
  body: Buffer,
): Promise<BackendAnswer> {
  const url = new URL(address, 'http://localhost');
  const backend = spawn('git', ['-c', 'http.receivepack=true', 'http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_CONFIG_NOSYSTEM: '1',
      HOME: '/nonexistent',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: String(body.length),
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_USER: 'somebody',
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  backend.stdin.on('error', () => undefined);
  backend.stdin.end(body);
  const parts: Buffer[] = [];
  backend.stdout.on('data', (part: Buffer) => parts.push(part));
  return new Promise((resolve, reject) => {
    backend.on('error', reject);
    backend.stdout.on('end', () => resolve(parseAnswer(Buffer.concat(parts))));
  });
}

function parseAnswer(all: Buffer): BackendAnswer {
  const end = all.indexOf('\r\n\r\n');
  const headers: Record<string, string> = {};
  let status = 200;
  for (const line of all.toString('utf8', 0, end).split('\r\n')) {
    const [name = '', value = ''] = line.split(/: (.*)/su);
    if (name.toLowerCase() === 'status') status = Number(value.slice(0, 3));
    else headers[name] = value;
  }
  return { status, headers, body: all.subarray(end + 4) };
}

/** The whole body of a request. */
export async function readAll(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
