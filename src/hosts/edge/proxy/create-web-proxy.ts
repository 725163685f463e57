// A proxy for WebFetch in pages, for web servers that send no CORS headers. `web.proxy` of a tab's
// host is its client.
import { checkOptionNames } from '../../../core/check-option-names.ts';
import {
  createProxy,
  knownProxyOptions,
  type ProxyHandler,
  type ProxyOptions,
} from './create-proxy.ts';

/** The options of a web proxy: see {@link ProxyOptions}. */
export type WebProxyOptions = ProxyOptions;

// 8 MB: more than WebFetch reads of a page.
const maxResponseBytes = 8 * 1024 * 1024;

/**
 * Creates the `fetch` handler of a web proxy. The proxy's path is followed by the page's URL
 * without its scheme: `/web-proxy/example.com/docs?page=2`. It only reads, forwards no credentials,
 * and returns redirects without following them.
 *
 * Security: every caller reads pages on behalf of your server, but only from the hosts in the list.
 *
 * @example
 * ```ts
 * import { createWebProxy } from 'rockpool/edge';
 *
 * const proxy = createWebProxy({
 *   path: '/web-proxy',
 *   hosts: ['developer.mozilla.org', '*.example.com'],
 *   authenticate: (request) => request.headers.get('x-user'),
 * });
 * export default { fetch: proxy };
 * ```
 */
export function createWebProxy(options: WebProxyOptions): ProxyHandler {
  checkOptionNames('createWebProxy', options, knownProxyOptions);
  return createProxy({ maxResponseBytes, ...options }, (method) =>
    method === 'GET'
      ? {
          headers: ['accept'],
          types: /./u,
          followsRedirects: false,
          agent: 'rockpool',
          isForReader: true,
        }
      : undefined,
  );
}
