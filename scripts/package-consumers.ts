/**
 * Strangers' projects that install the packed library: a Vite app in dev, the same app built, and
 * a plain page of ES modules with an import map. All serve the policy that the README asks for and
 * nothing softer. scripts/package-turn.ts runs a turn in each.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { build, createServer, parseSync, preview } from 'vite';

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

/** The project as it lies on disk, with nothing but an import map and a link to the stylesheet. */
export async function servePlainPage(folder: string): Promise<ServedPage> {
  const importMap = JSON.stringify({ imports: toImportMap(folder) });
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

/** Maps the library's subpaths, and each package that its modules import, to files. */
function toImportMap(folder: string): Record<string, string> {
  const modules = join(folder, 'node_modules');
  const dist = join(modules, 'rockpool/dist');
  const subpaths = Object.keys(manifestOf(join(modules, 'rockpool')).exports ?? {});
  const imported = readdirSync(dist)
    .filter((file) => /^[^.]+\.js$/.test(file))
    .flatMap((file) => listImports(file, readFileSync(join(dist, file), 'utf8')));
  const specifiers = new Set([
    ...subpaths.map((subpath) => subpath.replace(/^\./, 'rockpool')),
    ...imported.filter((specifier) => !/^[.#]/.test(specifier)),
  ]);
  return Object.fromEntries(
    [...specifiers].map((specifier) => [specifier, urlOf(modules, specifier)]),
  );
}

/** The specifiers of a module's imports and re-exports; of dynamic ones, those that are literal. */
function listImports(fileName: string, code: string): string[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(fileName, code).module;
  const dynamic = dynamicImports.map(({ moduleRequest: { start, end } }) => code.slice(start, end));
  return [
    ...staticImports.map((each) => each.moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.map((entry) => entry.moduleRequest?.value)),
    ...dynamic.map((text) => /^(['"])(.*)\1$/.exec(text)?.[2]),
  ].filter((specifier) => specifier !== undefined);
}

interface Manifest {
  readonly exports?: Record<string, unknown>;
  readonly module?: string;
  readonly main?: string;
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Resolves a bare specifier as a browser's bundler would, to a URL below the project. */
function urlOf(modules: string, specifier: string): string {
  const [, name = '', rest = ''] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(specifier) ?? [];
  if (!existsSync(join(modules, name))) return `/not-installed/${specifier}`;
  const { exports, module, main } = manifestOf(join(modules, name));
  const target = choose(exports?.[`.${rest}`]) ?? (rest || (module ?? main ?? 'index.js'));
  return `/${['node_modules', name, target].join('/').replaceAll('/./', '/')}`;
}

/** The first target for a browser; conditions are tried in the package's own order. */
function choose(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  for (const [condition, inner] of Object.entries(target ?? {})) {
    if (!['browser', 'import', 'module', 'default'].includes(condition)) continue;
    const chosen = choose(inner);
    if (chosen) return chosen;
  }
  return undefined;
}
