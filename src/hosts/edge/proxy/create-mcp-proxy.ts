// The proxy between pages and MCP servers that allow no page to read them, and the servers that people log in at for
// them. `mcp.proxy` of a host is its client.
import { checkOptionNames } from '../../../core/check-option-names.ts';
import {
  createProxy,
  type KnownRequest,
  type ProxyHandler,
  knownProxyOptions,
  type ProxyOptions,
} from './create-proxy.ts';

/** What an MCP proxy takes: as every proxy, but that its list is of MCP servers. */
export interface McpProxyOptions extends Omit<ProxyOptions, 'hosts'> {
  /**
   * The hosts of the MCP servers, and of those where people log in for them, as `Repl(net:…)` names hosts:
   * `mcp.example.com`, `*.example.com`. All by https, unless one begins with `http://`.
   */
  readonly servers: readonly string[];
}

/** What the protocol and its logins send. A server's own `Mcp-Param-…` go, too. */
const sent = ['accept', 'authorization', 'content-type', 'last-event-id'];

/** What the client reads of an answer: a session, and what a login needs. */
const answered = ['mcp-session-id', 'mcp-protocol-version', 'www-authenticate'];

const types = /^(?:application\/(?:[\w.-]+\+)?json|text\/event-stream)(?:;|$)/u;

/**
 * Makes the `fetch` handler of an MCP proxy. Behind its path stands the address without its scheme:
 * `/mcp-proxy/mcp.example.com/mcp`. Streams go through as they come.
 *
 * Security: whoever may use it sends requests in your server's name, to the hosts of the list alone. Tokens of people
 * pass through it; none is kept.
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
