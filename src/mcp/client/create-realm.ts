// Creates the parts by which one realm reaches MCP servers, from a host's options. The realm is the
// thread of an isolate, or a page's MCP worker.
import type { FetchPort } from '../../core/host-ports/fetch-port.ts';
import type { McpLoginOptions } from '../../core/mcp/mcp-login.ts';
import type { McpBounds } from './bounds.ts';
import { createBoundedFetch } from './bounded-fetch.ts';
import type { ClientRealm } from './connect-server.ts';
import { createLogins } from './login/create-logins.ts';
import type { McpProxyAddress } from './thread-client.ts';
import { createMemoryLoginStore } from './login/login-records.ts';
import { createTurns } from './login/take-turns.ts';

/** Options of a realm. Undefined: not given. */
export interface RealmOptions {
  readonly fetch: FetchPort;
  readonly bounds: McpBounds;
  readonly proxy: McpProxyAddress | undefined;
  readonly login: McpLoginOptions | undefined;
  /** Milliseconds since the epoch. */
  now(): number;
}

export function createRealm({ fetch: port, bounds, proxy, login, now }: RealmOptions): ClientRealm {
  const fetch = proxy === undefined ? port : throughProxy(port, proxy);
  if (!login) return { fetch, bounds };
  const logins = createLogins(login, {
    fetch: createBoundedFetch(fetch, bounds.messageBytes),
    store: login.store ?? createMemoryLoginStore(),
    exclusively: createTurns(),
    stepMs: bounds.loginMs,
    now,
  });
  return { fetch, bounds, logins };
}

/**
 * Sends requests through the proxy. The proxy's URL is followed by the server's URL without its
 * scheme.
 */
function throughProxy(port: FetchPort, { url: proxy, headers = {} }: McpProxyAddress): FetchPort {
  const start = proxy.endsWith('/') ? proxy : `${proxy}/`;
  return {
    ...port,
    send: (url, init) =>
      port.send(start + url.replace(/^https?:\/\//u, ''), {
        ...init,
        headers: [...init.headers, ...Object.entries(headers)],
      }),
  };
}
