// Logins at remote MCP servers: OAuth 2.1 with PKCE, by the protocol's client, in the realm that
// connects to the servers. A login has two calls, because the page may be left in between. Tokens
// are only in the store and in requests to their server.
import {
  UnauthorizedError,
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  refreshAuthorization,
} from '@modelcontextprotocol/client';
import type {
  AuthProvider,
  FetchLike,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { createAbortError } from '../../../core/async/abort.ts';
import { toHex } from '../../../core/bytes/hex.ts';
import { SdkError } from '../../../core/errors.ts';
import type { McpLoginOptions, McpLogins, McpLoginStore } from '../../../core/mcp/mcp-login.ts';
import { createLoginRecords } from './login-records.ts';

/** The parts of the realm that {@link createLogins} uses. */
export interface LoginRealm {
  readonly fetch: FetchLike;
  readonly store: McpLoginStore;
  /** Runs work with the same name one at a time, in all tabs that share the store. */
  exclusively<Value>(name: string, work: () => Promise<Value>): Promise<Value>;
  /** The time limit of one step, in milliseconds. */
  readonly stepMs: number;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** Logins, and the functions by which this realm's connections use them. */
export interface RealmLogins extends McpLogins {
  /** The provider of tokens for connections to that server. Each request gets the newest token. */
  providerFor(serverUrl: string): AuthProvider;
  /** Records the scopes that the server requires, for the next login. */
  wants(serverUrl: string, scope: string | undefined): void;
}

// 10 min: enough for a person to find a password. A later answer may come from somebody else.
const maxPendingMs = 600_000;

export function createLogins(
  options: Omit<McpLoginOptions, 'store'>,
  { fetch: send, store, exclusively, stepMs, now }: LoginRealm,
): RealmLogins {
  const records = createLoginRecords(store);
  const wanted = new Map<string, string | undefined>();
  /** The URLs of servers' metadata, as the servers have given them. */
  const metadataUrls = new Map<string, URL>();
  const redirectUrl = options.redirectUrl ?? '';

  /**
   * Security: metadata may point to any URL. Only https is used, or loopback for a server on
   * loopback.
   */
  const toFetch =
    (serverUrl: string, signal?: AbortSignal): FetchLike =>
    (url, init = {}) => {
      const target = new URL(url);
      const isOpen = target.protocol === 'http:' && isLoopback(target.hostname);
      if (target.protocol !== 'https:' && !(isOpen && isLoopback(new URL(serverUrl).hostname))) {
        throw failed(`The login leads to ${target.origin}, which isn't reached by https.`);
      }
      const ending = [signal, init.signal, AbortSignal.timeout(stepMs)].filter(
        (one) => one != null,
      );
      return send(url, { ...init, signal: AbortSignal.any(ending) });
    };

  /** The provider of one flow. `flow` holds its state. */
  function toProvider(serverUrl: string, flow: Flow): OAuthClientProvider {
    const registered = (issuer: string | undefined): StoredOAuthClientInformation | undefined => {
      const own = options.clients?.find((client) => client.issuer === issuer);
      return (
        own && {
          client_id: own.clientId,
          ...(own.clientSecret !== undefined && { client_secret: own.clientSecret }),
          issuer: own.issuer,
        }
      );
    };
    return {
      redirectUrl: options.redirectUrl,
      ...(options.clientMetadataUrl !== undefined && {
        clientMetadataUrl: options.clientMetadataUrl,
      }),
      clientMetadata: toMetadata(options),
      state: () => flow.state,
      clientInformation: async (context) =>
        registered(context?.issuer) ??
        (context && (await records.client(context.issuer, redirectUrl))),
      ...(redirectUrl
        ? {
            saveClientInformation: (client, context) =>
              context && records.setClient(context.issuer, redirectUrl, client),
          }
        : {
            prepareTokenRequest: (scope) =>
              new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) }),
          }),
      tokens: async (context) => context && records.tokens(serverUrl, context.issuer),
      async saveTokens(tokens, context) {
        const issuer = context?.issuer ?? tokens.issuer ?? '';
        await records.setTokens(serverUrl, issuer, tokens);
        await records.setServer(serverUrl, {
          issuer,
          ...(flow.discovery && { discovery: flow.discovery }),
        });
      },
      redirectToAuthorization(url) {
        flow.url = url;
      },
      saveCodeVerifier(verifier) {
        flow.verifier = verifier;
      },
      codeVerifier: () => flow.verifier,
      saveDiscoveryState(discovery) {
        flow.discovery = discovery;
      },
      discoveryState: () => flow.discovery,
      // The client's metadata document or registration may be deleted. The next try registers
      // again.
      async invalidateCredentials(scope) {
        const issuer = flow.discovery?.authorizationServerMetadata?.issuer;
        if (issuer === undefined) return;
        if (scope === 'all' || scope === 'client')
          await records.setClient(issuer, redirectUrl, undefined);
        if (scope === 'all' || scope === 'tokens')
          await records.setTokens(serverUrl, issuer, undefined);
      },
    };
  }

  async function currentTokens(serverUrl: string): Promise<StoredOAuthTokens | undefined> {
    const { issuer } = await records.server(serverUrl);
    return issuer === undefined ? undefined : records.tokens(serverUrl, issuer);
  }

  /** Gets a new token after the server has refused one. Undefined: a person must log in. */
  async function renew(
    serverUrl: string,
    refused: string | undefined,
  ): Promise<string | undefined> {
    const tokens = await currentTokens(serverUrl);
    // Another connection or tab has already renewed it.
    if (tokens && tokens.access_token !== refused) return tokens.access_token;
    const { discovery, issuer } = await records.server(serverUrl);
    if (!redirectUrl) return logInAsMachine(serverUrl);
    if (!tokens?.refresh_token || !discovery || issuer === undefined) return undefined;
    const flow: Flow = { state: '', verifier: '', discovery };
    const provider = toProvider(serverUrl, flow);
    const clientInformation = await provider.clientInformation({ issuer });
    if (!clientInformation) return undefined;
    const { resourceMetadata, authorizationServerMetadata: metadata } = discovery;
    try {
      const fresh = await refreshAuthorization(discovery.authorizationServerUrl, {
        ...(metadata && { metadata }),
        ...(resourceMetadata && { resource: resourceMetadata.resource }),
        clientInformation,
        refreshToken: tokens.refresh_token,
        fetchFn: toFetch(serverUrl),
      });
      await provider.saveTokens({ ...fresh, issuer }, { issuer });
      return fresh.access_token;
    } catch (error) {
      // The server didn't answer, so the token may still be valid.
      if (!isRefusal(error)) throw error;
      await records.setTokens(serverUrl, issuer, undefined);
      return undefined;
    }
  }

  async function logInAsMachine(serverUrl: string): Promise<string | undefined> {
    const flow: Flow = { state: '', verifier: '' };
    const scope = wanted.get(serverUrl);
    const resourceMetadataUrl = metadataUrls.get(serverUrl);
    const given = auth(toProvider(serverUrl, flow), {
      serverUrl,
      fetchFn: toFetch(serverUrl),
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(scope !== undefined && { scope }),
    });
    const result = await given.catch((error: unknown) => {
      throw toLoginFailure(error);
    });
    return result === 'AUTHORIZED' ? (await currentTokens(serverUrl))?.access_token : undefined;
  }

  return {
    providerFor(serverUrl) {
      let sent: string | undefined;
      let isRead = false;
      return {
        async token() {
          if (!isRead) sent = (await currentTokens(serverUrl))?.access_token;
          isRead = true;
          return sent;
        },
        async onUnauthorized({ response }) {
          const { scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
          if (resourceMetadataUrl) metadataUrls.set(serverUrl, resourceMetadataUrl);
          wanted.set(serverUrl, computeScopeUnion(wanted.get(serverUrl), scope));
          const token = await exclusively(serverUrl, () => renew(serverUrl, sent));
          if (token === undefined) throw new UnauthorizedError('A login is needed.');
          sent = token;
        },
      };
    },
    wants(serverUrl, scope) {
      wanted.set(serverUrl, computeScopeUnion(wanted.get(serverUrl), scope));
    },
    async begin(serverUrl, signal) {
      if (!redirectUrl) {
        const token = await exclusively(serverUrl, () => logInAsMachine(serverUrl));
        if (token === undefined) throw failed('The server gave no access.');
        return {};
      }
      const flow: Flow = { state: toRandomText(), verifier: '' };
      const { scope: granted } = (await currentTokens(serverUrl)) ?? {};
      const scope = computeScopeUnion(granted, wanted.get(serverUrl));
      const resourceMetadataUrl = metadataUrls.get(serverUrl);
      const begun = auth(toProvider(serverUrl, flow), {
        serverUrl,
        ...(resourceMetadataUrl && { resourceMetadataUrl }),
        fetchFn: toFetch(serverUrl, signal),
        forceReauthorization: true,
        ...(scope !== undefined && { scope }),
      });
      await begun.catch((error: unknown) => {
        throw toLoginFailure(error);
      });
      const { url, discovery } = flow;
      if (!url || !discovery) throw failed('The server says of no login that a person could open.');
      // Security: opening the URL must not run a script of the server.
      if (!isSafe(url))
        throw failed(`The server's login stands at ${url.protocol}, which isn't opened.`);
      const record = await records.server(serverUrl);
      if (record.state !== undefined) await records.setPending(record.state, undefined);
      await records.setPending(flow.state, {
        serverUrl,
        verifier: flow.verifier,
        discovery,
        begun: now(),
      });
      await records.setServer(serverUrl, { ...record, state: flow.state });
      return { url: url.href };
    },
    async complete(callbackUrl, signal) {
      const answer = readCallback(callbackUrl, redirectUrl);
      const pending = await records.pending(answer.state);
      await records.setPending(answer.state, undefined);
      if (!pending || now() - pending.begun > maxPendingMs) {
        throw failed(
          'No login waits for this answer: it was begun elsewhere, too long ago, or is done. Log in again.',
        );
      }
      if (answer.error !== undefined) throw failed(`The login was refused: ${answer.error}.`);
      if (answer.code === undefined)
        throw failed('The login came back without a code. Log in again.');
      const { serverUrl, verifier, discovery } = pending;
      const completed = auth(toProvider(serverUrl, { state: '', verifier, discovery }), {
        serverUrl,
        authorizationCode: answer.code,
        fetchFn: toFetch(serverUrl, signal),
        ...(answer.iss !== undefined && { iss: answer.iss }),
      });
      await completed.catch((error: unknown) => {
        throw toLoginFailure(error);
      });
      wanted.delete(serverUrl);
      return serverUrl;
    },
    async forget(serverUrl) {
      const { issuer } = await records.server(serverUrl);
      if (issuer !== undefined) await records.setTokens(serverUrl, issuer, undefined);
      await records.setServer(serverUrl, {});
    },
  };
}

/** The state of one flow. */
interface Flow {
  readonly state: string;
  verifier: string;
  discovery?: OAuthDiscoveryState;
  url?: URL;
}

function toMetadata({
  redirectUrl,
  clientName = 'Rockpool',
}: McpLoginOptions): OAuthClientMetadata {
  if (redirectUrl === undefined) {
    return { client_name: clientName, redirect_uris: [], grant_types: ['client_credentials'] };
  }
  return {
    client_name: clientName,
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

function readCallback(callbackUrl: string, redirectUrl: string) {
  const url = URL.parse(callbackUrl);
  const own = URL.parse(redirectUrl);
  if (!url || !own || url.origin !== own.origin || url.pathname !== own.pathname) {
    throw new SdkError(
      'bad-usage',
      'completeMcpLogin takes the whole address that the login came back to: the redirectUrl of the host, with its query.',
    );
  }
  const read = (name: string) => url.searchParams.get(name) ?? undefined;
  // Security: these parameters come from outside, and are shown to a person.
  const error = read('error')
    ?.replaceAll(/[^\w .,:-]/gu, '')
    .slice(0, 100);
  return { state: read('state') ?? '', code: read('code'), iss: read('iss'), error };
}

// 256 bits, which can't be guessed.
function toRandomText(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(32)));
}

function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';

/** True for an answer of the authorisation server, and false for a network failure. */
function isRefusal(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' && /^(?:invalid|unauthorized)_/u.test(code);
}

function failed(message: string): SdkError {
  return new SdkError('mcp-failed', message, { data: { needsAuth: true } });
}

/** Security: the library's message may contain a code or a token, so only its kind is reported. */
function toLoginFailure(error: unknown): unknown {
  if (SdkError.isInstance(error)) return error;
  const { name = 'Error', code } = (error ?? {}) as {
    readonly name?: string;
    readonly code?: unknown;
  };
  if (name === 'TimeoutError') return failed('The server that gives access took too long.');
  if (name === 'AbortError') return createAbortError('The login was given up.');
  if (error instanceof TypeError) {
    return failed(
      'The server that gives access could not be reached. In a page it must allow this origin ' +
        '(Access-Control-Allow-Origin) at its metadata, registration and token addresses; or use createMcpProxy.',
    );
  }
  const kind = typeof code === 'string' ? code : name;
  return failed(`The login failed: ${kind.replaceAll(/[^\w-]/gu, '').slice(0, 60)}.`);
}
