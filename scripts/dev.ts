/**
 * Serves the demo (`npm start`): prints its URL and opens it where there is a desktop. The port is the first
 * free one from 5173 on, and only this machine is served. `--edge`: with a cloud beside it, demo/edge in a local workerd.
 */
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import { servedCloud } from './cloud-proxy.ts';
import { serveEdgeDemo } from './dev-edge.ts';

const cloud = process.argv.includes('--edge') ? await serveEdgeDemo() : undefined;
const server = await createServer({
  configFile: fileURLToPath(new URL('../vite.config.ts', import.meta.url)),
  clearScreen: false,
  plugins: cloud ? [servedCloud(cloud)] : [],
  server: { open: hasDesktop() },
});
await server.listen();
server.printUrls();
if (cloud) console.log(`  ➜  The cloud: ${cloud.url}/ (its password: demo/edge/.dev.vars)\n`);

/** Opening a browser must be tried only where a person sits before a screen. */
function hasDesktop(): boolean {
  if (process.env['CI']) return false;
  if (process.platform === 'darwin' || process.platform === 'win32') return true;
  return Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY']);
}
