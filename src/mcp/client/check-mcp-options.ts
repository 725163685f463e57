// Checks a host's options for remote MCP servers. Bad options are refused when the host is made.
import { SdkError } from '../../core/errors.ts';
import type { McpHostOptions } from './thread-client.ts';

/** @throws SdkError `bad-usage` */
export function checkMcpOptions({ login, proxy }: McpHostOptions): void {
  if (proxy !== undefined && !isHttp(proxy.url)) {
    throw refuse(
      'mcp.proxy.url must be the absolute http or https address of a createMcpProxy',
      proxy.url,
    );
  }
  if (!login) return;
  const { redirectUrl, clientMetadataUrl, clients = [] } = login;
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
