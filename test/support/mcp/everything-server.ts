// The protocol's own reference server (`@modelcontextprotocol/server-everything`), which speaks the protocol before
// 2026-07-28, as a process on the loopback. Node only.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

export interface EverythingServer extends Disposable {
  readonly url: string;
}

/** Resolves when it listens. CORS is open to every page. */
export async function startEverything(): Promise<EverythingServer> {
  const port = await findPort();
  const main = fileURLToPath(
    import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
  );
  const child = spawn(process.execPath, [main, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
      if (said.includes('listening on port')) resolve();
    });
    child.once('exit', () => reject(new Error(`The server ended: ${said}`)));
  });
  // Whoever has started it isn't kept alive by it.
  child.unref();
  (child.stderr as Socket).unref();
  return { url: `http://127.0.0.1:${port}/mcp`, [Symbol.dispose]: () => void child.kill() };
}

/** For tests in a page: `/everything-server` of the tests' own server tells the URL of one on another origin. */
export function everythingBeside(): Plugin {
  return {
    name: 'everything-beside',
    configureServer(vite) {
      let started: Promise<EverythingServer> | undefined;
      vite.middlewares.use('/everything-server', (_request, response) => {
        started ??= startEverything();
        void started.then(({ url }) => response.end(url));
      });
      vite.httpServer?.on('close', () => void started?.then((one) => one[Symbol.dispose]()));
    },
  };
}

/** For tests in workerd: a service that tells the URL of one, which ends with this process. */
export function everythingForIsolates(): () => Promise<Response> {
  let started: Promise<EverythingServer> | undefined;
  return async () => {
    started ??= startEverything().then((server) => {
      process.once('exit', () => server[Symbol.dispose]());
      return server;
    });
    return new Response((await started).url);
  };
}

async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
