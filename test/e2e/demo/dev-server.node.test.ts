// What `npm start` serves where Vite alone would serve something else: the frame of MCP Apps.
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createServer } from 'vite';
import type { ViteDevServer } from 'vite';

const configFile = fileURLToPath(new URL('../../../vite.config.ts', import.meta.url));
const frame = fileURLToPath(
  new URL('../../../src/hosts/browser/app-frame/app-frame.html', import.meta.url),
);

let server: ViteDevServer;

beforeAll(async () => {
  server = await createServer({ configFile, logLevel: 'silent', server: { port: 0 } });
  await server.listen();
});

afterAll(() => server.close());

const load = (path: string) => fetch(new URL(path, server.resolvedUrls?.local[0]));

it('an import of the frame is a module with its address', async () => {
  const response = await load(`/@fs${frame}?import&url`);
  expect(response.headers.get('content-type')).toContain('javascript');
  expect(await response.text()).toContain('app-frame.html');
});

it('the frame is as it was written, without a client of the server’s', async () => {
  const response = await load(`/@fs${frame}`);
  expect(response.headers.get('content-type')).toContain('text/html');
  expect(await response.text()).not.toContain('/@vite/client');
});
