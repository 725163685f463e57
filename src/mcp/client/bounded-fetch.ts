// The `fetch` of the protocol's client. It uses the host's fetch port, so it sends no cookies and
// no referrer, and it counts bytes as they arrive. connect-server.ts creates one for each server.
import { SdkError } from '../../core/errors.ts';
import type { FetchPort } from '../../core/host-ports/fetch-port.ts';

/** As much of the platform's `RequestInit` as the client uses. */
interface ClientInit {
  readonly method?: string;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null;
}

/** Called for an answer that was too long, with the body of its request. */
export type OnTooLong = (error: SdkError, requestBody: unknown) => void;

/**
 * Rejects like the port. Reading a body that is longer than `maxBytes` fails with `limit-exceeded`.
 * In an event stream the limit applies to each event.
 */
export function createBoundedFetch(
  port: FetchPort,
  maxBytes: number,
  onTooLong: OnTooLong = () => {},
): (url: string | URL, init?: ClientInit) => Promise<Response> {
  return async (url, init = {}) => {
    const { method = 'GET', body, headers } = init;
    const response = await port.send(String(url), {
      method,
      headers: [...new Headers((headers ?? {}) as Record<string, string>)],
      signal: init.signal ?? new AbortController().signal,
      ...(body !== undefined && body !== null && { body: toBytes(body) }),
    });
    const cut = (error: SdkError) => onTooLong(error, body);
    return response.body ? meter(response, response.body, maxBytes, cut) : response;
  };
}

function toBytes(body: unknown): Uint8Array<ArrayBuffer> {
  // The client sends JSON, and form data for a login.
  if (typeof body === 'string' || body instanceof URLSearchParams) {
    return new Uint8Array(new TextEncoder().encode(String(body)));
  }
  throw new TypeError('A request to an MCP server has a body that is no text.');
}

function meter(
  response: Response,
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  onTooLong: (error: SdkError) => void,
): Response {
  const isStream = /^text\/event-stream\b/iu.test(response.headers.get('content-type') ?? '');
  let bytes = 0;
  let isLineEmpty = false;
  const metered = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        for (const byte of isStream ? chunk : []) {
          bytes += 1;
          // An empty line ends an event.
          if (byte === newline && isLineEmpty) bytes = 0;
          if (byte !== carriageReturn) isLineEmpty = byte === newline;
          if (bytes > maxBytes) break;
        }
        if (!isStream) bytes += chunk.length;
        if (bytes > maxBytes) {
          const error = tooLong(maxBytes);
          // A browser replaces this error with its own one.
          onTooLong(error);
          throw error;
        }
        controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(metered, { status, statusText, headers });
}

const newline = 10;
const carriageReturn = 13;

function tooLong(maxBytes: number): SdkError {
  return new SdkError(
    'limit-exceeded',
    `The MCP server sent a message of more than ${maxBytes} bytes. Ask it for less at a time.`,
    { data: { maxBytes } },
  );
}
