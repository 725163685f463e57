/**
 * `npm run check:package`: builds and packs the library and looks at the tarball as a stranger
 * would: is it well-formed, are its types found, does a turn run in a fresh Vite app (dev and
 * build) and in a plain page of ES modules. Needs the network for the strangers' `npm install`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runLanes } from './run-lanes.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'check-package-'));

try {
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: root, stdio: 'inherit' });
  const tarball = pack(folder);
  const lanes = [
    { name: 'publint', command: ['publint', 'run', tarball, '--strict'] as const },
    {
      name: 'types are found',
      command: [
        'attw',
        tarball,
        '--profile=esm-only',
        '--no-definitely-typed',
        '--exclude-entrypoints',
        './quickjs.wasm',
        './quickjs-core.wasm',
        './quickjs-rest.wasm',
        './react.css',
      ] as const,
    },
    { name: 'size', command: ['size-limit'] as const },
    { name: 'turns', command: ['node', 'scripts/package-turn.ts', tarball] as const },
  ];
  const results = await runLanes(lanes, root, console.log);
  process.exitCode = results.every((result) => result.ok) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

/** Makes the tarball that would be published, and returns its path. */
function pack(destination: string): string {
  const output = execFileSync('npm', ['pack', '--json', '--pack-destination', destination], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  });
  const [{ filename }] = JSON.parse(output) as [{ filename: string }];
  return join(destination, filename);
}
