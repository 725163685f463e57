// The port for requests of sandboxed code: the realm's fetch, with fixed settings for every request.
// repl/host/network-broker.ts first decides which host a call may reach.

/** What the broker needs from the host. */
export interface FetchPort {
  /**
   * Sends one request. Rejects as `fetch` does. Never sends cookies or other credentials of the host, nor a referrer.
   */
  send(url: string, init: FetchInit): Promise<Response>;
  /**
   * How a redirect is handled. `error`: the request rejects. A page must do so, because it can't see the target.
   * `manual`: the redirect is returned; the broker follows it and judges each hop.
   */
  readonly redirect: 'error' | 'manual';
  /** Names of the host itself, as in URLs. Such a name is reachable only if a rule names it. */
  readonly ownHosts: readonly string[];
}

/** One request of {@link FetchPort.send}. */
export interface FetchInit {
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Uint8Array<ArrayBuffer>;
  readonly signal: AbortSignal;
}

/** The settings of every request: the part of `RequestInit` that all platforms have. */
interface PlainInit {
  readonly method: string;
  readonly headers: [string, string][];
  readonly body?: Uint8Array<ArrayBuffer>;
  readonly signal: AbortSignal;
}

interface PageInit extends PlainInit {
  readonly redirect: 'error';
  readonly credentials: 'omit';
  readonly referrerPolicy: 'no-referrer';
  readonly cache: 'no-store';
  readonly mode: 'cors';
}

interface ServerInit extends PlainInit {
  readonly redirect: 'manual';
}

/** Makes the port of a page, or of a page's worker. `ownHost` is its `location.hostname`. */
export function createPageFetch(
  fetch: (url: string, init: PageInit) => Promise<Response>,
  ownHost: string,
): FetchPort {
  return {
    redirect: 'error',
    ownHosts: [ownHost],
    // Security: no cookies, no referrer, nothing from the page's cache. No redirects either, because the browser
    // reveals the target only after it has requested it.
    send: (url, init) =>
      fetch(url, {
        ...toPlainInit(init),
        redirect: 'error',
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        cache: 'no-store',
        mode: 'cors',
      }),
  };
}

/** Creates the port at the edge and in Node, which have no cookies and no referrer. */
export function createServerFetch(
  fetch: (url: string, init: ServerInit) => Promise<Response>,
  ownHosts: readonly string[] = [],
): FetchPort {
  return {
    redirect: 'manual',
    ownHosts,
    send: (url, init) => fetch(url, { ...toPlainInit(init), redirect: 'manual' }),
  };
}

function toPlainInit({ method, headers, body, signal }: FetchInit): PlainInit {
  return {
    method,
    headers: headers.map(([name, value]) => [name, value]),
    signal,
    ...(body && { body }),
  };
}
