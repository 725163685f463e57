// http.ClientRequest and http.Agent. A request goes to a server in this sandbox, or through fetch
// to another host.
import type { Kernel, Signal } from '../kernel-type.ts';
import type { Callback, Stream } from '../streams/stream-side.ts';
import type { makeHttpSocket } from './http-socket.ts';
import type { Incoming } from './incoming-message.ts';
import type { makeOutgoingMessage, Receiver } from './outgoing-message.ts';
import { readRawAnswer } from './raw-answer.ts';
import type { Sending, Servers } from './server.ts';

/**
 * Headers that fetch sets itself for requests to other hosts. It also refuses a `host` header that
 * differs from the URL.
 */
const ownOfFetch =
  /^(?:accept-encoding|connection|content-length|expect|keep-alive|transfer-encoding)$/i;
const withoutLength = /^(?:CONNECT|DELETE|GET|HEAD|OPTIONS|TRACE)$/;
const firstPort = 50_000;

/** True for a name of the local machine. */
export const isLoopback = (hostname: string): boolean =>
  /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[?::1?\]?)$/i.test(hostname);

export function makeClientRequest(
  kernel: Kernel,
  incoming: Incoming,
  outgoing: ReturnType<typeof makeOutgoingMessage>,
  servers: Servers,
  HttpSocket: ReturnType<typeof makeHttpSocket>,
) {
  const EventEmitter = kernel.part('events') as any;
  const { asyncContext } = kernel;
  const { nextTick } = kernel.process as unknown as { nextTick: (job, ...args) => void };
  const { OutgoingMessage } = outgoing;
  let lastPort = firstPort;

  function Agent(this: Stream, options?) {
    if (!(this instanceof Agent)) return new (Agent as any)(options);
    EventEmitter.call(this);
    Object.assign(this, {
      options: { path: null, ...options },
      defaultPort: 80,
      protocol: 'http:',
      keepAlive: options?.keepAlive ?? false,
      maxSockets: options?.maxSockets ?? Infinity,
      maxFreeSockets: options?.maxFreeSockets ?? 256,
      maxTotalSockets: options?.maxTotalSockets ?? Infinity,
      requests: {},
      sockets: {},
      freeSockets: {},
    });
  }
  Object.setPrototypeOf(Agent.prototype, EventEmitter.prototype);
  Object.setPrototypeOf(Agent, EventEmitter);
  Object.assign(Agent.prototype, {
    // A socket lives only as long as its request.
    destroy() {},
    getName: (options: any = {}) =>
      [options.host ?? 'localhost', options.port ?? '', options.localAddress ?? ''].join(':'),
  });

  /** Reads the arguments of `request`: a URL, options, or both. */
  function optionsOf(given: unknown, more: unknown): Record<string, any> {
    if (typeof given !== 'string' && !(given instanceof kernel.URL))
      return { ...(given as object) };
    const url = new kernel.URL(given);
    const { protocol, hostname, port, pathname, search, username, password } = url as any;
    return {
      protocol,
      hostname: hostname.replace(/^\[|\]$/g, ''),
      path: pathname + search,
      ...(port !== '' && { port: Number(port) }),
      ...(username && {
        auth: decodeURIComponent(username) + ':' + decodeURIComponent(password),
      }),
      ...(more as object),
    };
  }

  function ClientRequest(this: Stream, given, more?, last?) {
    const callback = [more, last].find((value) => typeof value === 'function');
    const options = optionsOf(given, typeof more === 'function' ? undefined : more);
    OutgoingMessage.call(this);
    const agent = options.agent === false ? new (Agent as any)() : options.agent;
    const wanted = options.defaultProtocol ?? agent?.protocol ?? 'http:';
    const protocol = options.protocol ?? wanted;
    if (protocol !== wanted)
      throw kernel.coded(
        TypeError,
        'ERR_INVALID_PROTOCOL',
        'Protocol "' + protocol + '" not supported. Expected "' + wanted + '"',
      );
    const path = String(options.path || '/');
    if (/[^!-\xff]/.test(path))
      throw kernel.coded(
        TypeError,
        'ERR_UNESCAPED_CHARACTERS',
        'Request path contains unescaped characters',
      );
    if (options.socketPath)
      throw kernel.coded(
        Error,
        'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM',
        'There are no Unix sockets in this sandbox: use a host and a port.',
      );
    const method = String(options.method ?? 'GET').toUpperCase();
    outgoing.validateHeaderName(method, 'Method');
    const host = options.hostname || options.host || 'localhost';
    const defaultPort = protocol === 'https:' ? 443 : 80;
    const port = Number(options.port || options.defaultPort || defaultPort);
    Object.assign(this, {
      agent,
      method,
      path,
      host,
      protocol,
      port,
      aborted: false,
      reusedSocket: false,
      timeout: options.timeout,
      res: null,
      sending: undefined as Sending | undefined,
      isOver: false,
      /** True if the socket was upgraded. It then outlives the request. */
      isUpgraded: false,
      maySendLength: !withoutLength.test(method),
    });
    outgoing.putHeaders(this, options.headers);
    const shownHost = host.includes(':') ? '[' + host + ']' : host;
    const place = shownHost + (port === defaultPort ? '' : ':' + port);
    this.origin = protocol + '//' + place;
    if (options.setHost !== false && !this.hasHeader('host')) this.setHeader('Host', place);
    if (options.auth && !this.hasHeader('authorization')) {
      const text = kernel.Buffer.from(options.auth, 'utf8').toString('base64');
      this.setHeader('Authorization', 'Basic ' + text);
    }
    if (callback) this.once('response', callback);
    follow(this, options.signal);
    nextTick(open, this);
  }
  Object.setPrototypeOf(ClientRequest.prototype, OutgoingMessage.prototype);
  Object.setPrototypeOf(ClientRequest, OutgoingMessage);

  function follow(request: Stream, signal: Signal | undefined) {
    if (!signal) return;
    const abort = () => {
      const error: any = new Error('The operation was aborted', { cause: signal.reason });
      request.destroy(Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' }));
    };
    if (signal.aborted) {
      abort();
      return;
    }
    signal.addEventListener('abort', abort, { once: true });
    request.once('close', () => signal.removeEventListener('abort', abort));
  }

  /** Called once the caller has added its listeners. Assigns a socket and sends buffered data. */
  function open(request: Stream) {
    if (request.destroyed) return;
    lastPort = lastPort === 65_535 ? firstPort : lastPort + 1;
    const socket = new HttpSocket(lastPort, request.port);
    request.socket = socket;
    // The end of the socket ends the request, unless the socket was upgraded.
    socket.once('close', () => {
      if (!request.isUpgraded) request.destroy();
    });
    if (request.timeout > 0) socket.setTimeout(request.timeout, () => request.emit('timeout'));
    request.emit('socket', socket);
    if (isSwitch(request) && serverFor(request) === undefined) {
      request.destroy(noServer(request));
      return;
    }
    request.sendTo(createSender(request));
  }

  /** Returns the server of this sandbox to which the request goes, or undefined. */
  const serverFor = ({ host, port, protocol }: Stream): Stream | undefined =>
    protocol === 'http:' && isLoopback(host) ? servers.at(port) : undefined;

  /** True if the request asks to leave HTTP: CONNECT or an upgrade. */
  const isSwitch = (request: Stream): boolean =>
    request.method === 'CONNECT' ||
    (request.hasHeader('upgrade') && /upgrade/i.test(String(request.getHeader('connection'))));

  function noServer({ host, port, origin }: Stream): Error {
    if (isLoopback(host))
      return kernel.coded(Error, 'ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:' + port);
    return kernel.coded(
      Error,
      'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM',
      'There are no sockets in this sandbox, so an upgrade, such as a WebSocket, reaches only a server that a cell has started, and not ' +
        origin +
        '.',
    );
  }

  function createSender(request: Stream): Receiver {
    const server = serverFor(request);
    if (server === undefined) return throughFetch(request);
    // As in Node, a server without an `upgrade` listener treats the request as an ordinary one.
    const isHeard = request.method === 'CONNECT' || server.listenerCount('upgrade') > 0;
    if (isHeard && isSwitch(request)) return throughSocket(request, server);
    let sending: Sending;
    return {
      head() {
        const { method, path, rawHead, socket } = request;
        request.sending = sending = servers.connect(
          server,
          { method, path, rawHeaders: rawHead },
          asyncContext.offer({
            port: socket.localPort,
            inform(status, headers) {
              if (status === 100) request.emit('continue');
              request.emit('information', { statusCode: status, headers });
            },
            answer: (head) => answer(request, head),
            deliver: incoming.deliver,
            complete: incoming.complete,
            breakOff: incoming.breakOff,
            lose: () => lose(request),
          }),
        );
      },
      body: (chunk, callback) => sending.body(chunk, callback),
      end: (trailers, callback) => sending.end(trailers, callback),
    };
  }

  /** Sends a request that leaves HTTP if the server agrees. */
  function throughSocket(request: Stream, server: Stream): Receiver {
    const { method, path, socket } = request;
    return {
      head() {
        socket.reader = readRawAnswer({
          toBuffer: kernel.toBuffer,
          head(head, rest) {
            if (method !== 'CONNECT' && head.status !== 101) return answer(request, head);
            socket.reader = undefined;
            switchProtocol(request, head, rest);
            return undefined;
          },
          body: (message, chunk) => incoming.deliver(message, chunk, () => {}),
          complete: (message) => incoming.complete(message, []),
          lose: (error) => (error ? request.destroy(error) : lose(request)),
        });
        servers.upgrade(server, { method, path, rawHeaders: request.rawHead }, socket);
      },
      body: (chunk, callback) => socket.write(chunk, callback),
      end: (_trailers, callback) => callback(),
    };
  }

  /** Passes the socket to the listener of `connect` or `upgrade`. */
  function switchProtocol(
    request: Stream,
    { status, text, rawHeaders },
    rest: Uint8Array<ArrayBuffer>,
  ): void {
    const { socket } = request;
    const response = new (incoming.IncomingMessage as any)(socket);
    Object.assign(response, { statusCode: status, statusMessage: text, rawHeaders, req: request });
    Object.assign(response, { upgrade: true });
    request.res = response;
    incoming.complete(response, []);
    const event = request.method === 'CONNECT' ? 'connect' : 'upgrade';
    if (request.listenerCount(event) === 0) {
      socket.destroy();
      return;
    }
    request.isUpgraded = true;
    socket.setTimeout(0);
    request.emit(event, response, socket, kernel.toBuffer(rest));
    request.destroy();
  }

  /** Starts the response. Returns the message that receives its body. */
  function answer(request: Stream, { status, text, rawHeaders }): Stream {
    const { socket } = request;
    socket?.touch();
    const response = new (incoming.IncomingMessage as any)(socket);
    Object.assign(response, { statusCode: status, statusMessage: text, rawHeaders, req: request });
    request.res = response;
    response.once('close', () => end(request));
    nextTick(() => {
      if (request.destroyed || !request.emit('response', response)) response._dump();
    });
    return response;
  }

  /** Ends the request after its response was read or discarded. */
  function end(request: Stream) {
    if (request.isOver) return;
    request.isOver = true;
    if (!request.res.complete) request.sending?.lose();
    request.destroy();
  }

  function lose(request: Stream) {
    if (request.res) incoming.breakOff(request.res);
    else request.destroy();
  }

  /**
   * Sends a request to another host under the cell's network rules. Both bodies are transferred as
   * a whole.
   */
  function throughFetch(request: Stream): Receiver {
    const pieces: Uint8Array[] = [];
    return {
      head() {
        // No server is asked about `expect`, so the client may continue at once.
        if (request.hasHeader('expect')) nextTick(() => request.emit('continue'));
      },
      body(chunk, callback) {
        pieces.push(chunk);
        callback();
      },
      end(_trailers, callback) {
        callback();
        void fetchFor(request, kernel.Buffer.concat(pieces)).catch((error) =>
          request.destroy(error),
        );
      },
    };
  }

  async function fetchFor(request: Stream, body: Uint8Array) {
    // There are no sockets for an agent that makes its own connections. Tools that answer requests
    // themselves have such an agent and replace the global fetch, so their answer comes from there.
    const hasOwnConnections = request.agent?.createConnection;
    const { fetch } = hasOwnConnections ? globalThis : (kernel.part('fetch') as any);
    const { method, origin, path, rawHead } = request;
    const pairs: [string, string][] = [];
    for (let at = 0; at < rawHead.length; at += 2) {
      const [name, value] = [rawHead[at], rawHead[at + 1]];
      const isOwnHost = /^host$/i.test(name) && origin.endsWith('//' + value);
      if (!isOwnHost && !ownOfFetch.test(name)) pairs.push([name, value]);
    }
    const controller: any = new kernel.AbortController();
    request.once('close', () => controller.abort());
    const response = await fetch(origin + path, {
      method,
      headers: pairs,
      redirect: 'manual',
      signal: controller.signal,
      ...(body.length > 0 && { body }),
    });
    if (request.destroyed) return;
    // The body arrives decoded, so headers that describe the encoding are removed.
    const isEncoded = response.headers.has('content-encoding');
    const rawHeaders = [...response.headers]
      .filter(([name]) => !(isEncoded && /^content-(?:encoding|length)$/.test(name)))
      .flat();
    const { status, statusText } = response;
    const message = answer(request, { status, text: statusText, rawHeaders });
    const bytes = await response.bytes();
    incoming.deliver(message, kernel.toBuffer(bytes), () => incoming.complete(message, []));
  }

  Object.assign(ClientRequest.prototype, {
    _implicitHeader(this: Stream) {
      this._storeHeader(this.method + ' ' + this.path + ' HTTP/1.1');
    },
    _destroy(this: Stream, error: unknown, callback: Callback) {
      if (this.isUpgraded) {
        callback(null);
        return;
      }
      // A subclass that doesn't call this constructor, as nock's, learns of the error by its own socket.
      if (this.res === undefined) {
        this.socket?.destroy(error);
        callback(null);
        return;
      }
      this.sending?.lose();
      const isAnswered = this.res !== null;
      if (isAnswered) incoming.breakOff(this.res);
      this.isOver = true;
      this.socket?.destroy();
      callback(error ?? (isAnswered ? null : kernel.coded(Error, 'ECONNRESET', 'socket hang up')));
    },
    abort(this: Stream) {
      if (this.aborted) return;
      this.aborted = true;
      nextTick(() => this.emit('abort'));
      this.destroy();
    },
    onSocket() {},
    setNoDelay() {},
    setSocketKeepAlive() {},
    clearTimeout(this: Stream, callback?: () => void) {
      this.setTimeout(0, callback);
    },
  });

  return { Agent, ClientRequest };
}
