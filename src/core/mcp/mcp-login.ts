// Logins at MCP servers (OAuth 2.1 with PKCE), as a host is given them and a query asks for them. mcp/client/login/
// speaks with the servers.

/** A client that is registered already, and with whom. */
export interface McpRegisteredClient {
  /** The authorisation server that knows it, by its issuer. */
  readonly issuer: string;
  readonly clientId: string;
  /** The client's secret. Without a `redirectUrl` the client logs in by itself, as a machine. Never use it in a page. */
  readonly clientSecret?: string;
}

/** Where logins are kept, as texts by key. Tabs or isolates that share one share their logins. */
export interface McpLoginStore {
  /** Undefined: there is none. */
  read(key: string): Promise<string | undefined>;
  /** Undefined removes it. */
  write(key: string, value: string | undefined): Promise<void>;
}

/** How people log in here. */
export interface McpLoginOptions {
  /**
   * A page or route of yours, without a query: a login comes back to it. Give its whole address to
   * `completeMcpLogin`. Left out: machines log in, by a client with a secret.
   */
  readonly redirectUrl?: string;
  /** The https address of your client metadata document. Servers that read none are asked to register you. */
  readonly clientMetadataUrl?: string;
  /** What people read who are asked for access. @defaultValue `Rockpool` */
  readonly clientName?: string;
  readonly clients?: readonly McpRegisteredClient[];
  /** @defaultValue in memory: gone with the host */
  readonly store?: McpLoginStore;
}

/** A login that has begun. */
export interface McpLogin {
  /** Where a person logs in. Undefined: nobody is needed, and the login is done. */
  readonly url?: string;
}

/** A host's logins. Each rejects with `mcp-failed` and the reason, `bad-usage`, or `aborted`. */
export interface McpLogins {
  /**
   * Finds out who gives access to the server, and what a person has to open for it. A login that
   * was begun before for that server is over. The new one can be completed for 10 minutes.
   */
  begin(serverUrl: string, signal: AbortSignal): Promise<McpLogin>;
  /**
   * Takes the address that the login came back to. Resolves with the server's address, once its
   * tokens are kept.
   */
  complete(callbackUrl: string, signal: AbortSignal): Promise<string>;
  /** Forgets the tokens that are kept for the server. */
  forget(serverUrl: string, signal: AbortSignal): Promise<void>;
}
