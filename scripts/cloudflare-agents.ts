/**
 * `npm run cloudflare:agents`: `rockpool/cloudflare-agents` against the package that it is for.
 * Installs that from a lock of its own, and compiles the capability with its types. Runs a session
 * in real workerd, in an `Agent` and in a plain object. Needs the network once.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'test', 'cloudflare-agents');

function run(command: string, words: readonly string[], cwd: string): void {
  const isWindows = process.platform === 'win32';
  const { status } = spawnSync(command, words, { cwd, stdio: 'inherit', shell: isWindows });
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(join(folder, 'node_modules'))) {
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
}
const tsc = join(root, 'node_modules/@typescript/native/bin/tsc');
run(process.execPath, [tsc, '-p', folder], root);
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
run(process.execPath, [vitest, 'run', '--config', join(folder, 'vitest.config.ts')], root);
