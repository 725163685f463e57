// The stored records of logins, as JSON texts by key: the issuer of each server, tokens by server
// and issuer, clients by issuer, and pending logins by state. Used by create-logins.ts.
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { isRecord } from '../../../core/values/is-record.ts';
import type { McpLoginStore } from '../../../core/mcp/mcp-login.ts';
import { parseJson } from '../../../core/text/parse-json.ts';

/** The record of a server. */
export interface ServerRecord {
  /** The issuer of the last tokens. */
  readonly issuer?: string;
  readonly discovery?: OAuthDiscoveryState;
  /** The state of the last login. */
  readonly state?: string;
}

/** A login that the person hasn't completed. */
export interface PendingLogin {
  readonly serverUrl: string;
  readonly verifier: string;
  readonly discovery: OAuthDiscoveryState;
  /** Milliseconds since the epoch. */
  readonly begun: number;
}

/** Parses the texts. An invalid text counts as missing, because other code has written it. */
export function createLoginRecords(store: McpLoginStore) {
  async function read(key: string): Promise<unknown> {
    const text = await store.read(key);
    if (text === undefined) return undefined;
    const value = parseJson(text);
    // If the text is invalid, a new login is needed.
    return isRecord(value) ? value : undefined;
  }
  const write = (key: string, value: object | undefined) =>
    store.write(key, value && JSON.stringify(value));

  return {
    server: async (url: string) => ((await read(`server ${url}`)) ?? {}) as ServerRecord,
    setServer: (url: string, record: ServerRecord) => write(`server ${url}`, record),
    tokens: async (url: string, issuer: string) =>
      (await read(`tokens ${url} ${issuer}`)) as StoredOAuthTokens | undefined,
    setTokens: (url: string, issuer: string, tokens: StoredOAuthTokens | undefined) =>
      write(`tokens ${url} ${issuer}`, tokens),
    client: async (issuer: string, redirectUrl: string) =>
      (await read(`client ${issuer} ${redirectUrl}`)) as StoredOAuthClientInformation | undefined,
    setClient: (
      issuer: string,
      redirectUrl: string,
      client: StoredOAuthClientInformation | undefined,
    ) => write(`client ${issuer} ${redirectUrl}`, client),
    pending: async (state: string) => (await read(`login ${state}`)) as PendingLogin | undefined,
    setPending: (state: string, login: PendingLogin | undefined) => write(`login ${state}`, login),
  };
}

/** A store in memory, for this realm only. */
export function createMemoryLoginStore(): McpLoginStore {
  const texts = new Map<string, string>();
  return {
    read: (key) => Promise.resolve(texts.get(key)),
    write(key, value) {
      if (value === undefined) texts.delete(key);
      else texts.set(key, value);
      return Promise.resolve();
    },
  };
}
