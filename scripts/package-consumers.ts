/**
 * Strangers' projects that install the packed library: a Vite app in dev, the same app built, and
 * a plain page of ES modules with an import map. scripts/package-turn.ts runs a turn in each.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { build, createServer, preview } from 'vite';

/** A page that is being served; the caller closes it. */
export interface ServedPage {
  readonly url: string;
  close(): Promise<void>;
}

/** Makes a project in `folder` that has installed `tarball` and has one page with one module. */
export function installConsumer(folder: string, tarball: string, pageModule: string): void {
  const manifest = { name: 'consumer', private: true, type: 'module' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'page.js'), pageModule);
  writeFileSync(join(folder, 'index.html'), page(''));
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', tarball], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
}

/** The project under Vite's dev server, dependency optimizer and all. */
export async function serveViteDev(folder: string): Promise<ServedPage> {
  const server = await createServer({ root: folder, configFile: false, logLevel: 'warn' });
  await server.listen(0);
  return { url: server.resolvedUrls?.local[0] ?? '', close: () => server.close() };
}

/** The project built by Vite, and its output served. */
export async function serveViteBuild(folder: string): Promise<ServedPage> {
  const options = { root: folder, configFile: false, logLevel: 'warn' } as const;
  await build({ ...options, build: { target: 'es2024' } });
  const server = await preview({ ...options, preview: { port: 0 } });
  return { url: server.resolvedUrls?.local[0] ?? '', close: () => server.close() };
}

/** The project as it lies on disk, with nothing but an import map. */
export async function servePlainPage(folder: string): Promise<ServedPage> {
  const imports = toImportMap(folder);
  const html = page(`<script type="importmap">${JSON.stringify({ imports })}</script>`);
  const server = createHttpServer((request, response) => {
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

function page(head: string): string {
  return `<!doctype html><meta charset="utf-8"><title>consumer</title>${head}
<script type="module" src="./page.js"></script>`;
}

function mimeOf(file: string): string {
  const types: Record<string, string> = {
    '.wasm': 'application/wasm',
    '.json': 'application/json',
  };
  return types[extname(file)] ?? 'text/javascript';
}

/** Maps the library's subpaths, and each package that its modules import, to files. */
function toImportMap(folder: string): Record<string, string> {
  const modules = join(folder, 'node_modules');
  const dist = join(modules, 'rockpool/dist');
  const map: Record<string, string> = {};
  for (const subpath of Object.keys(manifestOf(join(modules, 'rockpool')).exports ?? {})) {
    map[subpath.replace(/^\./, 'rockpool')] = urlOf(modules, subpath.replace(/^\./, 'rockpool'));
  }
  for (const name of readdirSync(dist).filter((file) => /^[^.]+\.js$/.test(file))) {
    const code = readFileSync(join(dist, name), 'utf8');
    for (const [, specifier = ''] of code.matchAll(
      /\b(?:from|import)[\s(]*["']([^."'][^"']*)["']/g,
    )) {
      map[specifier] = urlOf(modules, specifier);
    }
  }
  return map;
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
