// The addresses below that of a session's wire. Used by keep-link.ts, fetch-ticket.ts and handover/ask-place.ts.

/**
 * `below`: `/ticket` or `/move`; left out: the wire itself. A trailing slash of the path is
 * ignored, a query is kept, and the fragment is removed. `url` may be relative.
 */
export function toWireAddress(url: string, below: '' | '/ticket' | '/move' = ''): string {
  const [, path = '', query = ''] = /^([^?#]*)(\?[^#]*)?/u.exec(url) ?? [];
  return `${path.replace(/\/+$/u, '')}${below}${query}`;
}
