// The Worker of demo/edge in workerd, with its own disk. Its model is a server of the test. Node only.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { build } from 'vite';
import type { Rolldown } from 'vite';
import type { LocalCloud } from '../../../scripts/cloud-proxy.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The address to which the Worker's model requests go. */
export interface EdgeDemoOptions {
  readonly modelUrl: () => string;
}

/** Dispose it to end the Worker and remove its disk. */
export interface EdgeDemo extends LocalCloud, AsyncDisposable {}

/** Bundles the Worker as wrangler does, but with the library's source instead of the package. */
export async function startEdgeDemo({ modelUrl }: EdgeDemoOptions): Promise<EdgeDemo> {
  const code = await bundleWorker();
  const disk = mkdtempSync(join(tmpdir(), 'rockpool-edge-demo-'));
  const password = 'of a test';
  const answer = async ({ url, method, headers, body }: Request) => {
    const { pathname } = new URL(url);
    const asked = { method, headers: Object.fromEntries(headers), body, duplex: 'half' };
    return fetch(modelUrl() + pathname, asked as RequestInit);
  };
  const miniflare = new Miniflare({
    ...convertV4MiniflareOptions({
      workers: [
        {
          name: 'edge-demo',
          modules: [
            { type: 'ESModule', path: 'worker.js', contents: code },
            {
              type: 'CompiledWasm',
              path: 'quickjs.wasm',
              contents: readFileSync(
                createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm'),
              ),
            },
          ],
          bindings: {
            MODEL: 'claude-sonnet-5',
            BUDGET_USD: '5',
            PASSWORD: password,
            ANTHROPIC_API_KEY: 'key-1',
            VERSION: { id: 'test' },
          },
          compatibilityDate: '2026-10-15',
          durableObjects: {
            SESSIONS: { className: 'Session', useSQLite: true },
            OWNERS: { className: 'Owner', useSQLite: true },
          },
          ratelimits: { RATE: { namespace_id: '1', simple: { limit: 1_000, period: 60 } } },
          // The casts: Miniflare has Request and Response types of its own.
          outboundService: answer as never,
        },
      ],
      cf: false,
    }),
    resourcePersistencePath: disk,
  });
  return {
    url: String(await miniflare.ready),
    password,
    async [Symbol.asyncDispose]() {
      await miniflare.dispose();
      rmSync(disk, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const source = (name: string) => join(root, 'src', name);

/** The Worker's own page, by the names of its files. */
export async function bundleEdgePage(): Promise<Readonly<Record<string, string>>> {
  const code = await bundle({
    conditions: ['rockpool-source', 'module', 'browser', 'production'],
    alias: [{ find: /^rockpool\/wire$/u, replacement: source('wire.ts') }],
    entry: 'demo/edge/src/page.js',
  });
  return { '': readFileSync(join(root, 'demo/edge/public/index.html'), 'utf8'), 'page.js': code };
}

function bundleWorker(): Promise<string> {
  return bundle({
    conditions: ['rockpool-source', 'workerd', 'module', 'browser', 'production'],
    alias: [
      { find: /^rockpool$/u, replacement: source('index.ts') },
      { find: /^rockpool\/edge$/u, replacement: source('edge.ts') },
    ],
    entry: 'demo/edge/src/worker.ts',
  });
}

interface Bundled {
  readonly conditions: string[];
  readonly alias: { readonly find: RegExp; readonly replacement: string }[];
  readonly entry: string;
}

async function bundle({ conditions, alias, entry }: Bundled): Promise<string> {
  const results = await build({
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    resolve: { conditions, alias },
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      target: 'es2024',
      minify: true,
      lib: { entry: join(root, entry), formats: ['es'] },
      rolldownOptions: {
        external: (id) => /^(?:cloudflare|node):/u.test(id) || id.endsWith('quickjs.wasm'),
        output: {
          codeSplitting: false,
          paths: (id) => (id.endsWith('quickjs.wasm') ? './quickjs.wasm' : id),
        },
      },
    },
  });
  const [result] = (Array.isArray(results) ? results : [results]) as Rolldown.RolldownOutput[];
  const [main] = result?.output ?? [];
  if (!main) throw new Error(`bundling ${entry} gave no output`);
  return main.code;
}
