// Node's http. Servers of the sandbox are reached through http and fetch within the sandbox,
// without a network. Other requests go through fetch under its rules.
import { isLoopback, makeClientRequest } from '../http/client-request.ts';
import { httpMethods, statusTexts } from '../http/http-names.ts';
import { makeHttpSocket } from '../http/http-socket.ts';
import { makeIncomingMessage } from '../http/incoming-message.ts';
import { makeOutgoingMessage } from '../http/outgoing-message.ts';
import { makeServer } from '../http/server.ts';
import type { Kernel, Signal } from '../kernel-type.ts';
import type { Stream } from '../streams/stream-side.ts';

interface LocalRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Iterable<[string, string]>;
  readonly redirect: unknown;
  readonly signal: Signal;
}

const maxRedirects = 20;

// What Node's fetch says of itself. A server packs its answers only for who takes them so.
const ownHeaders = {
  accept: '*/*',
  'accept-language': '*',
  'sec-fetch-mode': 'cors',
  'user-agent': 'node',
  'accept-encoding': 'gzip, deflate',
};
const addedTo = (headers: object) =>
  Object.fromEntries(Object.entries(ownHeaders).filter(([name]) => !(name in headers)));

/** Returns both modules, and what fetch and the runner of tests ask for. */
export function addHttp(kernel: Kernel) {
  const incoming = makeIncomingMessage(kernel);
  const outgoing = makeOutgoingMessage(kernel);
  const HttpSocket = makeHttpSocket(kernel);
  const servers = makeServer(kernel, incoming, outgoing, HttpSocket);
  const client = makeClientRequest(kernel, incoming, outgoing, servers, HttpSocket);
  const { ClientRequest, Agent } = client;

  function moduleFor(protocol: string) {
    const defaultPort = protocol === 'https:' ? 443 : 80;
    const OwnAgent =
      protocol === 'http:'
        ? (Agent as any)
        : class extends (Agent as any) {
            constructor(options?) {
              super(options);
              Object.assign(this, { protocol, defaultPort });
            }
          };
    const globalAgent = new OwnAgent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 });
    const request = (given, more?, callback?) => {
      const own = typeof given === 'string' || given instanceof kernel.URL;
      const [url, options, listener] = own
        ? typeof more === 'function'
          ? [given, {}, more]
          : [given, more, callback]
        : [undefined, given, more];
      const all = { ...options, defaultProtocol: options?.agent?.protocol ?? protocol };
      all.agent ??= globalAgent;
      return url === undefined
        ? new (ClientRequest as any)(all, listener)
        : new (ClientRequest as any)(url, all, listener);
    };
    const get = (...args) => (request as (...args) => Stream)(...args).end();
    return { Agent: OwnAgent, globalAgent, request, get };
  }

  const { validateHeaderName, validateHeaderValue, OutgoingMessage, ServerResponse } = outgoing;
  const { Server } = servers;
  const http = {
    ...kernel.part('absent').functionsOf('http', ". It isn't available in this sandbox: use fetch"),
    ...moduleFor('http:'),
    ClientRequest,
    IncomingMessage: incoming.IncomingMessage,
    METHODS: httpMethods.split(' '),
    OutgoingMessage,
    STATUS_CODES: statusTexts,
    Server,
    ServerResponse,
    createServer: (options?, listener?) => new (Server as any)(options, listener),
    maxHeaderSize: 16_384,
    get MessageEvent() {
      return kernel.part('message-channel').MessageEvent;
    },
    get WebSocket() {
      return kernel.part('web-socket').WebSocket;
    },
    get CloseEvent() {
      return kernel.part('web-socket').CloseEvent;
    },
    validateHeaderName,
    validateHeaderValue,
  };
  const https = {
    ...kernel
      .part('absent')
      .functionsOf('https', '. There is no TLS in this sandbox: use http.createServer'),
    ...moduleFor('https:'),
  };

  /** Sends one hop of a fetch. */
  function send(url, given: LocalRequest, method: string, body: Uint8Array | undefined) {
    return new Promise<Stream>((resolve, reject) => {
      const headers = Object.fromEntries(given.headers);
      if (method === 'GET') delete headers['content-type'];
      const { request: begin } = url.startsWith('https:') ? https : http;
      const request = begin(url, { method, headers: { ...headers, ...addedTo(headers) } });
      const abort = () => {
        reject(given.signal.reason);
        request.destroy();
      };
      if (given.signal.aborted) {
        abort();
        return;
      }
      given.signal.addEventListener('abort', abort, { once: true });
      request.on('response', resolve);
      request.on('error', (cause) => reject(new TypeError('fetch failed', { cause })));
      request.end(body);
    });
  }

  return {
    http,
    https,
    closeOthers: servers.closeOthers,
    /** True if a server of the sandbox listens at this address. */
    isAt(address: string): boolean {
      const { protocol, hostname, port } = new kernel.URL(address) as any;
      return (
        protocol === 'http:' && isLoopback(hostname) && servers.at(Number(port || 80)) !== undefined
      );
    },
    /** Fetches from a server of the sandbox. Follows redirects as the request demands. */
    async fetch(given: LocalRequest, body: Uint8Array | undefined) {
      let { url, method } = given;
      let sent = body;
      for (let hops = 0; ; hops += 1) {
        const response = await send(url, given, method, sent);
        const { statusCode: status, headers, rawHeaders } = response;
        const isRedirect = [301, 302, 303, 307, 308].includes(status) && headers.location;
        if (!isRedirect || given.redirect === 'manual') {
          const pairs: string[][] = [];
          for (let at = 0; at < rawHeaders.length; at += 2)
            pairs.push([rawHeaders[at], rawHeaders[at + 1]]);
          const head = { url, status, statusText: response.statusMessage, redirected: hops > 0 };
          const isPacked = /^(?:gzip|deflate)$/i.test(headers['content-encoding'] ?? '');
          const body = isPacked ? response.pipe(kernel.part('zlib').createUnzip()) : response;
          // Responses with these statuses have no body, so it is discarded.
          if ([204, 205, 304].includes(status)) response.resume();
          return { head: { ...head, headers: pairs }, body };
        }
        response.resume();
        if (given.redirect === 'error' || hops === maxRedirects)
          throw new TypeError('fetch failed', {
            cause: new Error(
              hops === maxRedirects ? 'redirect count exceeded' : 'unexpected redirect',
            ),
          });
        url = (new kernel.URL(headers.location, url) as any).href;
        if (status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST') {
          method = 'GET';
          sent = undefined;
        }
      }
    },
  };
}
