/**
 * `npm run build`: makes dist/ from src/. One module a subpath with its dependencies left outside,
 * one self-contained module a worker, the sandbox's wasm beside them, and declarations by tsc.
 */
import { copyFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type InlineConfig } from 'vite';
import { emitDeclarations } from './emit-declarations.ts';
import { plainUrls } from './plain-urls.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');

/** The source of each subpath's module, by its name in dist, as package.json's exports say. */
export function listEntries(): Record<string, string> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const sources = Object.values(exports as Record<string, string | Record<string, string>>)
    .map((target) => (typeof target === 'string' ? undefined : target['rockpool-source']))
    .filter((source) => source !== undefined);
  return Object.fromEntries(sources.map((source) => [basename(source, '.ts'), join(root, source)]));
}

/** The worker entries of the browser host, by their names in dist. */
export function listWorkers(): Record<string, string> {
  const folder = join(root, 'src/hosts/browser');
  const files = readdirSync(folder).filter((name) => name.endsWith('.worker.ts'));
  return Object.fromEntries(files.map((name) => [name.replace(/\.ts$/, ''), join(folder, name)]));
}

/** What every module of the library is built with. */
export const shared = {
  root,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  resolve: { conditions: ['rockpool-source', 'module', 'browser', 'production'] },
  oxc: { jsx: { runtime: 'automatic' } },
} satisfies InlineConfig;

/** Bare specifiers: packages, which stay imports in the subpaths' modules. */
const isPackage = (id: string): boolean => /^[^./\0]/.test(id) && !/^[A-Za-z]:[\\/]/.test(id);

async function buildEntries(): Promise<void> {
  await build({
    ...shared,
    plugins: [plainUrls()],
    build: {
      outDir: dist,
      emptyOutDir: false,
      target: 'es2024',
      minify: false,
      lib: { entry: listEntries(), formats: ['es'] },
      rolldownOptions: {
        external: isPackage,
        // Flat, so that a worker's URL is the same from every chunk.
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
}

async function buildWorker(name: string, source: string): Promise<void> {
  await build({
    ...shared,
    plugins: [plainUrls()],
    // A worker has no `process`; what libraries ask of it is answered here.
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      outDir: dist,
      emptyOutDir: false,
      target: 'es2024',
      minify: true,
      // The packages inside ask for their licences to go with them.
      license: { fileName: `${name}.licenses.md` },
      lib: { entry: { [name]: source }, formats: ['es'] },
      // One file: a host that gives the URL itself has one to give.
      rolldownOptions: { output: { entryFileNames: '[name].js', codeSplitting: false } },
    },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rmSync(dist, { recursive: true, force: true });
  await buildEntries();
  for (const [name, source] of Object.entries(listWorkers())) await buildWorker(name, source);
  const wasm = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm');
  copyFileSync(wasm, join(dist, 'quickjs.wasm'));
  await emitDeclarations(root, dist);
  console.log(`dist/ has ${readdirSync(dist, { recursive: true }).length} files`);
}
