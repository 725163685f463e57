// The port through which requests of sandboxed code leave: the realm's fetch, with settings that
// hold for every request. repl/host/network-broker.ts decides first who may reach what.

/** What the broker asks of the host. */
export interface FetchPort {
  /**
   * Sends one request. Rejects as `fetch` does. Never sends cookies or other credentials of the
   * host, or where it is.
   */
  send(url: string, init: FetchInit): Promise<Response>;
  /**
   * How it treats a redirect. `error` rejects it, as a page must, which can't see where it leads.
   * `manual` returns it, and the broker follows it and judges each hop.
   */
  readonly redirect: 'error' | 'manual';
  /** Names of the host itself, as URLs have them: reachable only by a rule that names one. */
  readonly ownHosts: readonly string[];
}

/** One request of {@link FetchPort.send}. */
export interface FetchInit {
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Uint8Array<ArrayBuffer>;
  readonly signal: AbortSignal;
}

/** What every request is sent with: the part of `RequestInit` that all platforms have. */
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
    // Security: no cookies, no referrer, nothing out of the page's cache. No redirect either, since
    // where it leads is known only when the browser has been there.
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

/** At the edge and in Node, where there are no cookies and no referrer. */
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
