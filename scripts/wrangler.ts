/**
 * wrangler as the toolchain has it: for the demo at the edge (`npm start -- --edge`) and for the stranger that installs
 * the package there. It calls nobody: no metrics, no look-up of where this machine is.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const command = join(root, 'node_modules/wrangler/bin/wrangler.js');

const quiet = {
  CI: '1',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_SEND_METRICS: 'false',
};

/** Runs it in `folder` and gives what it says. */
export function runWrangler(folder: string, ...words: readonly string[]): string {
  return execFileSync(process.execPath, [command, ...words], {
    cwd: folder,
    env: { ...process.env, ...quiet },
    encoding: 'utf8',
  });
}

/** One of the loopback's that nobody has now. */
export async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A Worker that is served; the caller closes it. */
export interface ServedWorker {
  readonly url: string;
  /** Resolves when it doesn't run any more, whoever has ended it. */
  readonly ended: Promise<unknown>;
  close(): Promise<void>;
}

/** Serves the Worker of `folder` on the loopback, with these variables besides its own. */
export async function serveWorker(
  folder: string,
  port: number,
  variables: Readonly<Record<string, string>> = {},
): Promise<ServedWorker> {
  const given = Object.entries(variables).flatMap(([name, value]) => ['--var', `${name}:${value}`]);
  const words = ['dev', '--ip', '127.0.0.1', '--port', String(port), ...given];
  const child = spawn(process.execPath, [command, ...words], {
    cwd: folder,
    env: { ...process.env, ...quiet },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said: string[] = [];
  const ended = once(child, 'exit');
  const ready = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      said.push(line);
      const [url] = /http:\/\/127\.0\.0\.1:\d+/u.exec(line) ?? [];
      if (url !== undefined && line.includes('Ready')) resolve(url);
    });
  });
  const url = await Promise.race([ready, ended.then(() => undefined)]);
  if (url === undefined) throw new Error(`wrangler ended:\n${said.join('\n')}`);
  return {
    url,
    ended,
    async close() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
