// WebSockets for a tool's own `call`, to the hosts that the call may reach. Made by page-call.ts.
import { createHostJudge, plainHost } from '../../core/access/network-hosts.ts';
import { SdkError } from '../../core/errors.ts';
import type { OpenSocket, SocketPort } from '../../core/host-ports/socket-port.ts';
import type { AllowedCall } from './authorize.ts';

/** Checks each address like the broker checks a cell's request. */
export function createCallSockets(
  port: SocketPort,
  { tool, network }: Pick<AllowedCall, 'tool' | 'network'>,
): OpenSocket {
  return async (request, options) => {
    // The rules' ports are those of http.
    const url = new URL(request.url.replace(/^ws/iu, 'http'));
    const host = plainHost(url);
    // Security: a browser sends its cookies to hosts of the page's own site, which can't be
    // prevented.
    const own = port.ownHosts.some((name) => isSameSite(name, host)) ? [host] : port.ownHosts;
    const verdict = network && createHostJudge(network, new Set(own))(url);
    if (verdict === 'allow') return port.open(request, options);
    const place = `${host}${url.port === '' ? '' : `:${url.port}`}`;
    throw new SdkError(
      'permission-denied',
      `${tool.name} may not reach ${place}. It needs the permission ${tool.name}(net:${place}), which only the user can give.`,
      { data: { host: place } },
    );
  };
}

/**
 * Compares the last two labels. It may treat more hosts as one site than browsers do, but never
 * fewer.
 */
function isSameSite(one: string, other: string): boolean {
  const site = (host: string) => host.split('.').slice(-2).join('.');
  return site(one) === site(other);
}
