// Installs what a bench measures Rockpool beside, when it is first needed, from a lock of its own.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Unless the folder was installed from this very lock. It has a package.json and its lock. */
export function installPeers(folder: string): void {
  const stampFile = join(folder, 'node_modules/.setup-stamp');
  const lock = readFileSync(join(folder, 'package-lock.json'));
  const wanted = createHash('sha256').update(lock).digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return;

  console.error('bench: installing the peers from their lock (some seconds)');
  const { status } = spawnSync(
    'npm',
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    // 5 min: an install that hangs must not hang the bench for ever.
    {
      cwd: folder,
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
      timeout: 300_000,
    },
  );
  if (status !== 0) throw new Error('The peers could not be installed; npm says why above.');
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  writeFileSync(stampFile, wanted);
}
