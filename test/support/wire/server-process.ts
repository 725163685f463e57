// Starts test/support/wire/session-server-main.ts in a separate runtime and reads its output. Node only.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('session-server-main.ts', import.meta.url));
const wasm = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm');

/** How a runtime runs the sources. */
export const commands = {
  node: [process.execPath, '--conditions=rockpool-source', '--no-warnings'],
  deno: ['deno', 'run', '--allow-all', '--conditions=rockpool-source', '--node-modules-dir=manual'],
  bun: ['bun', '--conditions=rockpool-source'],
} as const;

export interface ServerProcess {
  readonly url: string;
  /** By SIGKILL; resolves when it has ended. */
  kill(): Promise<void>;
}

/** Rejects where it ends before it listens. `command`: one of `commands`, maybe by its path. `origin`: of pages. `port`: any. */
export async function startServerProcess(
  command: readonly string[],
  folder: string,
  hear: (line: string) => void = () => undefined,
  origin = '',
  port = 0,
): Promise<ServerProcess> {
  const [file = '', ...flags] = command;
  const child: ChildProcess = spawn(file, [...flags, main, folder, wasm, origin, String(port)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const gone = once(child, 'exit');
  let complaints = '';
  child.stderr?.on('data', (text) => (complaints += String(text)));
  const url = await new Promise<string>((resolve, reject) => {
    child.on('error', reject);
    void gone.then(() => reject(new Error(`The server ended: ${complaints}`)));
    if (!child.stdout) return;
    createInterface(child.stdout).on('line', (line) => {
      if (line.startsWith('listening ')) resolve(line.slice(10));
      else hear(line);
    });
  });
  return {
    url,
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
