/**
 * The demo's proxy for MCP servers that allow no page to read them: `createMcpProxy` as a middleware of Vite's server.
 * It is there for those of `MCP_PROXY_HOSTS`, with commas between, such as `mcp.example.com,login.example.com`; then
 * every server is reached by it.
 */
import type { Plugin } from 'vite';
import { createMcpProxy } from '../src/hosts/edge/proxy/create-mcp-proxy.ts';
import { toMiddleware } from './git-proxy.ts';

const path = '/mcp-proxy';

const servers = (process.env['MCP_PROXY_HOSTS'] ?? '').split(',').filter(Boolean);

/** Serves the proxy beside the demo, to the demo's own pages, which find it by a `<meta>`. */
export const mcpProxy: Plugin = {
  name: 'mcp-proxy',
  configureServer: ({ middlewares }) => void (servers.length > 0 && middlewares.use(serve())),
  transformIndexHtml: () =>
    servers.length === 0
      ? []
      : [{ tag: 'meta', attrs: { name: 'mcp-proxy', content: `.${path}` }, injectTo: 'head' }],
  // A built page may be served by any server, which doesn't have this proxy.
  apply: 'serve',
};

function serve() {
  const proxy = createMcpProxy({
    path,
    servers,
    // Security: pages of other origins, and other programs, have nothing to ask here.
    authenticate: ({ headers }) =>
      headers.get('sec-fetch-site') === 'same-origin' ? 'demo' : null,
  });
  return toMiddleware(proxy, path);
}
