// The Worker of the edge bench's peers: bundled for workerd with node compatibility, which they need, from this
// folder, which has what they need. Called by the suite `edge`.
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin, Rolldown } from 'vite';
import { installPeers } from '../../peers/install-peers.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const main = fileURLToPath(new URL('../beside/peer-main.ts', import.meta.url));

/** Its main module is `peer-main.js`. */
export async function buildIsolatePeers(): Promise<Rolldown.OutputChunk[]> {
  installPeers(folder);
  const { build } = await import('vite');
  const result = await build({
    configFile: false,
    logLevel: 'error',
    root: folder,
    publicDir: false,
    plugins: [peerModules],
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: { conditions: ['workerd', 'worker', 'module', 'browser', 'production'] },
    build: {
      write: false,
      target: 'es2024',
      minify: true,
      lib: { entry: main, formats: ['es'] },
      rolldownOptions: {
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
  const [first] = Array.isArray(result) ? result : [result];
  if (!first || !('output' in first)) throw new Error('Building the peers gave no output.');
  return first.output.filter((part) => part.type === 'chunk');
}

/** `peer:@cloudflare/shell` is that package of the peers' folder. Node's own modules are the runtime's. */
const peerModules: Plugin = {
  name: 'peer-modules',
  enforce: 'pre',
  async resolveId(id) {
    if (/^(?:node|cloudflare):/u.test(id)) return { id, external: true };
    if (builtinModules.includes(id)) return { id: `node:${id}`, external: true };
    if (!id.startsWith('peer:')) return undefined;
    return this.resolve(id.slice('peer:'.length), join(folder, 'main.js'), { skipSelf: true });
  },
};
