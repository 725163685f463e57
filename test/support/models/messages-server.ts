// A small Messages API server on the loopback, for tests of what only real HTTP shows: statuses,
// broken and stalled connections, chunks of any size. It answers from a list. Node only.
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toChunks } from './model-streams.ts';

export type Answer =
  | {
      readonly type: 'stream';
      /** The stream's text, such as `toSse(events)`. */
      readonly text: string;
      /** Bytes a chunk, over and over. @defaultValue all at once */
      readonly sizes?: readonly number[];
      readonly crlf?: boolean;
      /**
       * @defaultValue `end`; `cut` breaks the connection, `stall` leaves it open and silent, `ping`
       * sends pings until the client disconnects
       */
      readonly ending?: 'end' | 'cut' | 'stall' | 'ping';
    }
  | {
      readonly type: 'json';
      readonly body: unknown;
      /** @defaultValue 200 */
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The connection stays open without an answer. */
  | { readonly type: 'silent' }
  /** The connection is closed before an answer. */
  | { readonly type: 'break' };

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
  /** Resolves when the connection of the answer has ended: true when the client ended it early. */
  readonly leftEarly: Promise<boolean>;
}

export interface MessagesServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** Sets the answers of the next requests, one each. A further request gets a 500 that says so. */
  answer(...answers: readonly Answer[]): void;
}

/** An API error, as the API words it. */
export function refusal(
  status: number,
  type: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { type: 'json', status, headers, body: { type: 'error', error: { type, message } } };
}

/** Starts a server on a free port. CORS is open, as the API's is to a page that asks for it. */
export async function startMessagesServer(): Promise<MessagesServer> {
  const requests: ReceivedRequest[] = [];
  const answers: Answer[] = [];

  const server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', '*');
    if (request.method === 'OPTIONS') {
      response.writeHead(204).end();
      return;
    }
    const take = (body: unknown) => {
      requests.push({
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body,
        leftEarly: new Promise((resolve) => {
          response.on('close', () => resolve(!response.writableFinished));
        }),
      });
      const answer = answers.shift() ?? refusal(500, 'api_error', 'the test gave no more answers');
      return send(answer, response);
    };
    // A client that has disconnected gets no answer.
    void readBody(request).then(take, () => response.destroy());
  });

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    answer: (...more) => void answers.push(...more),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  let text = '';
  request.setEncoding('utf8');
  for await (const part of request) text += String(part);
  return text === '' ? undefined : (JSON.parse(text) as unknown);
}

async function send(answer: Answer, response: ServerResponse): Promise<void> {
  switch (answer.type) {
    case 'silent':
      return;
    case 'break':
      response.destroy();
      return;
    case 'json':
      response.writeHead(answer.status ?? 200, {
        'content-type': 'application/json',
        ...answer.headers,
      });
      response.end(JSON.stringify(answer.body));
      return;
    case 'stream': {
      const { text, sizes = [Infinity], crlf, ending = 'end' } = answer;
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      for (const chunk of toChunks(crlf ? text.replaceAll('\n', '\r\n') : text, sizes)) {
        response.write(chunk);
        // A turn of the event loop, so that chunks don't all leave in one packet.
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (ending === 'end') response.end();
      if (ending === 'cut') response.destroy();
      if (ending === 'ping') {
        const timer = setInterval(
          () => response.write('event: ping\ndata: {"type":"ping"}\n\n'),
          20,
        );
        response.on('close', () => clearInterval(timer));
      }
    }
  }
}
