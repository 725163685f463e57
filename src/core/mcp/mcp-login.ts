// Logins at MCP servers (OAuth 2.1 with PKCE): the types for hosts and queries. mcp/client/login/ exchanges messages
// with the servers.

/** A client that is registered already at an authorisation server. */
export interface McpRegisteredClient {
  /** The issuer of the authorisation server where the client is registered. */
  readonly issuer: string;
  readonly clientId: string;
  /**
   * The client's secret. Without a `redirectUrl` the client logs in as a machine, without a person. Never use a
   * secret in a page.
   */
  readonly clientSecret?: string;
}

/** A store for logins: texts by key. Tabs or isolates that share a store share their logins. */
export interface McpLoginStore {
  /** Undefined: there is no value. */
  read(key: string): Promise<string | undefined>;
  /** Undefined removes it. */
  write(key: string, value: string | undefined): Promise<void>;
}

/** How people log in. */
export interface McpLoginOptions {
  /**
   * The address of your page or route to which a login returns, without a query. Pass the complete address of that
   * visit to `completeMcpLogin`. Left out: only machines log in, by a client with a secret.
   */
  readonly redirectUrl?: string;
  /**
   * The https address of your client metadata document. Servers that don't support such documents are asked to
   * register you.
   */
  readonly clientMetadataUrl?: string;
  /** The name that people see when they are asked for access. @defaultValue `Rockpool` */
  readonly clientName?: string;
  readonly clients?: readonly McpRegisteredClient[];
  /** @defaultValue in memory: gone with the host */
  readonly store?: McpLoginStore;
}

/** A login that has been started. */
export interface McpLogin {
  /** The address at which a person logs in. Undefined: no person is needed, and the login is complete. */
  readonly url?: string;
}

/** A host's logins. Each rejects with `mcp-failed` and the reason, `bad-usage`, or `aborted`. */
export interface McpLogins {
  /**
   * Finds the authorisation server, and the address that a person has to open. This ends an earlier unfinished login
   * for that server. The new one can be completed for 10 minutes.
   */
  begin(serverUrl: string, signal: AbortSignal): Promise<McpLogin>;
  /**
   * Completes a login by the address to which it returned. Resolves with the server's address when the tokens are
   * stored.
   */
  complete(callbackUrl: string, signal: AbortSignal): Promise<string>;
  /** Deletes the stored tokens for the server. */
  forget(serverUrl: string, signal: AbortSignal): Promise<void>;
}
