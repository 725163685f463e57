// For tests in a page: `/session-server` of the tests' own server starts a server of sessions in Node, and tells where it
// is. Below it `/cut` cuts all connections, `/release` lets a slow reply go on, `/end` ends it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { openRelay } from './relay.ts';
import { commands, startServerProcess } from './server-process.ts';

async function start(origin: string) {
  const folder = mkdtempSync(join(tmpdir(), 'rockpool-beside-'));
  const { url, kill } = await startServerProcess(commands.node, folder, undefined, origin);
  const relay = await openRelay(Number(new URL(url).port));
  return {
    url: `http://127.0.0.1:${relay.port}`,
    async act(what: string | undefined) {
      if (what === '/cut') relay.cut();
      if (what === '/release') await fetch(`${url}/release`);
    },
    async end() {
      await relay.close();
      await kill();
      rmSync(folder, { recursive: true, maxRetries: 5 });
    },
  };
}

export function sessionServerBeside(): Plugin {
  return {
    name: 'session-server-beside',
    configureServer(vite) {
      let started: ReturnType<typeof start> | undefined;
      const end = async () => {
        const running = started;
        started = undefined;
        await (await running)?.end();
      };
      vite.middlewares.use('/session-server', ({ url, headers }, response) => {
        const act = async () => {
          if (url === '/end') return end();
          started ??= start(`http://${headers.host}`);
          return (await started).act(url);
        };
        void act().then(
          async () => response.end((await started)?.url),
          (error: unknown) => response.writeHead(500).end(String(error)),
        );
      });
      vite.httpServer?.on('close', () => void end());
    },
  };
}
