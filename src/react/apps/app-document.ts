// The document that an app's frame is given: its server's page, under a policy of the origins that it declared. Pure.
import type { McpAppPage } from '../../core/mcp/mcp-app.ts';

/** The document, and what was declared that no app gets. */
export interface AppDocument {
  readonly html: string;
  /** Hosts that it may reach. */
  readonly hosts: readonly string[];
  readonly refused: readonly string[];
}

// 50 origins: a page of more is none that a person could judge.
const maxOrigins = 50;

export function toAppDocument(page: McpAppPage): AppDocument {
  const resources = sortOrigins(page.resourceDomains, ['https:']);
  const connects = sortOrigins(page.connectDomains, ['https:', 'wss:']);
  const policy = toPolicy(resources.taken, connects.taken);
  const hosts = [...resources.taken, ...connects.taken].map((origin) => new URL(origin).host);
  // Security: it stands before the first byte of the server's, which can then loosen nothing. A second doctype is
  // ignored, and a second head is the same one.
  const html = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><meta http-equiv="x-dns-prefetch-control" content="off"><meta name="referrer" content="no-referrer">${page.html}`;
  return {
    html,
    hosts: [...new Set(hosts)],
    refused: [...new Set([...resources.refused, ...connects.refused])],
  };
}

function toPolicy(resources: readonly string[], connects: readonly string[]): string {
  const sources = (...listed: readonly string[]) => [...listed, ...resources].join(' ');
  return [
    "default-src 'none'",
    `script-src ${sources("'unsafe-inline'", 'blob:')}`,
    `style-src ${sources("'unsafe-inline'")}`,
    `img-src ${sources('data:', 'blob:')}`,
    `font-src ${sources('data:')}`,
    `media-src ${sources('data:', 'blob:')}`,
    `connect-src ${connects.length > 0 ? connects.join(' ') : "'none'"}`,
    'worker-src blob:',
    "frame-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

function sortOrigins(
  declared: readonly string[],
  schemes: readonly string[],
): { readonly taken: readonly string[]; readonly refused: readonly string[] } {
  const taken = new Set<string>();
  const refused: string[] = [];
  for (const given of declared) {
    const origin = taken.size < maxOrigins ? toOrigin(given, schemes) : undefined;
    if (origin === undefined) refused.push(given);
    else taken.add(origin);
  }
  return { taken: [...taken], refused };
}

/**
 * Security: what a URL parser makes of it, never the text itself, which could end the directive and begin another.
 * A `*` would mean hosts that nobody named; a name of the person's own network would lead behind their firewall.
 */
function toOrigin(declared: string, schemes: readonly string[]): string | undefined {
  const url = declared.includes('*') ? null : URL.parse(declared);
  if (!url || !schemes.includes(url.protocol) || !isPublicName(url.hostname)) return undefined;
  const isOrigin = url.pathname === '/' && url.search === '' && url.hash === '';
  const isAnybodys = url.username === '' && url.password === '';
  return isOrigin && isAnybodys ? `${url.protocol}//${url.host}` : undefined;
}

/** Names alone: an address may be anybody's, and a name without a dot is of the network that the page is in. */
function isPublicName(hostname: string): boolean {
  const isAddress = hostname.startsWith('[') || /^[\d.]+$/u.test(hostname);
  return !isAddress && /^[a-z\d.-]+\.[a-z\d-]+$/u.test(hostname) && !localNames.test(hostname);
}

// Those that are set aside for one network or one machine (RFC 6761, 6762, 8375, and ICANN's `internal`).
const localNames = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|test|home\.arpa)$/u;
