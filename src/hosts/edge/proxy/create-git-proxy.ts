// The proxy between pages and git servers, which send no CORS headers: git's three requests, and the
// archives that such servers make. `proxy` of git's network is its client.
import { checkOptionNames } from '../../../core/check-option-names.ts';
import {
  createProxy,
  type KnownRequest,
  type ProxyHandler,
  knownProxyOptions,
  type ProxyOptions,
} from './create-proxy.ts';

/** The options of a git proxy: see {@link ProxyOptions}. */
export type GitProxyOptions = ProxyOptions;

// 100 MB: the size limit of one file on GitHub.
const maxRequestBytes = 104_857_600;

const gitHeaders = ['accept', 'authorization', 'content-type', 'git-protocol'];

/**
 * Creates the `fetch` handler of a git proxy. The proxy's path is followed by the repository's URL
 * without its scheme: `/git-proxy/github.com/owner/name/info/refs?service=git-upload-pack`.
 *
 * Security: every caller sends requests on behalf of your server, but only to the hosts in the
 * list.
 *
 * @example
 * ```ts
 * import { createGitProxy } from 'rockpool/edge';
 *
 * const proxy = createGitProxy({
 *   path: '/git-proxy',
 *   hosts: ['github.com', 'codeload.github.com'],
 *   authenticate: (request) => request.headers.get('x-user'),
 * });
 * export default { fetch: proxy };
 * ```
 */
export function createGitProxy(options: GitProxyOptions): ProxyHandler {
  checkOptionNames('createGitProxy', options, knownProxyOptions);
  return createProxy({ maxRequestBytes, ...options }, (method, target, headers) =>
    method === 'POST' ? knowPost(target, headers) : method === 'GET' ? knowGet(target) : undefined,
  );
}

function knowGet(target: URL): KnownRequest | undefined {
  const [, service] = /^\?service=(git-(?:upload|receive)-pack)$/u.exec(target.search) ?? [];
  if (service !== undefined && /[^/]\/info\/refs$/u.test(target.pathname)) {
    const types = new RegExp(`^application/x-${service}-advertisement$`, 'u');
    return { headers: gitHeaders, types, followsRedirects: false };
  }
  if (target.search !== '' || !isArchive(target)) return undefined;
  return {
    headers: ['authorization'],
    types: /^application\/(?:zip|gzip|x-gzip|x-zip-compressed|x-tar|octet-stream)(?:;|$)/u,
    // An archive's address redirects to the server that builds it.
    followsRedirects: true,
  };
}

function knowPost(target: URL, headers: Headers): KnownRequest | undefined {
  const [, service] = /[^/]\/(git-(?:upload|receive)-pack)$/u.exec(target.pathname) ?? [];
  if (service === undefined || target.search !== '') return undefined;
  if (headers.get('content-type') !== `application/x-${service}-request`) return undefined;
  const types = new RegExp(`^application/x-${service}-result$`, 'u');
  return { headers: gitHeaders, types, followsRedirects: false, isLarge: true };
}

/** `/owner/name/archive/main.zip`, `/owner/name/-/archive/…`, and GitHub's `/owner/name/zip/main`. */
function isArchive({ hostname, pathname }: URL): boolean {
  if (/\/(?:-\/)?archive\/.+\.(?:zip|tar\.gz|tgz)$/u.test(pathname)) return true;
  return (
    hostname === 'codeload.github.com' &&
    /^\/[^/]+\/[^/]+\/(?:legacy\.)?(?:zip|tar\.gz)\/.+/u.test(pathname)
  );
}
