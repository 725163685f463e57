/**
 * `npm run build`: makes dist/ from src/. It makes:
 *
 * - one module a subpath, with its dependencies left outside;
 * - one self-contained module a worker, and beside them what a worker loads later and the sandbox's
 *   wasm;
 * - one self-contained module for workers of a host's own where there is no bundler, as no browser
 *   has import maps in workers;
 * - one for pages without a bundler that ask Anthropic's API;
 * - one stylesheet, and declarations by tsc.
 */
import { copyFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type InlineConfig } from 'vite';
import { emitDeclarations } from './emit-declarations.ts';
import { refreshGuestCode } from './guest.ts';
import { importBeside } from './import-beside.ts';
import { plainUrls } from './plain-urls.ts';
import { zodAsObject, zodByName } from './zod-by-name.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * What a worker loads later, by the specifier that source imports it by. When a cell is to be
 * expected it loads what strips types and the guest's world. With the first PDF it loads its
 * reader, and with the first command git. With the first call that an MCP server may run as a task
 * it loads what follows the task.
 */
const loadedLater = [
  { specifier: '#pdf-reader', name: 'pdf-reader', source: 'unpdf/pdfjs' },
  { specifier: 'sucrase', name: 'sucrase', source: 'sucrase' },
  {
    specifier: './isomorphic-git.ts',
    name: 'git-transport',
    source: join(root, 'src/workspace/git/remote/isomorphic-git.ts'),
  },
  {
    specifier: './guest-world.ts',
    name: 'repl-world',
    source: join(root, 'src/repl/host/guest-world.ts'),
  },
  { specifier: 'typescript', name: 'typescript', source: 'typescript' },
  {
    specifier: './typescript-libs.ts',
    name: 'typescript-libs',
    source: join(root, 'src/hosts/browser/lsp-worker/typescript-libs.ts'),
  },
  {
    specifier: './server-tasks.ts',
    name: 'mcp-tasks',
    source: join(root, 'src/mcp/client/server-tasks.ts'),
  },
  {
    specifier: './git-runner.ts',
    name: 'git-commands',
    source: join(root, 'src/workspace/git/commands/git-runner.ts'),
  },
];
const fileBeside = Object.fromEntries(
  loadedLater.map(({ specifier, name }) => [specifier, `${name}.js`]),
);

/** The source of each subpath's module, by its name in dist, as package.json's exports and imports say. */
function listEntries(): Record<string, string> {
  const { exports, imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const targets = [
    ...Object.values(exports as Record<string, string | Record<string, string>>),
    // What isolates get in the place of a package.
    imports['#pdf-reader'].workerd as Record<string, string>,
  ];
  const sources = targets
    .map((target) => (typeof target === 'string' ? target : (target['rockpool-source'] ?? '')))
    .filter((source) => source.endsWith('.ts'));
  return Object.fromEntries(sources.map((source) => [basename(source, '.ts'), join(root, source)]));
}

/** The worker entries of the browser host, by their names in dist. */
function listWorkers(): Record<string, string> {
  const folder = join(root, 'src/hosts/browser');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const workers = files.filter((name) => name.endsWith('.worker.ts'));
  return Object.fromEntries(workers.map((name) => [basename(name, '.ts'), join(folder, name)]));
}

/** What every module of the library is built with. */
const shared = {
  root,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  resolve: { conditions: ['rockpool-source', 'module', 'browser', 'production'] },
  oxc: { jsx: { runtime: 'automatic' } },
} satisfies InlineConfig;

/** Bare specifiers: packages, which stay imports in the subpaths' modules. One is built in, see zod-by-name.ts. */
const isPackage = (id: string): boolean =>
  /^[^./\0]/.test(id) && !/^[A-Za-z]:[\\/]/.test(id) && !id.startsWith(zodAsObject);

async function buildEntries(dist: string): Promise<void> {
  await build({
    ...shared,
    plugins: [zodByName(), plainUrls()],
    build: {
      outDir: dist,
      emptyOutDir: false,
      target: 'es2024',
      minify: false,
      // The package inside asks for its licence to go with it.
      license: { fileName: 'library.licenses.md' },
      lib: { entry: listEntries(), formats: ['es'] },
      rolldownOptions: {
        external: isPackage,
        // Flat, so that a worker's URL is the same from every chunk.
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          // The vocabulary in one file: an application's bundler makes a chunk, and so a request, of each
          // file that several others share. Not `core/tool`, which brings zod to those who need none. It begins with
          // symbol-dispose.ts, so package.json's `sideEffects` names it.
          codeSplitting: {
            groups: [
              {
                name: 'core',
                test: /[\\/]src[\\/]core[\\/](?!tool[\\/])/,
                minShareCount: 2,
              },
            ],
          },
        },
      },
    },
  });
}

/** Builds one file that holds all that it imports: a host that gives its URL has one to give. */
async function buildSelfContained(dist: string, name: string, source: string): Promise<void> {
  await build({
    ...shared,
    plugins: [importBeside(fileBeside), plainUrls()],
    // A worker has no `process`; what libraries ask of it is answered here.
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      outDir: dist,
      emptyOutDir: false,
      target: 'es2024',
      // A worker is one file, however large.
      chunkSizeWarningLimit: Infinity,
      // The packages inside ask for their licences to go with them.
      license: { fileName: `${name}.licenses.md` },
      lib: { entry: source, formats: ['es'] },
      rolldownOptions: {
        // Unlike the one of `lib`, this may name a package.
        input: { [name]: source },
        // Vite's own `minify` keeps the white space of a library's ES modules.
        output: { entryFileNames: '[name].js', codeSplitting: false, minify: true },
      },
    },
  });
}

/** Builds the stylesheet of the views, whose source is one file of imports. */
async function buildStyles(dist: string): Promise<void> {
  await build({
    ...shared,
    build: {
      outDir: dist,
      emptyOutDir: false,
      cssMinify: false,
      rolldownOptions: {
        input: join(root, 'src/react/react.css'),
        output: { assetFileNames: '[name][extname]' },
      },
    },
  });
}

/** One file would overwrite the other one: a subpath would then be a worker's half. */
function refuseSameNames(): void {
  const entries = listEntries();
  const twice = loadedLater.map(({ name }) => name).filter((name) => name in entries);
  if (twice.length > 0) throw new Error(`Two files of dist have one name: ${twice.join(', ')}`);
}

/** All of the package but its declarations, in `dist`, whatever stood there before. */
export async function buildLibrary(dist: string): Promise<void> {
  refuseSameNames();
  await refreshGuestCode();
  rmSync(dist, { recursive: true, force: true });
  await buildEntries(dist);
  for (const [name, source] of Object.entries(listWorkers())) {
    await buildSelfContained(dist, name, source);
  }
  for (const { name, source } of loadedLater) await buildSelfContained(dist, name, source);
  await buildSelfContained(dist, 'serve-tools.bundle', join(root, 'src/serve-tools.ts'));
  await buildSelfContained(dist, 'anthropic-sdk.bundle', join(root, 'src/model/anthropic-sdk.ts'));
  await buildStyles(dist);
  const wasm = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm');
  copyFileSync(wasm, join(dist, 'quickjs.wasm'));
  const appFrame = join(root, 'src/hosts/browser/app-frame/app-frame.html');
  copyFileSync(appFrame, join(dist, 'app-frame.html'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dist = join(root, 'dist');
  await buildLibrary(dist);
  await emitDeclarations(root, dist);
  console.log(`dist/ has ${readdirSync(dist, { recursive: true }).length} files`);
}
