// Finds the hosts that a cell names. A person is asked about them, and an answer grants access to
// them. A host name that is computed at run time isn't found, so the cell can't reach that host.

import { isThisMachine } from '../../core/access/network-hosts.ts';

// Matches a quote, the URL, and the closing quote unless a `+` follows.
const quotedUrl = /(["'`])(https?:\/\/[^"'`\s\\]+)(\1(?!\s*\+))?/giu;

const opensServer = /\.\s*listen\s*\(|\bserve\s*\(/u;

/**
 * The hosts of the http(s) URLs that stand in quotes, as `host` or `host:port`, in the order of the
 * code. Whether they are fetched isn't looked at, as a URL is often a constant of its own. Nor is
 * the syntax, as the code may be TypeScript. A cell that opens a server means its own by the names
 * of this machine, so these are left out. So is each server that listens on one of `ownPorts`.
 */
export function literalHosts(code: string, ownPorts: readonly number[] = []): string[] {
  const hosts = new Set<string>();
  const hasServer = opensServer.test(code);
  for (const [, , text = '', end] of code.matchAll(quotedUrl)) {
    const [fixed = '', ...computed] = text.split('${');
    const isWhole = end !== undefined && computed.length === 0;
    // If the rest of the URL is computed, the host must end within the literal part.
    const hasHost = isWhole || /^[^/]+\/\/[^/?#]+[/?#]/u.test(fixed);
    if (!hasHost || !URL.canParse(fixed)) continue;
    const url = new URL(fixed);
    if (isThisMachine(url.hostname) && (hasServer || isAt(url, ownPorts))) continue;
    // The host without the dots that a full name may end in.
    const host = url.host.replace(/(?<!\.)\.+(?=:|$)/u, '');
    // Security: URLs accept a star in a host name (Chromium writes it %2A). As a rule it would
    // allow every host.
    if (!/[*%]/u.test(host)) hosts.add(host);
  }
  return [...hosts];
}

/** Servers of the session speak plain HTTP. */
function isAt({ protocol, port }: URL, ports: readonly number[]): boolean {
  return protocol === 'http:' && ports.includes(Number(port === '' ? 80 : port));
}
