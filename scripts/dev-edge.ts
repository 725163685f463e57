/**
 * demo/edge in a local workerd, with the library as it is built now: the cloud of `npm start -- --edge`. Nothing leaves
 * this machine but requests to the model, and those only where demo/edge/.dev.vars has a key.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { buildLibrary } from './build.ts';
import type { LocalCloud } from './cloud-proxy.ts';
import { findPort, serveWorker } from './wrangler.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'demo/edge');

/** Resolves when it is served; it ends with the process. */
export async function serveEdgeDemo(): Promise<LocalCloud> {
  await buildLibrary(join(root, 'dist'));
  linkLibrary(join(folder, 'node_modules/rockpool'));
  const variables = join(folder, '.dev.vars');
  if (!existsSync(variables)) copyFileSync(`${variables}.example`, variables);
  const { PASSWORD: password = '' } = parseEnv(readFileSync(variables, 'utf8'));
  if (password === '') throw new Error(`${variables} has no PASSWORD: write one there.`);
  const worker = await serveWorker(folder, await findPort());
  let isEnding = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      isEnding = true;
      void worker.close().then(() => process.exit());
    });
  }
  // wrangler restarts a workerd that dies, but nothing restarts wrangler. The page alone would wait for its cloud.
  void worker.ended.then(() => {
    if (isEnding) return;
    console.error('The cloud has ended, because wrangler has. Run npm start -- --edge again.');
    process.exit(1);
  });
  return { url: worker.url, password };
}

/** As if it were installed. Not the repository itself: whoever walks through its folders would never come out. */
function linkLibrary(installed: string): void {
  rmSync(installed, { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  copyFileSync(join(root, 'package.json'), join(installed, 'package.json'));
  symlinkSync(join(root, 'dist'), join(installed, 'dist'), 'junction');
}
