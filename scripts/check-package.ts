/**
 * `npm run check:package`: packs the library as from a clean clone (`prepack` builds it), and looks
 * at the tarball as a stranger would. Is it well-formed and whole? Are its types found and enough
 * by themselves? Does a turn run in a fresh Vite app (dev and build), in a plain page of ES
 * modules, and in a Worker? Needs the network for the strangers' `npm install`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runLanes } from './run-lanes.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'check-package-'));

try {
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
        './react.css',
        './app-frame.html',
      ] as const,
    },
    { name: 'contents', command: ['node', 'scripts/package-contents.ts', tarball] as const },
    { name: 'turns', command: ['node', 'scripts/package-turn.ts', tarball] as const },
    { name: 'a Worker', command: ['node', 'scripts/package-worker.ts', tarball] as const },
  ];
  const results = await runLanes(lanes, root, console.log);
  process.exitCode = results.every((result) => result.ok) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

/** Makes the tarball that would be published, in a tree that wasn't built, and returns its path. */
function pack(destination: string): string {
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  // To stderr: `prepack` writes to the same stdout as npm itself.
  execFileSync('npm', ['pack', '--pack-destination', destination], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  const [name, ...others] = readdirSync(destination);
  if (name === undefined || others.length > 0) throw new Error('npm pack made not one tarball.');
  return join(destination, name);
}
