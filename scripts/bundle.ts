/**
 * Proves by a bundle what the portable entry is made of: no Node, no DOM, no React, nothing that a
 * tab, an isolate and a server don't all have, and no more bytes than agreed.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { findFreeGlobals } from './free-globals.ts';

/**
 * The most that the core may weigh, minified and gzipped, without zod and the Anthropic client:
 * the agent's stations, permissions, registry and the core tools' definitions. The definitions of
 * deferred tools are told beside it: there will be dozens of them.
 */
const ceilingBytes = 45_000;

/**
 * What is left outside; everything else that is imported is weighed. The scripted model (2.3 kB) is
 * for demos and tests; the classifier that asks a model (1 kB), the limiter that several queries share
 * (0.6 kB), what is made of a trace, tools as an MCP server (2.5 kB), calls and decisions in words
 * (1.3 kB) are for hosts that want them: who doesn't import them doesn't get them.
 */
const outside =
  /^(zod|@anthropic-ai\/sdk)(\/.*)?$|(^|\/)(model\/script(ed)?|permissions\/model-classifier|agent\/call-limiter|core\/(call-display|explain|record-spans|standard-schema|theme|timeline)|mcp\/(tool|create-sdk-mcp-server))\.ts$/;

/**
 * Globals that every host has (a tab, its workers, workerd, Node, Bun, Deno), so the portable part
 * may use them; two more where it asks first. Anything else comes by a port.
 */
const portableGlobals = new Set(
  (
    'AbortController AbortSignal Blob CompressionStream DOMException DecompressionStream Event ' +
    'EventTarget File FormData Headers MessageChannel MessagePort ReadableStream Request Response ' +
    'TextDecoder TextDecoderStream TextEncoder TransformStream URL URLSearchParams WebAssembly ' +
    'WritableStream atob btoa clearInterval clearTimeout console crypto fetch performance ' +
    'queueMicrotask setInterval setTimeout structuredClone ' +
    'location?. navigator?.'
  ).split(' '),
);

/** What a bundle of the portable entry is made of; `complaints` are sentences. */
export interface BundleReport {
  /** Of what every query loads, without the definitions of deferred tools. */
  readonly gzipBytes: number;
  /** Of those definitions, which every query loads beside the core. */
  readonly deferredBytes: number;
  /** Of what only some do. */
  readonly lazyBytes: number;
  readonly modules: number;
  readonly complaints: readonly string[];
}

/** What a host loads on the page's thread before the first prompt, and on the first call of a tool. */
const core = ['src/index.ts', 'src/tools/definitions.ts'];

/** Bundles the portable entries in memory, lazy parts included, and looks at the result. */
export async function inspectBundle(root: string, entries = core): Promise<BundleReport> {
  const chunks = await bundle(root, entries, (id) => outside.test(id));
  const loaded = loadedAtOnce(chunks);
  const deferred = [...loaded].filter((chunk) => holds(chunk, '/tools/deferred-tools.ts'));
  const deferredBytes = weigh(deferred);
  const gzipBytes = weigh(loaded) - deferredBytes;
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
  for (const name of new Set(chunks.flatMap((chunk) => findFreeGlobals(chunk.code)))) {
    if (!portableGlobals.has(name)) {
      complaints.push(`the bundle uses the global ${name}, which not every host has: use a port`);
    }
  }
  if (gzipBytes > ceilingBytes) {
    complaints.push(`the bundle has ${gzipBytes} bytes gzipped; the ceiling is ${ceilingBytes}`);
  }
  if (modules.size < 2) complaints.push('the bundle holds no modules: that is not a pass');
  const lazyBytes = weigh(chunks) - gzipBytes - deferredBytes;
  return { gzipBytes, deferredBytes, lazyBytes, modules: modules.size, complaints };
}

function holds(chunk: Rolldown.OutputChunk, module: string): boolean {
  return chunk.moduleIds.some((id) => id.endsWith(module));
}

function weigh(chunks: Iterable<Rolldown.OutputChunk>): number {
  return [...chunks].reduce((sum, chunk) => sum + gzipSync(chunk.code).length, 0);
}

/**
 * What every query loads: the entries and the tools' definitions, with all that they import. What a
 * query loads only where its options ask for it (`import()` elsewhere) is everyone's own to pay.
 */
function loadedAtOnce(chunks: readonly Rolldown.OutputChunk[]): Set<Rolldown.OutputChunk> {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const loaded = new Set<Rolldown.OutputChunk>();
  const load = (chunk: Rolldown.OutputChunk | undefined) => {
    if (!chunk || loaded.has(chunk)) return;
    loaded.add(chunk);
    for (const name of chunk.imports) load(byName.get(name));
    // Each definition is imported by its own line there.
    if (holds(chunk, '/tools/definitions.ts'))
      for (const name of chunk.dynamicImports) load(byName.get(name));
  };
  for (const chunk of chunks) if (chunk.isEntry) load(chunk);
  return loaded;
}

/**
 * Builds entries as a browser's bundler would, without writing them. Node's modules and what
 * `isOutside` names stay imports.
 */
export async function bundle(
  root: string,
  entries: readonly string[],
  isOutside: (id: string) => boolean,
): Promise<Rolldown.OutputChunk[]> {
  const results = await build({
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    resolve: { conditions: ['rockpool-source', 'module', 'browser', 'production'] },
    oxc: { jsx: { runtime: 'automatic' } },
    // A library's build leaves these words alone, a page's doesn't; see core/is-development.ts.
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      target: 'es2024',
      minify: true,
      lib: { entry: entries.map((entry) => join(root, entry)), formats: ['es'] },
      rolldownOptions: {
        external: (id) => isOutside(id) || id.startsWith('node:'),
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
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
  const { modules, gzipBytes, deferredBytes, lazyBytes } = report;
  console.log(
    `${modules} modules, ${gzipBytes} of ${ceilingBytes} bytes gzipped, ` +
      `${deferredBytes} of deferred tools, ${lazyBytes} lazy`,
  );
  process.exitCode = report.complaints.length > 0 ? 1 : 0;
}
