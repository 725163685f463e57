// Creates the document for an app's frame: the server's page under a Content-Security-Policy with the origins that
// the page declared. Pure.
import type { McpAppPage } from '../../core/mcp/mcp-app.ts';

/** The document, and the declared origins that no app gets. */
export interface AppDocument {
  readonly html: string;
  /** Hosts that the page may reach. */
  readonly hosts: readonly string[];
  readonly refused: readonly string[];
}

// 50 origins: a person couldn't judge a page with more.
const maxOrigins = 50;

export function toAppDocument(page: McpAppPage): AppDocument {
  const resources = sortOrigins(page.resourceDomains, ['https:']);
  const connects = sortOrigins(page.connectDomains, ['https:', 'wss:']);
  const policy = toPolicy(resources.taken, connects.taken);
  const hosts = [...resources.taken, ...connects.taken].map((origin) => new URL(origin).host);
  // Security: the policy comes before the first byte of the server's page, so the page can't loosen it. A second
  // doctype is ignored, and a second head is the same one.
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
 * Security: the origin is what a URL parser reads, never the declared text itself. The text could end the directive
 * and begin another. A `*` would allow hosts that nobody named. A name of the person's own network would allow hosts
 * behind their firewall.
 */
function toOrigin(declared: string, schemes: readonly string[]): string | undefined {
  const url = declared.includes('*') ? null : URL.parse(declared);
  if (!url || !schemes.includes(url.protocol) || !isPublicName(url.hostname)) return undefined;
  const isOrigin = url.pathname === '/' && url.search === '' && url.hash === '';
  const isAnybodys = url.username === '' && url.password === '';
  return isOrigin && isAnybodys ? `${url.protocol}//${url.host}` : undefined;
}

/**
 * Only names are public: an address may be anybody's, and a name without a dot belongs to the
 * page's own network.
 */
function isPublicName(hostname: string): boolean {
  const isAddress = hostname.startsWith('[') || /^[\d.]+$/u.test(hostname);
  return !isAddress && /^[a-z\d.-]+\.[a-z\d-]+$/u.test(hostname) && !localNames.test(hostname);
}

// Names that are set aside for one network or one machine (RFC 6761, 6762, 8375, and ICANN's
// `internal`).
const localNames = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|test|home\.arpa)$/u;
