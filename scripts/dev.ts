/**
 * Serves the demo (`npm start`): prints its URL and opens it where there is a desktop. The port is the first
 * free one from 5173 on, and only this machine is served. `--edge` serves the one at the edge instead.
 */
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import { serveEdgeDemo } from './dev-edge.ts';

if (process.argv.includes('--edge')) await serveEdgeDemo();
else await serveDemo();

async function serveDemo(): Promise<void> {
  const server = await createServer({
    configFile: fileURLToPath(new URL('../vite.config.ts', import.meta.url)),
    clearScreen: false,
    server: { open: hasDesktop() },
  });
  await server.listen();
  server.printUrls();
}

/** Opening a browser must be tried only where a person sits before a screen. */
function hasDesktop(): boolean {
  if (process.env['CI']) return false;
  if (process.platform === 'darwin' || process.platform === 'win32') return true;
  return Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY']);
}
