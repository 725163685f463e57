// The host's MCP client if everything runs on one thread: inline and at the edge. The code is
// loaded with the first server.
import { loadOnce } from '../../core/async/load-once.ts';
import type { FetchPort } from '../../core/host-ports/fetch-port.ts';
import type { McpLoginOptions, McpLogins } from '../../core/mcp/mcp-login.ts';
import type { McpClientPort } from '../../core/mcp/mcp-server.ts';
import { defaultBounds } from './bounds.ts';
import type { McpBounds } from './bounds.ts';
import { checkMcpOptions } from './check-mcp-options.ts';

/** A proxy of the kind that `createMcpProxy` makes. */
export interface McpProxyAddress {
  /** The absolute URL of the proxy. */
  readonly url: string;
  /** Headers for the proxy itself, such as an id of the caller. They aren't sent to servers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A host's options for remote MCP servers. */
export interface McpHostOptions {
  /**
   * How people, or this machine, log in. Left out: there are no logins, and a server's `headers`
   * may have a token.
   */
  readonly login?: McpLoginOptions;
  /**
   * The proxy for every request. It is needed for servers that don't allow requests from pages
   * (CORS).
   */
  readonly proxy?: McpProxyAddress;
  /** Limits of a server's data and time. */
  readonly bounds?: Partial<McpBounds>;
}

/** The parts of its host that the client uses. */
export interface ThreadRealm {
  readonly fetch: FetchPort;
  /** Milliseconds since the epoch. */
  now(): number;
}

/**
 * Creates the client of a host.
 * @throws SdkError `bad-usage` for invalid options
 */
export function createThreadMcpClient(
  { fetch, now }: ThreadRealm,
  options: McpHostOptions = {},
): McpClientPort {
  checkMcpOptions(options);
  const { login, proxy, bounds = {} } = options;
  const load = loadOnce(async () => {
    const [{ createMcpClient }, { createConnect }, { createRealm }] = await Promise.all([
      import('./remote-server.ts'),
      import('./known-eras.ts'),
      import('./create-realm.ts'),
    ]);
    const realm = createRealm({
      fetch,
      now,
      proxy,
      login,
      bounds: { ...defaultBounds, ...bounds },
    });
    return { client: createMcpClient(createConnect(realm, now)), realm };
  });
  const loadLogins = async (): Promise<McpLogins> => {
    const { logins } = (await load()).realm;
    if (!logins) throw new TypeError('A realm without logins was asked for them.');
    return logins;
  };
  return {
    connect: async (...connecting) => (await load()).client.connect(...connecting),
    ...(login && {
      logins: {
        begin: async (...asked) => (await loadLogins()).begin(...asked),
        complete: async (...asked) => (await loadLogins()).complete(...asked),
        forget: async (...asked) => (await loadLogins()).forget(...asked),
      },
    }),
  };
}
