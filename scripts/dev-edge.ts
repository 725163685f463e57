/**
 * The demo at the edge on this machine (`npm start -- --edge`): demo/edge in a local workerd, with the library as it is
 * built now. Nothing leaves this machine but requests to the model, and those only where demo/edge/.dev.vars has a key.
 */
import { copyFileSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildLibrary } from './build.ts';
import { serveWorker } from './wrangler.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'demo/edge');

/** Resolves when it is served; it ends with the process. */
export async function serveEdgeDemo(): Promise<void> {
  await buildLibrary(join(root, 'dist'));
  const installed = join(folder, 'node_modules/rockpool');
  if (!existsSync(installed)) {
    mkdirSync(dirname(installed), { recursive: true });
    symlinkSync(root, installed, 'junction');
  }
  const variables = join(folder, '.dev.vars');
  if (!existsSync(variables)) copyFileSync(`${variables}.example`, variables);
  const worker = await serveWorker(folder, 8787);
  console.log(`\n  ➜  ${worker.url}/ (the password stands in demo/edge/.dev.vars)\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void worker.close().then(() => process.exit()));
  }
}
