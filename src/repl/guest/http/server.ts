// http.Server: accepts requests from within the sandbox and passes each to its listener.
import type { Kernel } from '../kernel-type.ts';
import type { Callback, Stream } from '../streams/stream-side.ts';
import type { RawHeaders } from './headers.ts';
import type { makeHttpSocket } from './http-socket.ts';
import type { Incoming } from './incoming-message.ts';
import type { Receiver } from './outgoing-message.ts';

/** The client of a request, as the server sees it. */
export interface Client {
  readonly port: number;
  /** Sends an informational response (1xx). */
  inform(status: number, headers: object): void;
  /** Called with the response's head. Returns the message that receives the body. */
  answer(head: { status: number; text: string; rawHeaders: RawHeaders }): Stream;
  /** Delivers the response's body, in the client's async context. */
  readonly deliver: Incoming['deliver'];
  readonly complete: Incoming['complete'];
  readonly breakOff: Incoming['breakOff'];
  /** Called if the rest of the response won't arrive. */
  lose(): void;
}

/** The server's functions for a request's body, and for a client that has gone. */
export type Sending = Omit<Receiver, 'head'> & { lose(): void };

interface Requested {
  readonly method: string;
  readonly path: string;
  readonly rawHeaders: RawHeaders;
}

const firstPort = 40_000;

export function makeServer(
  kernel: Kernel,
  incoming: Incoming,
  outgoing: { readonly ServerResponse },
  HttpSocket: ReturnType<typeof makeHttpSocket>,
) {
  const EventEmitter = kernel.part('events') as any;
  const { asyncContext } = kernel;
  const { nextTick } = kernel.process as unknown as { nextTick: (job, ...args) => void };
  const open = kernel.servers as Record<string, Stream>;
  let lastPort = firstPort;

  function Server(this: Stream, given?, givenListener?) {
    if (!(this instanceof Server)) return new (Server as any)(given, givenListener);
    EventEmitter.call(this);
    const listener = typeof given === 'function' ? given : givenListener;
    const options = typeof given === 'function' ? {} : (given ?? {});
    Object.assign(this, {
      listening: false,
      timeout: 0,
      keepAliveTimeout: options.keepAliveTimeout ?? 5000,
      headersTimeout: options.headersTimeout ?? 60_000,
      requestTimeout: options.requestTimeout ?? 300_000,
      maxHeadersCount: null,
      maxRequestsPerSocket: 0,
      active: new Set<Stream>(),
      /** Sockets that have left HTTP. */
      upgraded: new Set<Stream>(),
      IncomingMessage: options.IncomingMessage ?? incoming.IncomingMessage,
      ServerResponse: options.ServerResponse ?? outgoing.ServerResponse,
    });
    if (listener) (this as Stream).on('request', listener);
  }
  Object.setPrototypeOf(Server.prototype, EventEmitter.prototype);
  Object.setPrototypeOf(Server, EventEmitter);

  const fail = (server: Stream, error: unknown) => nextTick(() => server.emit('error', error));

  function nextPort(): number {
    do lastPort = lastPort === 65_535 ? firstPort : lastPort + 1;
    while (open[lastPort]);
    return lastPort;
  }

  function closeIfDone(server: Stream) {
    if (server.listening || server.isClosed) return;
    if (server.active.size + server.upgraded.size > 0) return;
    server.isClosed = true;
    nextTick(() => server.emit('close'));
  }

  Object.assign(Server.prototype, {
    listen(this: Stream, ...args: unknown[]) {
      const callback = args.findLast((value) => typeof value === 'function');
      const [first] = args;
      const options: any =
        typeof first === 'object' && first !== null
          ? first
          : { port: first, host: typeof args[1] === 'string' ? args[1] : undefined };
      const port = Number(typeof options.port === 'function' ? 0 : (options.port ?? 0));
      if (options.path !== undefined || Number.isNaN(port))
        throw kernel.coded(
          Error,
          'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM',
          'A server of this sandbox listens on a port. There are no Unix sockets.',
        );
      if (!Number.isInteger(port) || port < 0 || port > 65_535)
        throw kernel.coded(
          RangeError,
          'ERR_SOCKET_BAD_PORT',
          'options.port should be >= 0 and < 65536. Received ' + kernel.inspect(options.port) + '.',
        );
      if (this.listening)
        throw kernel.coded(
          Error,
          'ERR_SERVER_ALREADY_LISTEN',
          'Listen method has been called more than once without closing.',
        );
      const address = options.host === 'localhost' ? '127.0.0.1' : (options.host ?? '::');
      if (open[port]) {
        const shown = address + ':' + port;
        const error = kernel.coded(
          Error,
          'EADDRINUSE',
          'listen EADDRINUSE: address already in use ' + shown,
        );
        fail(this, Object.assign(error, { errno: -98, syscall: 'listen', address, port }));
        return this;
      }
      const family = address.includes(':') ? 'IPv6' : 'IPv4';
      Object.assign(this, {
        listening: true,
        isClosed: false,
        place: { address, family, port: port || nextPort() },
        /**
         * The async context in which the server listens. Requests run in it, not in the context of
         * their client.
         */
        context: asyncContext.get(),
      });
      open[this.place.port] = this;
      if (callback) this.once('listening', callback);
      nextTick(() => this.listening && this.emit('listening'));
      return this;
    },
    address(this: Stream) {
      return this.listening ? { ...this.place } : null;
    },
    close(this: Stream, callback?: Callback) {
      if (!this.listening) {
        const error = kernel.coded(Error, 'ERR_SERVER_NOT_RUNNING', 'Server is not running.');
        if (callback) nextTick(callback, error);
        return this;
      }
      if (callback) this.once('close', callback);
      delete open[this.place.port];
      this.listening = false;
      closeIfDone(this);
      return this;
    },
    closeAllConnections(this: Stream) {
      for (const response of this.active) response.destroy();
    },
    // There are no idle connections, because each ends with its request.
    closeIdleConnections() {},
    getConnections(this: Stream, callback: Callback) {
      nextTick(callback, null, this.active.size + this.upgraded.size);
    },
    setTimeout(this: Stream, time: number, callback?: () => void) {
      this.timeout = time;
      if (callback) this.on('timeout', callback);
      return this;
    },
    ref(this: Stream) {
      return this;
    },
    unref(this: Stream) {
      return this;
    },
    async [Symbol.asyncDispose](this: Stream) {
      if (this.listening) await new Promise((resolve) => this.close(resolve));
    },
  });

  /** Passes a request to its listener. `client` receives the response. */
  function connect(server: Stream, requested: Requested, client: Client): Sending {
    const socket = new HttpSocket(server.place.port, client.port, server.place.address);
    const request = new server.IncomingMessage(socket);
    const { method, path, rawHeaders } = requested;
    Object.assign(request, { method, url: path, rawHeaders });
    const response = new server.ServerResponse(request);
    const answering = createAnswer(response, client, socket);
    response.sendTo(answering);
    response.assignSocket(socket);
    response.inform = (status: number, headers: object) => client.inform(status, headers);
    server.active.add(response);

    response.once('finish', () => {
      // Discards the unread rest of the body.
      if (!request.readableFlowing) request._dump();
      nextTick(() => response.destroy());
    });
    response.once('close', () => {
      socket.destroy();
      server.active.delete(response);
      closeIfDone(server);
      if (!response.writableFinished) client.lose();
    });
    socket.once('close', () => {
      incoming.breakOff(request);
      response.destroy();
    });
    if (server.timeout > 0) {
      socket.setTimeout(server.timeout, () => {
        const isHeard = server.emit('timeout', socket) || response.emit('timeout');
        if (!isHeard) socket.destroy();
      });
    }
    nextTick(() => {
      server.emit('connection', socket);
      if (response.destroyed) return;
      let event = 'request';
      if (/^100-continue$/i.test(request.headers.expect ?? '')) {
        if (server.listenerCount('checkContinue') > 0) event = 'checkContinue';
        else response.writeContinue();
      }
      try {
        server.emit(event, request, response);
      } catch (error) {
        kernel.reportUncaught('a request listener', error);
        response.destroy();
      }
    });
    return asyncContext.offer({
      body(chunk, callback) {
        socket.touch();
        incoming.deliver(request, chunk, callback);
      },
      end(trailers, callback) {
        incoming.complete(request, trailers);
        callback();
      },
      lose: () => socket.destroy(),
    });
  }

  /**
   * Passes a socket, connected with the client's, to the listener. From then on the two exchange
   * raw bytes.
   */
  function upgrade(server: Stream, requested: Requested, clientSocket): void {
    const { method, path, rawHeaders } = requested;
    const socket: Stream = new HttpSocket(
      server.place.port,
      clientSocket.localPort,
      server.place.address,
    );
    socket.connectWith(clientSocket);
    server.upgraded.add(socket);
    socket.once('close', () => {
      server.upgraded.delete(socket);
      closeIfDone(server);
    });
    const request = new server.IncomingMessage(socket);
    Object.assign(request, { method, url: path, rawHeaders, upgrade: true });
    incoming.complete(request, []);
    nextTick(() => {
      server.emit('connection', socket);
      if (socket.destroyed) return;
      const event = method === 'CONNECT' ? 'connect' : 'upgrade';
      try {
        if (!server.emit(event, request, socket, kernel.Buffer.alloc(0))) socket.destroy();
      } catch (error) {
        kernel.reportUncaught('a listener of ' + event, error);
        socket.destroy();
      }
    });
  }

  function createAnswer(response: Stream, client: Client, socket): Receiver {
    let message: Stream;
    let left = Infinity;
    return {
      head({ statusCode, statusMessage, rawHead, _hasBody: hasBody }) {
        const length = response.getHeader('content-length') ?? response._contentLength;
        if (hasBody && !response.chunkedEncoding && length !== null) left = Number(length);
        message = client.answer({
          status: statusCode,
          text: statusMessage,
          rawHeaders: rawHead,
        });
      },
      body(chunk, callback) {
        left -= chunk.length;
        socket.touch();
        client.deliver(message, chunk, callback);
      },
      end(trailers, callback) {
        // The body's length must match the header. Otherwise the client treats the response as
        // broken off.
        if (left === 0 || left === Infinity) client.complete(message, trailers);
        else client.breakOff(message);
        callback();
      },
    };
  }

  return {
    Server,
    connect: (server: Stream, requested: Requested, client: Client) =>
      asyncContext.run(server.context, () => connect(server, requested, client)),
    upgrade: (server: Stream, requested: Requested, socket) =>
      asyncContext.run(server.context, () => upgrade(server, requested, socket)),
    at: (port: number): Stream => open[port],
    /** Closes those on other ports: of a test file that has ended. */
    closeOthers(ports: readonly string[]) {
      for (const [port, server] of Object.entries(open)) {
        if (ports.includes(port)) continue;
        // A program may have replaced the server's own methods.
        Server.prototype.close.call(server);
        Server.prototype.closeAllConnections.call(server);
      }
    },
  };
}

export type Servers = ReturnType<typeof makeServer>;
