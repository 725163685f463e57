// Opens the transport to a remote server, for the protocol's client. connect-server.ts calls it
// once per connection.
import { SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { McpMessagePort, McpRemoteServerConfig } from '../../core/mcp/mcp-server.ts';
import type { createBoundedFetch } from './bounded-fetch.ts';
import type { RealmLogins } from './login/create-logins.ts';

/** The parts from which a transport is created. */
export interface TransportMeans {
  readonly fetch: ReturnType<typeof createBoundedFetch>;
  /** The maximum bytes of a socket's message. */
  readonly maxBytes: number;
  /** Undefined: this realm has no logins. */
  readonly logins: RealmLogins | undefined;
}

export function openTransport(config: McpRemoteServerConfig, means: TransportMeans): Transport {
  switch (config.type) {
    case 'http':
      return new StreamableHTTPClientTransport(new URL(config.url), toHttpOptions(config, means));
    case 'sse':
      return new SSEClientTransport(new URL(config.url), toHttpOptions(config, means));
    case 'ws':
      return createSocketTransport(config.url, means.maxBytes);
    case 'port':
      return createPortTransport(config.port);
    case 'webmcp':
      throw new TypeError('The tools of a page have no transport.');
  }
}

function toHttpOptions(
  { url, headers = {} }: Extract<McpRemoteServerConfig, { readonly type: 'http' | 'sse' }>,
  { fetch, logins }: TransportMeans,
) {
  // A caller that gives this header is already authorised.
  const isAuthorised = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  return {
    fetch,
    requestInit: { headers: { ...headers } },
    ...(logins && !isAuthorised && { authProvider: logins.providerFor(url) }),
  };
}

/** Passes a message to the client. */
function deliver(transport: Transport, data: unknown): void {
  // The client checks the rest, and reports other data as an error of the connection.
  if (isRecord(data)) transport.onmessage?.(data as unknown as JSONRPCMessage);
  else transport.onerror?.(new TypeError('The MCP server sent what is no message.'));
}

function createPortTransport(port: McpMessagePort): Transport {
  const hear = ({ data }: { readonly data: unknown }) => deliver(transport, data);
  const transport: Transport = {
    async start() {
      port.addEventListener('message', hear);
      port.start?.();
    },
    async send(message) {
      port.postMessage(message);
    },
    async close() {
      port.removeEventListener('message', hear);
      transport.onclose?.();
    },
  };
  return transport;
}

/** A socket's message arrives whole, so one that is too long closes the connection. */
function createSocketTransport(url: string, maxBytes: number): Transport {
  let socket: WebSocket | undefined;
  const transport: Transport = {
    start: () =>
      new Promise((resolve, reject) => {
        const opened = new WebSocket(url, 'mcp');
        socket = opened;
        opened.addEventListener('open', () => resolve());
        // A browser gives no other details.
        opened.addEventListener('error', () => reject(new TypeError('fetch failed')));
        opened.addEventListener('close', () => {
          reject(new TypeError('fetch failed'));
          transport.onclose?.();
        });
        opened.addEventListener('message', ({ data }: { readonly data: unknown }) => {
          try {
            deliver(transport, readMessage(data, maxBytes));
          } catch (error) {
            transport.onerror?.(error as Error);
            opened.close();
          }
        });
      }),
    async send(message) {
      socket?.send(JSON.stringify(message));
    },
    async close() {
      socket?.close();
    },
  };
  return transport;
}

/** Parses a message. Each character has at least one byte. */
function readMessage(data: unknown, maxBytes: number): unknown {
  if (typeof data === 'string' && data.length <= maxBytes) return JSON.parse(data);
  throw new SdkError(
    'limit-exceeded',
    `The MCP server sent a message that is no text, or of more than ${maxBytes} bytes.`,
    { data: { maxBytes } },
  );
}
