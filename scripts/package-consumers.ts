/**
 * Strangers' projects that install the packed library. They are a Vite app in dev, the same app
 * built, and a plain page of ES modules with an import map. All serve the policy that the README
 * asks for and nothing softer. scripts/package-turn.ts runs a turn in each.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { build, createServer, preview } from 'vite';

/** A page that is being served; the caller closes it. */
export interface ServedPage {
  readonly url: string;
  close(): Promise<void>;
}

/** The headers of a strict page and its workers; `also` is what one way of serving needs besides. */
function strictHeaders(also: { readonly script?: string; readonly style?: string } = {}) {
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval' ${also.script ?? ''}`,
    "worker-src 'self'",
    "connect-src 'self'",
    `style-src 'self' ${also.style ?? ''}`,
    'img-src data:',
  ];
  return { 'content-security-policy': policy.map((directive) => directive.trim()).join('; ') };
}

/** Makes a project in `folder` that has installed `tarball`, has these files, and a page of `page.js`. */
export function installConsumer(
  folder: string,
  tarball: string,
  modules: Readonly<Record<string, string>>,
): void {
  const manifest = { name: 'consumer', private: true, type: 'module' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  for (const [name, text] of Object.entries(modules)) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, 'styles.js'), "import 'rockpool/react.css';\n");
  writeFileSync(
    join(folder, 'index.html'),
    page('<script type="module" src="./styles.js"></script>'),
  );
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', tarball], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
}

/** The project under Vite's dev server, dependency optimizer and all. */
export async function serveViteDev(folder: string): Promise<ServedPage> {
  const server = await createServer({
    root: folder,
    configFile: false,
    logLevel: 'warn',
    // In dev, Vite puts stylesheets into the page as text.
    server: { headers: strictHeaders({ style: "'unsafe-inline'" }) },
    // Only a worker entry imports it, where Vite doesn't look: found late, it would reload the page.
    optimizeDeps: { include: ['rockpool/serve-tools'] },
  });
  await server.listen(0);
  return { url: server.resolvedUrls?.local[0] ?? '', close: () => server.close() };
}

/** The project built by Vite, and its output served. */
export async function serveViteBuild(folder: string): Promise<ServedPage> {
  const options = { root: folder, configFile: false, logLevel: 'warn' } as const;
  await build({ ...options, build: { target: 'es2024' } });
  const server = await preview({ ...options, preview: { port: 0, headers: strictHeaders() } });
  return { url: server.resolvedUrls?.local[0] ?? '', close: () => server.close() };
}

/** The project as it lies on disk, with nothing but the documented import map and a link to the stylesheet. */
export async function servePlainPage(folder: string): Promise<ServedPage> {
  const importMap = readImportMap(folder);
  const html = page(
    '<link rel="stylesheet" href="./node_modules/rockpool/dist/react.css">' +
      `<script type="importmap">${importMap}</script>`,
  );
  // An import map can't be a file yet: its hash admits it, and no other inline script.
  const hash = createHash('sha256').update(importMap).digest('base64');
  const headers = new Headers(strictHeaders({ script: `'sha256-${hash}'` }));
  const server = createHttpServer((request, response) => {
    response.setHeaders(headers);
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname));
    const file = join(folder, path);
    if (path === '/') response.setHeader('content-type', 'text/html').end(html);
    else if (!file.startsWith(folder) || !existsSync(file)) response.writeHead(404).end();
    else response.setHeader('content-type', mimeOf(file)).end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The same, with the workers' files and the wasm in a folder of the page's own choice. */
export async function serveCopiedAssets(folder: string): Promise<ServedPage> {
  for (const name of [
    'fs.worker.js',
    'tool.worker.js',
    'sucrase.js',
    'repl-world.js',
    'git-commands.js',
    'pdf-reader.js',
    'quickjs.wasm',
  ]) {
    cpSync(join(folder, 'node_modules/rockpool/dist', name), join(folder, 'static', name));
  }
  return servePlainPage(folder);
}

function page(head: string): string {
  return `<!doctype html><meta charset="utf-8"><title>consumer</title>${head}
<script type="module" src="./page.js"></script>`;
}

function mimeOf(file: string): string {
  const types: Record<string, string> = {
    '.css': 'text/css',
    '.wasm': 'application/wasm',
    '.json': 'application/json',
  };
  return types[extname(file)] ?? 'text/javascript';
}

/** The map that docs/bundlers.md tells a page without a bundler to copy. */
function readImportMap(folder: string): string {
  const map = readFileSync(
    join(folder, 'node_modules/rockpool/docs/examples/import-map.json'),
    'utf8',
  );
  const { imports }: { imports: Record<string, string> } = JSON.parse(map);
  const missing = Object.values(imports).filter((path) => !existsSync(join(folder, path)));
  if (missing.length > 0) throw new Error(`The import map names no files: ${missing.join(', ')}`);
  return map;
}
