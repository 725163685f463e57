/**
 * Serves the frame of MCP Apps without the demo's policy: what it holds takes that over, and an app's own scripts would
 * not run. It has a policy of its own in its head. A host's server does the same.
 */
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const source = fileURLToPath(
  new URL('../src/hosts/browser/app-frame/app-frame.html', import.meta.url),
);

type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

const middleware: Middleware = ({ url = '' }, response, next) => {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  // Who imports it gets its address, from Vite.
  if (!isAppFrame(pathname) || searchParams.has('import')) {
    next();
    return;
  }
  // Vite itself would put its client into it.
  response.setHeader('content-type', 'text/html; charset=utf-8').end(readFileSync(source));
};

/** In a build its name has a hash. */
export function isAppFrame(path: string): boolean {
  return /\/app-frame(?:-[\w-]+)?\.html$/u.test(path);
}

export const appFrame: Plugin = {
  name: 'app-frame',
  configureServer: ({ middlewares }) => void middlewares.use(middleware),
  configurePreviewServer: ({ middlewares }) => void middlewares.use(middleware),
};
