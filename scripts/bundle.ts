/**
 * Proves by a bundle what the portable entry is made of. It has no Node, no DOM, no React, nothing
 * that a tab, an isolate and a server don't all have.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';
import { findFreeGlobals } from './free-globals.ts';

/** Packages that stay imports: what they are made of isn't ours to prove. */
const outside = /^(zod|@anthropic-ai\/sdk)(\/.*)?$/;

/**
 * Globals that every host has (a tab, its workers, workerd, Node, Bun, Deno), so the portable part
 * may use them. There are two more where it asks first, and `Deno`, which croner uses behind a
 * `typeof`. Anything else comes by a port.
 */
const portableGlobals = new Set(
  (
    'AbortController AbortSignal Blob CompressionStream DOMException DecompressionStream Event ' +
    'EventTarget File FormData Headers MessageChannel MessagePort ReadableStream Request Response ' +
    'TextDecoder TextDecoderStream TextEncoder TransformStream URL URLSearchParams WebAssembly ' +
    'WritableStream atob btoa clearInterval clearTimeout console crypto fetch performance ' +
    'queueMicrotask setInterval setTimeout structuredClone ' +
    'location?. navigator?. Deno'
  ).split(' '),
);

/** What a bundle of the portable entry is made of; `complaints` are sentences. */
export interface BundleReport {
  readonly modules: number;
  readonly complaints: readonly string[];
}

/** What a host loads on the page's thread before the first prompt, and on the first call of a tool. */
const core = ['src/index.ts', 'src/tools/definitions.ts'];

/** Bundles the portable entries in memory, including lazy parts, and checks the result. */
export async function inspectBundle(root: string, entries = core): Promise<BundleReport> {
  const chunks = await bundle(root, entries, (id) => outside.test(id));
  const modules = new Set(chunks.flatMap((chunk) => chunk.moduleIds));
  const complaints: string[] = [];

  const inside = new Set(chunks.map((chunk) => chunk.fileName));
  const imports = new Set(chunks.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports]));
  for (const id of imports) {
    if (!inside.has(id) && !outside.test(id)) complaints.push(`the bundle imports ${id}`);
  }
  for (const id of modules) {
    if (/\/node_modules\/(react|react-dom|scheduler)\//.test(id)) {
      complaints.push(`the bundle holds ${id}: React belongs to rockpool/react`);
    }
  }
  for (const name of findFreeGlobals(chunks.map(({ code }) => code))) {
    if (!portableGlobals.has(name)) {
      complaints.push(`the bundle uses the global ${name}, which not every host has: use a port`);
    }
  }
  if (modules.size < 2) complaints.push('the bundle holds no modules: that is not a pass');
  return { modules: modules.size, complaints };
}

/**
 * Builds entries as a browser's bundler would, without writing them. Node's modules and what
 * `isOutside` names stay imports. `conditions` come besides a browser's: `workerd` for an isolate. `isWhole`: one
 * entry is one module, as a Worker is deployed; else what is loaded later is apart.
 */
export async function bundle(
  root: string,
  entries: readonly string[],
  isOutside: (id: string) => boolean,
  conditions: readonly string[] = [],
  isWhole = false,
): Promise<Rolldown.OutputChunk[]> {
  const results = await build({
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    resolve: {
      conditions: ['rockpool-source', ...conditions, 'module', 'browser', 'production'],
    },
    oxc: { jsx: { runtime: 'automatic' } },
    // A library's build leaves these words alone, a page's doesn't; see agent/calls/is-development.ts.
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      target: 'es2024',
      minify: true,
      lib: { entry: entries.map((entry) => join(root, entry)), formats: ['es'] },
      rolldownOptions: {
        external: (id) => isOutside(id) || id.startsWith('node:'),
        // Vite's own `minify` keeps the white space of a library's ES modules.
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          minify: true,
          ...(isWhole && { codeSplitting: false }),
        },
      },
    },
  });
  const [result] = Array.isArray(results) ? results : [results];
  if (!result || !('output' in result)) throw new Error(`bundling ${entries} gave no output`);
  return result.output.filter((part) => part.type === 'chunk');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const report = await inspectBundle(dirname(dirname(fileURLToPath(import.meta.url))));
  for (const complaint of report.complaints) console.error(complaint);
  console.log(`${report.modules} modules`);
  process.exitCode = report.complaints.length > 0 ? 1 : 0;
}
