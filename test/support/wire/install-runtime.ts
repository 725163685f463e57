// Deno and Bun for the slow lane of servers, from test/servers/package.json. The first use needs the network. Node only.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commands } from './server-process.ts';

const directory = fileURLToPath(new URL('../../servers', import.meta.url));
const packages = join(directory, 'node_modules');

/** What each package does when it is installed: puts its binary for this machine where its command is. */
const placing = { deno: 'deno/install.cjs', bun: 'bun/install.js' } as const;

export type ServerRuntime = keyof typeof commands;

/** The command that runs a server in it, installed where it isn't yet. */
export function installRuntime(runtime: ServerRuntime): readonly string[] {
  if (runtime === 'node') return commands.node;
  if (!existsSync(packages)) {
    run('npm', ['install', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund']);
    for (const script of Object.values(placing)) run(process.execPath, [join(packages, script)]);
  }
  const [, ...flags] = commands[runtime];
  return [join(packages, '.bin', runtime), ...flags];
}

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: directory, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed in ${directory}.`);
}
