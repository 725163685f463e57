// Checks a host's options for remote MCP servers. Bad options are refused when the host is made.
import { checkLimitOptions, checkOptionNames } from '../../core/check-option-names.ts';
import { SdkError } from '../../core/errors.ts';
import type { McpLoginOptions, McpRegisteredClient } from '../../core/mcp/mcp-login.ts';
import { defaultBounds } from './bounds.ts';
import type { McpHostOptions, McpProxyAddress } from './thread-client.ts';

/** @throws SdkError `bad-usage` */
export function checkMcpOptions(options: McpHostOptions): void {
  checkOptionNames('mcp', options, knownOptions);
  const { login, proxy, bounds } = options;
  if (login) checkOptionNames('mcp.login', login, knownLogin);
  if (proxy) checkOptionNames('mcp.proxy', proxy, knownProxy);
  checkLimitOptions('mcp.bounds', bounds, defaultBounds);
  if (proxy !== undefined && !isHttp(proxy.url)) {
    throw refuse(
      'mcp.proxy.url must be the absolute http or https address of a createMcpProxy',
      proxy.url,
    );
  }
  if (!login) return;
  const { redirectUrl, clientMetadataUrl, clients = [] } = login;
  for (const client of clients) checkOptionNames('A client of mcp.login', client, knownClient);
  if (
    redirectUrl !== undefined &&
    (!isHttp(redirectUrl) || URL.parse(redirectUrl)?.search !== '')
  ) {
    throw refuse('mcp.login.redirectUrl must be an absolute address without a query', redirectUrl);
  }
  if (clientMetadataUrl !== undefined && URL.parse(clientMetadataUrl)?.protocol !== 'https:') {
    throw refuse('mcp.login.clientMetadataUrl must be an https address', clientMetadataUrl);
  }
  const hasSecret = clients.some(({ clientSecret }) => clientSecret !== undefined);
  if (redirectUrl === undefined && !hasSecret) {
    throw refuse(
      'mcp.login needs a redirectUrl, where people come back to, or clients with a secret, which log in by themselves',
      login,
    );
  }
}

function isHttp(value: unknown): boolean {
  return typeof value === 'string' && /^https?:$/u.test(URL.parse(value)?.protocol ?? '');
}

function refuse(why: string, given: unknown): SdkError {
  return new SdkError('bad-usage', `${why}.`, { data: { given: typeof given } });
}

const knownOptions = { login: true, proxy: true, bounds: true } satisfies Record<
  keyof McpHostOptions,
  true
>;

const knownLogin = {
  redirectUrl: true,
  clientMetadataUrl: true,
  clientName: true,
  clients: true,
  store: true,
} satisfies Record<keyof McpLoginOptions, true>;

const knownClient = { issuer: true, clientId: true, clientSecret: true } satisfies Record<
  keyof McpRegisteredClient,
  true
>;

const knownProxy = { url: true, headers: true } satisfies Record<keyof McpProxyAddress, true>;
