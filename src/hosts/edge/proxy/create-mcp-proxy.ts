// A proxy for pages whose MCP servers send no CORS headers. It also reaches the servers where
// people log in for them. `mcp.proxy` of a host is its client.
import { checkOptionNames } from '../../../core/check-option-names.ts';
import {
  createProxy,
  type KnownRequest,
  type ProxyHandler,
  knownProxyOptions,
  type ProxyOptions,
} from './create-proxy.ts';

/** The options of an MCP proxy: those of every proxy, with `servers` instead of `hosts`. */
export interface McpProxyOptions extends Omit<ProxyOptions, 'hosts'> {
  /**
   * The hosts of the MCP servers and of their login servers, named as in `Repl(net:…)`:
   * `mcp.example.com`, `*.example.com`. All are reached by https, unless one begins with `http://`.
   */
  readonly servers: readonly string[];
}

/**
 * The request headers of the protocol and its logins. A server's own `Mcp-Param-…` headers are
 * forwarded too.
 */
const sent = ['accept', 'authorization', 'content-type', 'last-event-id'];

/** The response headers that the client reads: the session, and what a login needs. */
const answered = ['mcp-session-id', 'mcp-protocol-version', 'www-authenticate'];

const types = /^(?:application\/(?:[\w.-]+\+)?json|text\/event-stream)(?:;|$)/u;

/**
 * Creates the `fetch` handler of an MCP proxy. The proxy's path is followed by the server's URL
 * without its scheme: `/mcp-proxy/mcp.example.com/mcp`. Streams are forwarded without buffering.
 *
 * Security: every caller sends requests on behalf of your server, but only to the hosts in the
 * list. People's tokens pass through the proxy and aren't stored.
 *
 * @example
 * ```ts
 * import { createMcpProxy } from 'rockpool/edge';
 *
 * const proxy = createMcpProxy({
 *   path: '/mcp-proxy',
 *   servers: ['mcp.example.com', 'login.example.com'],
 *   authenticate: (request) => request.headers.get('x-user'),
 * });
 * export default { fetch: proxy };
 * ```
 */
export function createMcpProxy(given: McpProxyOptions): ProxyHandler {
  checkOptionNames('createMcpProxy', given, knownOptions);
  const { servers, ...options } = given;
  return createProxy({ ...options, hosts: servers }, (method, _target, headers) =>
    method === 'POST' || method === 'GET' || method === 'DELETE' ? know(headers) : undefined,
  );
}

function know(headers: Headers): KnownRequest {
  const own = [...headers.keys()].filter((name) => name.startsWith('mcp-'));
  return {
    headers: [...sent, ...own],
    types,
    followsRedirects: false,
    answers: answered,
    agent: 'rockpool',
  };
}

const { hosts: _, ...ofEveryKind } = knownProxyOptions;
const knownOptions = {
  ...ofEveryKind,
  servers: true,
} satisfies Record<keyof McpProxyOptions, true>;
