// The web as every host reads it for the model: through the host's own fetch, in a tab also through a proxy. What
// judges, reads and converts a page is loaded with the first one.
import { SdkError } from '../core/errors.ts';
import type { FetchPort } from '../core/host-ports/fetch-port.ts';
import { readBytes } from '../core/bytes/read-bytes.ts';
import type { WebPort } from '../core/host-ports/web.ts';

/** A proxy of the kind that `createWebProxy` makes. */
export interface WebProxyAddress {
  /** In a tab it may be a path of the page's origin. */
  readonly url: string;
  /** For the proxy itself, such as who asks. Sent to nobody else. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** How a tab's host reads the web. */
export interface WebHostOptions {
  /** Every page is asked for there, as most servers allow no page of another origin to read theirs. */
  readonly proxy?: WebProxyAddress;
}

export function createWebPort(fetch: FetchPort): WebPort {
  return {
    ownHosts: fetch.ownHosts,
    async get(...asked) {
      const { readWebPage } = await import('./read-web-page.ts');
      return readWebPage(fetch, ...asked);
    },
  };
}

/**
 * Sends each request to the proxy, whose answer is the page's again. Security: who uses it judges the page's own
 * address.
 *
 * @throws SdkError `bad-usage` for what is no address
 */
export function throughWebProxy(
  port: FetchPort,
  { url: proxy, headers = {} }: WebProxyAddress,
  base: string,
): FetchPort {
  if (typeof proxy !== 'string' || !URL.canParse(proxy, base)) {
    throw new SdkError(
      'bad-usage',
      'web.proxy.url must be the address of a createWebProxy, such as /web-proxy.',
      { data: { given: typeof proxy } },
    );
  }
  const start = new URL(proxy, base).href.replace(/\/*$/u, '/');
  return {
    ...port,
    // It tells where a redirect leads, which a page isn't shown otherwise.
    redirect: 'manual',
    async send(url, init) {
      const response = await port.send(start + url.replace(/^https?:\/\//u, ''), {
        ...init,
        headers: [...init.headers, ...Object.entries(headers)],
      });
      const status = response.headers.get('x-web-status');
      if (status === null) throw await toRefusal(url, response);
      const told = ['content-type', 'location'].flatMap((name): [string, string][] => {
        const value = response.headers.get(`x-web-${name}`);
        return value === null ? [] : [[name, value]];
      });
      const hasBody = ![204, 205, 304].includes(Number(status));
      return new Response(hasBody ? response.body : null, {
        status: Number(status),
        headers: told,
      });
    },
  };
}

// As much of its words as a person reads.
const maxSaidBytes = 2_000;

async function toRefusal(url: string, response: Response): Promise<SdkError> {
  const said = (await readBytes(response.body, maxSaidBytes)) ?? new Uint8Array();
  return new SdkError(
    'permission-denied',
    `The web proxy does not read ${url} (${response.status}): ${new TextDecoder().decode(said)} Ask the user for what the page says, or whether its host may be added to the proxy's list.`,
    { data: { url, status: response.status } },
  );
}
