// An authorisation server on the loopback, and an MCP server that requires its tokens: OAuth 2.1 with PKCE by the MCP
// specification. Tests can set its faults. Node only.
import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Plugin } from 'vite';
import { startMcpServer, type TestMcpServer } from './mcp-server.ts';

export interface LoginServer extends AsyncDisposable {
  readonly issuer: string;
  readonly mcp: TestMcpServer;
  /** The paths of its requests, oldest first. */
  readonly paths: string[];
  /** Every token and code that it has given out. */
  readonly secrets: string[];
  /** The address to which a person who agrees is redirected. */
  approve(authorizationUrl: string, change?: (back: URL) => void): string;
  /** All access tokens are refused from now on; refresh tokens hold. */
  expire(): void;
  /** Refresh tokens, too. */
  revoke(): void;
  /** The process that has started it isn't kept alive by it. */
  unref(): void;
  /** The scope that a token must have. @defaultValue nothing */
  scope: string;
  /** Its deviations from the specification. */
  readonly faults: {
    readsMetadataDocuments?: boolean;
    issuer?: string;
    authorizationEndpoint?: string;
    isSilent?: boolean;
  };
}

/** Registers everyone who asks, and answers at the same address that MCP's metadata names. */
export async function startLoginServer(): Promise<LoginServer> {
  const mcp = await startMcpServer();
  const faults: LoginServer['faults'] = {};
  const paths: string[] = [];
  const secrets: string[] = [];
  const codes = new Map<string, { challenge: string; scope: string; client: string }>();
  const access = new Map<string, string>();
  const refresh = new Map<string, string>();
  let scope = '';

  const give = (granted: string) => {
    const [token, again] = [randomUUID(), randomUUID()];
    secrets.push(token, again);
    access.set(token, granted);
    refresh.set(again, granted);
    return {
      access_token: token,
      refresh_token: again,
      token_type: 'Bearer',
      expires_in: 3600,
      ...(granted !== '' && { scope: granted }),
    };
  };

  const answers: Readonly<Record<string, (body: string) => [status: number, answer: object]>> = {
    '/.well-known/oauth-authorization-server': () => [
      200,
      {
        issuer: faults.issuer ?? issuer(),
        authorization_endpoint: faults.authorizationEndpoint ?? `${issuer()}/authorize`,
        token_endpoint: `${issuer()}/token`,
        registration_endpoint: `${issuer()}/register`,
        response_types_supported: ['code'],
        grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: faults.readsMetadataDocuments === true,
      },
    ],
    '/register': (body) => [201, { ...JSON.parse(body), client_id: randomUUID() }],
    '/token'(body) {
      const asked = new URLSearchParams(body);
      const kind = asked.get('grant_type');
      if (kind === 'client_credentials') return [200, give(asked.get('scope') ?? '')];
      if (kind === 'refresh_token') {
        const old = asked.get('refresh_token') ?? '';
        const granted = refresh.get(old);
        // A refresh token works once. A second use counts as theft.
        refresh.delete(old);
        if (granted === undefined) return [400, { error: 'invalid_grant' }];
        return [200, give(granted)];
      }
      const code = codes.get(asked.get('code') ?? '');
      codes.delete(asked.get('code') ?? '');
      const verifier = asked.get('code_verifier') ?? '';
      const challenge = createHash('sha256').update(verifier).digest('base64url');
      if (!code || code.challenge !== challenge || code.client !== asked.get('client_id')) {
        return [400, { error: 'invalid_grant' }];
      }
      return [200, give(code.scope)];
    },
  };

  function approve(
    authorizationUrl: string,
    change: (back: URL) => void = () => undefined,
  ): string {
    const asked = new URL(authorizationUrl).searchParams;
    const code = randomUUID();
    secrets.push(code);
    codes.set(code, {
      challenge: asked.get('code_challenge') ?? '',
      scope: asked.get('scope') ?? '',
      client: asked.get('client_id') ?? '',
    });
    const back = new URL(asked.get('redirect_uri') ?? '');
    back.searchParams.set('code', code);
    back.searchParams.set('state', asked.get('state') ?? '');
    back.searchParams.set('iss', issuer());
    change(back);
    return back.href;
  }

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? '/', 'http://loopback');
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.setHeader('access-control-allow-origin', '*');
      response.setHeader('access-control-allow-headers', '*, authorization');
      if (request.method === 'OPTIONS') return void response.writeHead(204).end();
      paths.push(pathname);
      if (pathname === '/authorize') {
        // A person who says yes at once.
        const url = `${issuer()}${request.url}`;
        return void response.writeHead(302, { location: approve(url) }).end();
      }
      if (faults.isSilent && pathname === '/token') return undefined;
      const [status, answer] = answers[pathname]?.(Buffer.concat(chunks).toString()) ?? [404, {}];
      response.writeHead(status, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const issuer = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  mcp.intercept(({ method, path, body, headers }, response) => {
    if (path.startsWith('/.well-known/oauth-protected-resource')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      const metadata = { resource: mcp.url, authorization_servers: [issuer()] };
      response.end(JSON.stringify(metadata));
      return true;
    }
    const granted = access.get(headers.get('authorization')?.replace('Bearer ', '') ?? '');
    const challenge = (more: string) =>
      `Bearer resource_metadata="${new URL('/.well-known/oauth-protected-resource', mcp.url)}"${more}`;
    if (granted === undefined) {
      response.writeHead(401, { 'www-authenticate': challenge('') }).end();
      return true;
    }
    const isMissing = scope !== '' && !granted.split(' ').includes(scope);
    if (method === 'POST' && body.includes('"tools/call"') && isMissing) {
      const more = `, error="insufficient_scope", scope="${scope}"`;
      response.writeHead(403, { 'www-authenticate': challenge(more) }).end();
      return true;
    }
    return undefined;
  });

  return {
    get issuer() {
      return issuer();
    },
    mcp,
    paths,
    secrets,
    faults,
    get scope() {
      return scope;
    },
    set scope(wanted) {
      scope = wanted;
    },
    approve,
    expire: () => access.clear(),
    revoke() {
      access.clear();
      refresh.clear();
    },
    unref() {
      server.unref();
      mcp.unref();
    },
    async [Symbol.asyncDispose]() {
      await mcp[Symbol.asyncDispose]();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/**
 * For tests in workerd: a service that gives the URL of an MCP server that requires a login. It ends with this
 * process.
 */
export function loginsForIsolates(): () => Promise<Response> {
  let started: Promise<LoginServer> | undefined;
  return async () => {
    started ??= startLoginServer();
    const server = await started;
    server.unref();
    return new Response(server.mcp.url);
  };
}

/**
 * For tests in a page. `/login-server` of the tests' own server tells the URL of an MCP server that
 * wants a login, on another origin. `/login-server/expire` has its access tokens expire.
 * `/logged-in.html` is the page that logins come back to.
 */
export function loginServerBeside(): Plugin {
  return {
    name: 'login-server-beside',
    configureServer(vite) {
      let started: Promise<LoginServer> | undefined;
      vite.middlewares.use('/login-server', (request, response) => {
        started ??= startLoginServer();
        void started.then((server) => {
          if (request.url === '/expire') server.expire();
          response.end(server.mcp.url);
        });
      });
      vite.middlewares.use('/logged-in.html', (_request, response) => {
        response.setHeader('content-type', 'text/html');
        response.end(
          '<!doctype html><title>Logged in</title><script type="module">' +
            "import { finishMcpLogin } from '/src/hosts/browser/page/mcp-login-window.ts';" +
            'finishMcpLogin();</script>',
        );
      });
      vite.httpServer?.on('close', () => void started?.then((one) => one[Symbol.asyncDispose]()));
    },
  };
}
